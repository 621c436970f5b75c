import { withoutBlocks } from "../../core/guidance/block.ts";
import type { Emit } from "../agent.ts";
import { recall, remember, shorten } from "../common/memory.ts";
import { warnSessionMismatch } from "../common/session-mismatch.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import {
  type CallWithResult,
  emitToolStarted,
  finishCall,
  isListOrPlan,
  unknown,
} from "./calls.ts";
import { proposePlan } from "./plan.ts";
import type { GeminiState } from "./state.ts";
import { readUsage } from "./usage.ts";

/** Reads a line of a chat file: the header, a message, or a change to earlier messages. */
export function readChat(state: GeminiState, record: Fields, emit: Emit): void {
  const set = fields(record.$set);
  if (set) readRewritten(state, list(set.messages) ?? [], emit);
  else if (record.$rewindTo !== undefined) {
    // Finding the list at that message would require all messages of the file.
    if (state.listed) unknown("the conversation was rewound to an earlier message", {}, emit);
  } else if (text(record.sessionId) !== undefined) readHeader(state, record, emit);
  else readMessage(state, record, emit);
}

/** Reads the header. In older versions a chat is one JSON document with the messages in the header. */
function readHeader(state: GeminiState, record: Fields, emit: Emit): void {
  // The id in a subagent's file is its own. The path has the session id.
  if (state.session === "") enterSession(state, text(record.sessionId) ?? "", emit);
  const at = text(record.startTime);
  if (!state.started) {
    state.started = true;
    const cwd = text(list(record.directories)?.[0]);
    const parentId = state.parent || (record.kind === "subagent" ? "main" : "");
    emit(
      {
        type: "session.started",
        ...(cwd !== undefined && { cwd }),
        ...(parentId !== "" && state.agent !== "main" && { parentId }),
      },
      { key: at, at },
    );
  }
  for (const message of list(record.messages) ?? [])
    readMessage(state, fields(message) ?? {}, emit);
}

function enterSession(state: GeminiState, named: string, emit: Emit): void {
  const { idPrefix = "" } = state;
  state.session = named.startsWith(idPrefix) ? named : idPrefix;
  if (state.session !== named) warnSessionMismatch(idPrefix, named, emit);
}

function readMessage(state: GeminiState, message: Fields, emit: Emit): void {
  const at = text(message.timestamp);
  const key = text(message.id);
  const content = withoutBlocks(contentOf(message.content));
  switch (message.type) {
    case "user":
      // Messages of the program to the model and results of calls are user messages, too.
      if (content === "" || content.startsWith("<session_context>")) break;
      if (state.turn) emit({ type: "turn.completed" }, { key, at });
      state.turn = true;
      emit({ type: "turn.started", prompt: shorten(content, 500) }, { key, at });
      break;
    case "gemini": {
      const calls = list(message.toolCalls) ?? [];
      // The message is written again with its calls once they are done. Its text was reported before.
      if (content !== "" && calls.length === 0) {
        emit({ type: "message", role: "assistant", text: shorten(content, 500) }, { key, at });
        // Nothing else marks the end of a turn. A later call starts it again.
        endTurn(state, { type: "turn.completed" }, key, at, emit);
      }
      for (const call of calls) readCall(state, fields(call) ?? {}, at, emit);
      readUsage(state, message, emit);
      break;
    }
    case "error":
      endTurn(
        state,
        { type: "turn.failed", message: shorten(content || "an error", 500) },
        key,
        at,
        emit,
      );
      break;
    case "info":
      if (/^request cancelled/i.test(content))
        endTurn(state, { type: "turn.cancelled" }, key, at, emit);
      break;
  }
}

function endTurn(
  state: GeminiState,
  body: Parameters<Emit>[0],
  key: string | undefined,
  at: string | undefined,
  emit: Emit,
): void {
  if (!state.turn) return;
  state.turn = false;
  emit(body, { key, at });
}

/** Reads the rewritten messages: after compression, and when a session starts or is resumed. */
function readRewritten(state: GeminiState, messages: readonly unknown[], emit: Emit): void {
  for (const entry of messages) {
    const message = fields(entry) ?? {};
    const key = text(message.id);
    const at = text(message.timestamp);
    if (message.type === "user" && contentOf(message.content).includes("<state_snapshot>"))
      emit({ type: "session.compacted" }, { key, at });
    for (const call of list(message.toolCalls) ?? []) readCall(state, fields(call) ?? {}, at, emit);
  }
}

function contentOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (list(content) ?? []).map((part) => text(fields(part)?.text) ?? "").join("");
}

const FINAL = ["success", "error", "cancelled"];

function readCall(state: GeminiState, given: Fields, begun: string | undefined, emit: Emit): void {
  const id = text(given.id);
  const name = text(given.name);
  const status = text(given.status);
  if (id === undefined || name === undefined || !FINAL.includes(status ?? "")) return;
  const at = text(given.timestamp) ?? begun;
  if (wasReported(state, id, at ?? "")) return;
  if (!state.turn) {
    state.turn = true;
    emit({ type: "turn.started" }, { key: id, at: begun });
  }
  const answer = answerOf(given.result);
  const display = given.resultDisplay;
  const call: CallWithResult = {
    id,
    name,
    args: given.args,
    failed:
      status === "success"
        ? undefined
        : (answer.error ?? text(display) ?? `the call was ${status}`),
    display,
    answer: answer.output,
    at,
  };
  if (isListOrPlan(name)) proposePlan(state, { ...call, at: begun }, emit);
  else emitToolStarted({ ...call, at: begun }, emit);
  readSubagent(given, emit);
  finishCall(state, call, emit);
  if (name === "complete_task" && status === "success")
    endTurn(state, { type: "turn.completed" }, id, at, emit);
}

/** Emits the kind of a subagent, which is in the call that started it, but not in the subagent's file. */
function readSubagent(given: Fields, emit: Emit): void {
  const agentId = text(given.agentId);
  const name = text(fields(given.resultDisplay)?.agentName) ?? text(fields(given.args)?.agent_name);
  if (given.name !== "invoke_agent" || agentId === undefined || name === undefined) return;
  emit(
    { type: "session.started", parentId: "main", name },
    { agentId, key: text(given.id), at: text(given.timestamp) },
  );
}

function wasReported(state: GeminiState, id: string, at: string): boolean {
  if (recall(state.reported, id) !== undefined) return true;
  if (at !== "" && at <= state.horizon) return true;
  const before = state.reported.length;
  const oldest = state.reported[0]?.[1] ?? "";
  remember(state.reported, id, at);
  if (state.reported.length === before && oldest > state.horizon) state.horizon = oldest;
  return false;
}

function answerOf(result: unknown): { output: string | undefined; error: string | undefined } {
  for (const part of list(result) ?? []) {
    const response = fields(fields(fields(part)?.functionResponse)?.response);
    if (response) return { output: plain(text(response.output)), error: text(response.error) };
  }
  return { output: undefined, error: undefined };
}

/** Removes the tag around untrusted output. */
function plain(output: string | undefined): string | undefined {
  return output?.replace(/^<untrusted_context>\n|\n<\/untrusted_context>$/g, "");
}
