import type { Decoder } from "../agent.ts";
import {
  isPiEntry,
  PI_USAGE,
  type PiState,
  readPi,
  startPi,
  wantedPi,
} from "../common/pi-entries.ts";
import { fields } from "../common/values.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { lists } from "./update-plan.ts";

export const openclaw: Decoder<PiState> = {
  ...identity,
  needles: ['"update_plan"', '"mode_change"'],
  pendingNeedles: (state) => wantedPi(state, lists),
  usage: PI_USAGE,
  score: (record) => {
    const entry = fields(record);
    const message = fields(entry?.message) ?? entry;
    const details = fields((fields(entry?.result) ?? message)?.details);
    if (message?.toolName === "update_plan" && details?.status === "updated") return 2;
    return isPiEntry(record) ? 1 : 0;
  },
  start: startPi,
  read: (state, record, emit) => readPi(state, record, lists, emit),
  locations: locations,
};
