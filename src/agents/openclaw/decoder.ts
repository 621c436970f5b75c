import type { Decoder, Emit, UsageLines } from "../agent.ts";
import { isPiEntry, PI_USAGE, wantedPi } from "../common/pi-entries.ts";
import { fields } from "../common/values.ts";
import { WAYMARK_NEEDLES } from "../common/waymark-tool.ts";
import { database, readRows } from "./database.ts";
import { readEntry } from "./entries.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { LIST_TOOLS, listsOf } from "./lists.ts";
import { type OpenclawState, startState } from "./state.ts";

export const openclaw: Decoder<OpenclawState> = {
  ...identity,
  needles: [...LIST_TOOLS.map((name) => `"${name}"`), ...WAYMARK_NEEDLES, '"mode_change"'],
  pendingNeedles: (state) => wantedPi(state, listsOf(state)),
  usage: PI_USAGE as UsageLines<OpenclawState>,
  score: (record) => {
    const entry = fields(record);
    if (entry?.openclaw !== undefined) return 2;
    const message = fields(entry?.message) ?? entry;
    const details = fields((fields(entry?.result) ?? message)?.details);
    if (message?.toolName === "update_plan" && details?.status === "updated") return 2;
    if (message?.toolName === "progress_card" || message?.__openclaw !== undefined) return 2;
    return isPiEntry(record) ? 1 : 0;
  },
  start: startState,
  read(state: OpenclawState, record: unknown, emit: Emit): void {
    const given = fields(record);
    if (!given) return;
    if (given.openclaw === undefined) readEntry(state, given, emit);
    else readRows(state, given, emit);
  },
  locations,
  database,
};
