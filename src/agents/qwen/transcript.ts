import { withoutBlocks } from "../../core/guidance/block.ts";
import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { agentOfName, announce } from "./agents.ts";
import { answerCall, isListOrPlan, openCall, unwrapCall } from "./calls.ts";
import { enterSession, type QwenState } from "./state.ts";
import { emitEntries, isTodoTool, reject } from "./todo-write.ts";
import { readUsage } from "./usage.ts";

/** Reads a line of a session file of the main agent or of a subagent. */
export function readTranscript(state: QwenState, record: Fields, emit: Emit): void {
  enterSession(state, text(record.sessionId));
  const context: EventContext = { agentId: text(record.agentId), at: text(record.timestamp) };
  if (context.agentId !== undefined) introduce(state, record, context, emit);
  const parts = (list(fields(record.message)?.parts) ?? []).map((part) => fields(part) ?? {});
  switch (record.type) {
    case "user":
      readPrompt(state, record, parts, context, emit);
      break;
    case "assistant":
      readAnswer(state, record, parts, context, emit);
      readUsage(state, record, emit);
      break;
    case "tool_result":
      readResult(state, record, parts, context, emit);
      break;
    case "system":
      readSystem(state, record, context, emit);
      break;
  }
}

/** Emits the start of an agent. Every record has directory and version, but a scan for lists reads only some records. */
function introduce(state: QwenState, record: Fields, context: EventContext, emit: Emit): void {
  const facts = {
    cwd: text(record.cwd),
    version: text(record.version),
    name: text(record.agentName),
  };
  announce(state, facts, context, emit);
  flushPrompt(state, context, emit);
}

function readPrompt(
  state: QwenState,
  record: Fields,
  parts: readonly Fields[],
  context: EventContext,
  emit: Emit,
): void {
  const prompt = withoutBlocks(parts.map((part) => text(part.text) ?? "").join(""));
  // Notices about finished subagents are user records, too.
  if (prompt === "" || record.subtype !== undefined || record.provenance === "system") return;
  flushPrompt(state, context, emit);
  state.prompt = { text: shorten(prompt, 500), key: text(record.uuid), at: text(record.timestamp) };
  if (state.started.length > 0) flushPrompt(state, context, emit);
}

function flushPrompt(state: QwenState, context: EventContext, emit: Emit): void {
  if (!state.prompt) return;
  const { text: prompt, key, at } = state.prompt;
  state.prompt = null;
  if (state.turn) emit({ type: "turn.completed" }, { ...context, key, at });
  state.turn = true;
  emit({ type: "turn.started", prompt }, { ...context, key, at });
}

function readAnswer(
  state: QwenState,
  record: Fields,
  parts: readonly Fields[],
  context: EventContext,
  emit: Emit,
): void {
  const key = text(record.uuid);
  const calls = parts.map((part) => fields(part.functionCall)).filter((call) => call !== undefined);
  if (calls.some((call) => isListOrPlan(unwrapCall(text(call.name) ?? "", call.args).name)))
    introduce(state, record, context, emit);
  flushPrompt(state, context, emit);
  const content = parts
    .map((part) => (part.thought === true ? "" : (text(part.text) ?? "")))
    .join("");
  if (content !== "")
    emit({ type: "message", role: "assistant", text: shorten(content, 500) }, { ...context, key });
  for (const call of calls) {
    const id = text(call.id);
    const name = text(call.name);
    if (id !== undefined && name !== undefined)
      openCall(state, { id, name, args: call.args }, context, emit);
  }
  // Subagents write partial records: an empty one, or a text whose call is in the next record.
  if (calls.length > 0 && !state.turn) {
    state.turn = true;
    emit({ type: "turn.started" }, { ...context, key });
  } else if (calls.length === 0 && content !== "" && state.turn) {
    state.turn = false;
    emit({ type: "turn.completed" }, { ...context, key });
  }
}

function readResult(
  state: QwenState,
  record: Fields,
  parts: readonly Fields[],
  context: EventContext,
  emit: Emit,
): void {
  const result = fields(record.toolCallResult);
  for (const part of parts) {
    const answer = fields(part.functionResponse);
    const id = text(answer?.id) ?? text(result?.callId);
    if (!answer || id === undefined) continue;
    const response = fields(answer.response);
    const error = text(response?.error);
    const status = text(result?.status) ?? (error === undefined ? "success" : "error");
    const name = text(answer.name);
    if (isListOrPlan(name ?? "")) introduce(state, record, context, emit);
    const failed =
      status === "success"
        ? undefined
        : (error ?? text(result?.resultDisplay) ?? `the call was ${status}`);
    const output = text(response?.output);
    const display = result?.resultDisplay;
    answerCall(state, { id, name, failed, display, output }, context, emit);
  }
}

function readSystem(state: QwenState, record: Fields, context: EventContext, emit: Emit): void {
  const payload = fields(record.systemPayload);
  switch (record.subtype) {
    case "attribution_snapshot":
      introduce(state, record, context, emit);
      break;
    case "chat_compression":
      emit({ type: "session.compacted" }, { ...context, key: text(record.uuid) });
      break;
    case "ui_telemetry":
      readTelemetry(state, record, fields(payload?.uiEvent) ?? {}, emit);
      break;
  }
}

/** `<session>#<subagent>#<round>`. Prompts of the main agent have no name. */
const SUBAGENT = /^[^#]+#([^#]+)#\d+$/;

/** Reads telemetry, the only trace of the calls of subagents in 0.15. */
function readTelemetry(state: QwenState, record: Fields, event: Fields, emit: Emit): void {
  const tool = text(event.function_name);
  const name = SUBAGENT.exec(text(event.prompt_id) ?? "")?.[1];
  if (tool === undefined || name === undefined || !isTodoTool(tool)) return;
  const context: EventContext = {
    agentId: agentOfName(state, name),
    key: text(event.call_id) ?? text(record.uuid),
    at: text(record.timestamp),
  };
  // The name ends with a random suffix.
  announce(state, { name: name.replace(/-[^-]*$/, "") }, context, emit);
  const todos = list(fields(event.function_args)?.todos);
  if (event.success !== true && event.status !== "success")
    reject(text(event.error) ?? "the write failed", context, emit);
  else if (todos && tool === "todo_write") emitEntries(state, todos, context, emit);
}
