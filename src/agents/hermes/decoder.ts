import type { Decoder, Emit } from "../agent.ts";
import { fields, list, number, parsed, text } from "../common/values.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { type HermesState, pendingNeedles, readMessage, startState } from "./messages.ts";
import { isListTool } from "./todo.ts";

/** Decodes conversations of OpenAI-style messages: one per line, or all in one document. */
export const hermes: Decoder<HermesState> = {
  ...identity,
  needles: ['"todo"', '"todo_list"'],
  pendingNeedles,
  score,
  start: startState,
  read,
  locations: locations,
};

function read(state: HermesState, record: unknown, emit: Emit): void {
  const given = fields(record);
  const messages = list(given?.messages);
  if (!given) return;
  if (!messages) {
    readMessage(state, given, emit);
    return;
  }
  const session = text(given.session_id);
  if (session !== undefined && state.session === "") state.session = session;
  readMessage(
    state,
    { role: "session_meta", model: given.model, timestamp: given.session_start },
    emit,
  );
  // The document grows. A shorter one was rewritten and is read from the start.
  const from = messages.length < state.read ? 0 : state.read;
  state.read = messages.length;
  for (const message of messages.slice(from)) readMessage(state, fields(message) ?? {}, emit);
}

/** Many agents write such messages. Only the list identifies Hermes. */
function score(record: unknown): 0 | 1 | 2 {
  const given = fields(record);
  if (!given) return 0;
  if (given.role === "session_meta") return 2;
  if (list(given.messages)) return text(given.session_id) && "platform" in given ? 2 : 0;
  if (given.role === "tool") {
    const result = fields(parsed(given.content));
    return list(result?.todos) && number(result?.revision) !== undefined ? 2 : 0;
  }
  const calls = given.role === "assistant" ? (list(given.tool_calls) ?? []) : [];
  return calls.some((call) => isListTool(text(fields(fields(call)?.function)?.name) ?? "")) ? 1 : 0;
}
