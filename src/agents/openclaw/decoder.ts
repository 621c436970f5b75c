import type { Dialect } from "../agent.ts";
import { isPiEntry, type PiState, readPi, startPi, wantedPi } from "../common/pi-entries.ts";
import { fields } from "../common/values.ts";
import { places } from "./files.ts";
import { identity } from "./identity.ts";
import { lists } from "./update-plan.ts";

export const openclaw: Dialect<PiState> = {
  ...identity,
  needles: ['"update_plan"', '"mode_change"'],
  wanted: (state) => wantedPi(state, lists),
  sniff: (record) => {
    const entry = fields(record);
    const said = fields(entry?.message) ?? entry;
    const details = fields((fields(entry?.result) ?? said)?.details);
    if (said?.toolName === "update_plan" && details?.status === "updated") return 2;
    return isPiEntry(record) ? 1 : 0;
  },
  start: startPi,
  read: (state, record, emit) => readPi(state, record, lists, emit),
  places,
};
