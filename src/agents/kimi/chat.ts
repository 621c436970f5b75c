import { decoderOf } from "../table/decoder.ts";
import { identity } from "./identity.ts";

/**
 * The messages of `--output-format stream-json` and of the session files of Kimi CLI. A refused call has no flag, only
 * its text. A call without todos reads the list.
 */
export const chat = decoderOf({
  ...identity,
  format: "openai",
  tools: ["TodoList", "SetTodoList"],
  list: {
    args: "todos",
    kind: "items",
    item: { text: ["title"] },
    refused: /^\s*<system>\s*ERROR|^Invalid args for tool /i,
  },
  session: [
    { when: { role: "meta", type: "system.version" }, id: "session_id", version: "version" },
  ],
  distinctive: [
    { "tool_calls.*.function.name": "SetTodoList" },
    { role: "meta", type: "system.version" },
    { role: "meta", type: "session.resume_hint" },
  ],
});
