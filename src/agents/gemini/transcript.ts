import { withoutBlocks } from "../../core/guidance/block.ts";
import type { Emit } from "../agent.ts";
import { sayClaim } from "../common/claim.ts";
import { recall, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { type Answered, emitToolStarted, isListOrPlan, settle, unknown } from "./calls.ts";
import { proposePlan } from "./plan.ts";
import type { GeminiState } from "./state.ts";

/** A line of a chat file: the header, a message, or a change of what was written before. */
export function readChat(state: GeminiState, record: Fields, emit: Emit): void {
  const set = fields(record.$set);
  if (set) rewritten(state, list(set.messages) ?? [], emit);
  else if (record.$rewindTo !== undefined) {
    // Which of the lists stands again would need every message of the file.
    if (state.listed) unknown("the conversation was taken back to an earlier message", {}, emit);
  } else if (text(record.sessionId) !== undefined) readHeader(state, record, emit);
  else readMessage(state, record, emit);
}

/** Older versions kept a chat as one JSON document: there the messages stand in the header. */
function readHeader(state: GeminiState, record: Fields, emit: Emit): void {
  // A subagent's file has an id of its own here; its place tells the session.
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

function enterSession(state: GeminiState, claimed: string, emit: Emit): void {
  const { named = "" } = state;
  state.session = claimed.startsWith(named) ? claimed : named;
  if (state.session !== claimed) sayClaim(named, claimed, emit);
}

function readMessage(state: GeminiState, message: Fields, emit: Emit): void {
  const at = text(message.timestamp);
  const key = text(message.id);
  const said = withoutBlocks(contentOf(message.content));
  switch (message.type) {
    case "user":
      // What the program itself tells the model, and results of calls, come as user messages too.
      if (said === "" || said.startsWith("<session_context>")) break;
      if (state.turn) emit({ type: "turn.completed" }, { key, at });
      state.turn = true;
      emit({ type: "turn.started", prompt: shorten(said, 500) }, { key, at });
      break;
    case "gemini": {
      const calls = list(message.toolCalls) ?? [];
      // Written again with its calls once they are done; the text was told before.
      if (said !== "" && calls.length === 0) {
        emit({ type: "message", role: "assistant", text: shorten(said, 500) }, { key, at });
        // Nothing else marks the end of a turn. If calls follow after all, it goes on.
        endTurn(state, { type: "turn.completed" }, key, at, emit);
      }
      for (const call of calls) readCall(state, fields(call) ?? {}, at, emit);
      break;
    }
    case "error":
      endTurn(
        state,
        { type: "turn.failed", message: shorten(said || "an error", 500) },
        key,
        at,
        emit,
      );
      break;
    case "info":
      if (/^request cancelled/i.test(said))
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

/** All messages anew: after compression, and when a session starts or is resumed. */
function rewritten(state: GeminiState, messages: readonly unknown[], emit: Emit): void {
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
  if (wasTold(state, id, at ?? "")) return;
  if (!state.turn) {
    state.turn = true;
    emit({ type: "turn.started" }, { key: id, at: begun });
  }
  const answer = answerOf(given.result);
  const display = given.resultDisplay;
  const call: Answered = {
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
  settle(state, call, emit);
  if (name === "complete_task" && status === "success")
    endTurn(state, { type: "turn.completed" }, id, at, emit);
}

/** The call that started a subagent knows what kind it was; the subagent's own file does not. */
function readSubagent(given: Fields, emit: Emit): void {
  const agentId = text(given.agentId);
  const name = text(fields(given.resultDisplay)?.agentName) ?? text(fields(given.args)?.agent_name);
  if (given.name !== "invoke_agent" || agentId === undefined || name === undefined) return;
  emit(
    { type: "session.started", parentId: "main", name },
    { agentId, key: text(given.id), at: text(given.timestamp) },
  );
}

function wasTold(state: GeminiState, id: string, at: string): boolean {
  if (recall(state.told, id) !== undefined) return true;
  if (at !== "" && at <= state.horizon) return true;
  const before = state.told.length;
  const oldest = state.told[0]?.[1] ?? "";
  remember(state.told, id, at);
  if (state.told.length === before && oldest > state.horizon) state.horizon = oldest;
  return false;
}

function answerOf(result: unknown): { output: string | undefined; error: string | undefined } {
  for (const part of list(result) ?? []) {
    const response = fields(fields(fields(part)?.functionResponse)?.response);
    if (response) return { output: plain(text(response.output)), error: text(response.error) };
  }
  return { output: undefined, error: undefined };
}

/** Output from outside is wrapped in a tag for the model. */
function plain(output: string | undefined): string | undefined {
  return output?.replace(/^<untrusted_context>\n|\n<\/untrusted_context>$/g, "");
}
