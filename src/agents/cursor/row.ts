import type { Row } from "../table/table.ts";
import { identity } from "./identity.ts";

/** The format of its records. */
export const row: Row = {
  ...identity,
  format: "cursor",
  tools: ["updateTodosToolCall", "readTodosToolCall", "todoWriteToolCall"],
  list: {
    args: "todos",
    data: "todos",
    kind: "items",
    item: { text: ["content"], id: ["id"] },
    merge: "merge",
  },
  session: [
    {
      when: { type: "system", subtype: "init" },
      id: "session_id",
      cwd: "cwd",
      model: "model",
    },
  ],
  ends: [
    { when: { type: "result", is_error: true }, type: "turn.failed", message: "result" },
    { when: { type: "result" }, type: "turn.completed" },
  ],
  distinctive: [{ type: "tool_call", call_id: "*", tool_call: "*" }],
};
