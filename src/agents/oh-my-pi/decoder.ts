import type { Decoder } from "../agent.ts";
import {
  isPiEntry,
  PI_USAGE,
  type PiState,
  readPi,
  startPi,
  wantedPi,
} from "../common/pi-entries.ts";
import { fields, list } from "../common/values.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { lists } from "./todo.ts";

export const ohMyPi: Decoder<PiState> = {
  ...identity,
  needles: ['"todo"', '"todo_write"', '"user_todo_edit"', '"mode_change"'],
  pendingNeedles: (state) => wantedPi(state, lists),
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
  start: startPi,
  read: (state, record, emit) => readPi(state, record, lists, emit),
  locations: locations,
};
