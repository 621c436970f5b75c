import type { Decoder } from "../agent.ts";
import { isPiEntry, PI_USAGE, readPi, startPi, wantedPi } from "../common/pi-entries.ts";
import type { PiWaymarkState } from "../common/pi-waymark.ts";
import { fields, list } from "../common/values.ts";
import { WAYMARK_NEEDLES } from "../common/waymark-tool.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { withMountedCalls } from "./mounted.ts";
import { listsOf } from "./todo.ts";

export const ohMyPi: Decoder<PiWaymarkState> = {
  ...identity,
  needles: ['"todo"', '"todo_write"', '"user_todo_edit"', '"mode_change"', ...WAYMARK_NEEDLES],
  pendingNeedles: (state) => wantedPi(state, listsOf(state)),
  usage: PI_USAGE,
  score: (record) => {
    const entry = fields(record);
    if (entry?.type === "custom")
      return entry.customType === "user_todo_edit" || entry.customType === "todo_hud_state" ? 2 : 0;
    const message = fields(entry?.message) ?? entry;
    const result = fields(entry?.result) ?? message;
    const named = message?.toolName === "todo" || message?.toolName === "todo_write";
    if (named && list(fields(result?.details)?.phases)) return 2;
    return isPiEntry(record) ? 1 : 0;
  },
  start: (source) => ({ ...startPi(source), waymarkList: [] }),
  read: (state, record, emit) =>
    readPi(state, withMountedCalls(state, record), listsOf(state), emit),
  locations: locations,
};
