import { withoutBlocks } from "../../core/guidance/block.ts";
import type { About, Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { agentOfName, announce } from "./agents.ts";
import { answerCall, isListOrPlan, openCall, reached } from "./calls.ts";
import { enterSession, type QwenState } from "./state.ts";
import { emitEntries, isTodoTool, reject } from "./todo-write.ts";

/** A line of a session file, of the main agent or of a subagent that has its own. */
export function readTranscript(state: QwenState, record: Fields, emit: Emit): void {
  enterSession(state, text(record.sessionId));
  const who: About = { agentId: text(record.agentId), at: text(record.timestamp) };
  if (who.agentId !== undefined) introduce(state, record, who, emit);
  const parts = (list(fields(record.message)?.parts) ?? []).map((part) => fields(part) ?? {});
  switch (record.type) {
    case "user":
      readPrompt(state, record, parts, who, emit);
      break;
    case "assistant":
      readAnswer(state, record, parts, who, emit);
      break;
    case "tool_result":
      readResult(state, record, parts, who, emit);
      break;
    case "system":
      readSystem(state, record, who, emit);
      break;
  }
}

/** Every record knows folder and version; only some are read when lists alone are looked for. */
function introduce(state: QwenState, record: Fields, who: About, emit: Emit): void {
  const said = {
    cwd: text(record.cwd),
    version: text(record.version),
    name: text(record.agentName),
  };
  announce(state, said, who, emit);
  flushPrompt(state, who, emit);
}

function readPrompt(
  state: QwenState,
  record: Fields,
  parts: readonly Fields[],
  who: About,
  emit: Emit,
): void {
  const said = withoutBlocks(parts.map((part) => text(part.text) ?? "").join(""));
  // Notices of finished subagents come as user records too.
  if (said === "" || record.subtype !== undefined || record.provenance === "system") return;
  flushPrompt(state, who, emit);
  state.prompt = { text: shorten(said, 500), key: text(record.uuid), at: text(record.timestamp) };
  if (state.started.length > 0) flushPrompt(state, who, emit);
}

function flushPrompt(state: QwenState, who: About, emit: Emit): void {
  if (!state.prompt) return;
  const { text: prompt, key, at } = state.prompt;
  state.prompt = null;
  if (state.turn) emit({ type: "turn.completed" }, { ...who, key, at });
  state.turn = true;
  emit({ type: "turn.started", prompt }, { ...who, key, at });
}

function readAnswer(
  state: QwenState,
  record: Fields,
  parts: readonly Fields[],
  who: About,
  emit: Emit,
): void {
  const key = text(record.uuid);
  const calls = parts.map((part) => fields(part.functionCall)).filter((call) => call !== undefined);
  if (calls.some((call) => isListOrPlan(reached(text(call.name) ?? "", call.args).name)))
    introduce(state, record, who, emit);
  flushPrompt(state, who, emit);
  const said = parts.map((part) => (part.thought === true ? "" : (text(part.text) ?? ""))).join("");
  if (said !== "")
    emit({ type: "message", role: "assistant", text: shorten(said, 500) }, { ...who, key });
  for (const call of calls) {
    const id = text(call.id);
    const name = text(call.name);
    if (id !== undefined && name !== undefined)
      openCall(state, { id, name, args: call.args }, who, emit);
  }
  // Records of subagents come in pieces: an empty one, or text with its call in the next.
  if (calls.length > 0 && !state.turn) {
    state.turn = true;
    emit({ type: "turn.started" }, { ...who, key });
  } else if (calls.length === 0 && said !== "" && state.turn) {
    state.turn = false;
    emit({ type: "turn.completed" }, { ...who, key });
  }
}

function readResult(
  state: QwenState,
  record: Fields,
  parts: readonly Fields[],
  who: About,
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
    if (isListOrPlan(name ?? "")) introduce(state, record, who, emit);
    const failed =
      status === "success"
        ? undefined
        : (error ?? text(result?.resultDisplay) ?? `the call was ${status}`);
    const output = text(response?.output);
    const display = result?.resultDisplay;
    answerCall(state, { id, name, failed, display, output }, who, emit);
  }
}

function readSystem(state: QwenState, record: Fields, who: About, emit: Emit): void {
  const payload = fields(record.systemPayload);
  switch (record.subtype) {
    case "attribution_snapshot":
      introduce(state, record, who, emit);
      break;
    case "chat_compression":
      emit({ type: "session.compacted" }, { ...who, key: text(record.uuid) });
      break;
    case "ui_telemetry":
      readTelemetry(state, record, fields(payload?.uiEvent) ?? {}, emit);
      break;
  }
}

/** `<session>#<subagent>#<round>`; the main agent's prompts have no name there. */
const SUBAGENT = /^[^#]+#([^#]+)#\d+$/;

/** Subagents of 0.15 have no records of their own: their calls show up as measurements only. */
function readTelemetry(state: QwenState, record: Fields, event: Fields, emit: Emit): void {
  const tool = text(event.function_name);
  const name = SUBAGENT.exec(text(event.prompt_id) ?? "")?.[1];
  if (tool === undefined || name === undefined || !isTodoTool(tool)) return;
  const who: About = {
    agentId: agentOfName(state, name),
    key: text(event.call_id) ?? text(record.uuid),
    at: text(record.timestamp),
  };
  // The end of the name is a random mark.
  announce(state, { name: name.replace(/-[^-]*$/, "") }, who, emit);
  const todos = list(fields(event.function_args)?.todos);
  if (event.success !== true && event.status !== "success")
    reject(text(event.error) ?? "the write failed", who, emit);
  else if (todos && tool === "todo_write") emitEntries(state, todos, who, emit);
}
