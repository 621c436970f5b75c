import type { About, Emit } from "../agent.ts";
import { endTask, startTask } from "../common/jobs.ts";
import { recall, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, list, outputText, text } from "../common/values.ts";
import { agentOfCall, announce } from "./agents.ts";
import { answerCall, openCall } from "./calls.ts";
import { enterSession, type QwenState } from "./state.ts";

/** A line of `--output-format stream-json`: Claude's forms, other names. */
export function readStream(state: QwenState, record: Fields, emit: Emit): void {
  enterSession(state, text(record.session_id));
  if (record.type === "system") readSystem(state, record, emit);
  else if (record.type === "assistant" || record.type === "user") readMessage(state, record, emit);
  else if (record.type === "result") readEnd(state, record, emit);
}

function readSystem(state: QwenState, record: Fields, emit: Emit): void {
  const key = text(record.uuid);
  if (record.subtype === "init") {
    const said = {
      cwd: text(record.cwd),
      model: text(record.model),
      version: text(record.qwen_code_version),
    };
    announce(state, said, {}, emit);
    if (record.permission_mode === "plan") emit({ type: "mode.changed", mode: "plan" }, { key });
    beginTurn(state, key, emit);
  } else if (record.subtype === "task_started") {
    const data = fields(record.data);
    const agentId = text(data?.task_id);
    const callId = text(data?.tool_use_id);
    if (agentId === undefined || callId === undefined) return;
    if (recall(state.agents, callId) === undefined) remember(state.agents, callId, agentId);
    const said = { name: text(data?.subagent_type), title: text(data?.description) };
    announce(state, said, { agentId: agentOfCall(state, callId) }, emit);
    startTask(data ?? {}, "agent", emit, { key });
  } else if (record.subtype === "task_notification") {
    endTask(fields(record.data) ?? {}, emit, { key });
  }
}

/** Headless runs do not show the prompt. */
function beginTurn(state: QwenState, key: string | undefined, emit: Emit): void {
  if (state.turn) return;
  state.turn = true;
  emit({ type: "turn.started" }, { key });
}

function readMessage(state: QwenState, record: Fields, emit: Emit): void {
  const key = text(record.uuid);
  const who = whose(state, text(record.parent_tool_use_id), emit);
  const message = fields(record.message);
  if (record.type === "assistant" && who.agentId === undefined) beginTurn(state, key, emit);
  for (const entry of list(message?.content) ?? []) {
    const block = fields(entry) ?? {};
    const id = text(block.id);
    const name = text(block.name);
    const answered = text(block.tool_use_id);
    const said = text(block.text);
    if (block.type === "tool_use" && id !== undefined && name !== undefined)
      openCall(state, { id, name, args: block.input }, who, emit);
    else if (block.type === "tool_result" && answered !== undefined) {
      const output = outputOf(block.content);
      const failed = block.is_error === true ? (output ?? "the call failed") : undefined;
      const answer = { id: answered, name: undefined, failed, display: undefined, output };
      answerCall(state, answer, who, emit);
    } else if (block.type === "text" && record.type === "assistant" && said !== undefined)
      emit({ type: "message", role: "assistant", text: shorten(said, 500) }, { ...who, key });
  }
}

/** The text of a result whole: the list stands at its end. */
function outputOf(content: unknown): string | undefined {
  return typeof content === "string" ? content : outputText(content);
}

function whose(state: QwenState, callId: string | undefined, emit: Emit): About {
  if (callId === undefined) return {};
  const args = fields(recall(state.open, callId)?.args);
  const who = { agentId: agentOfCall(state, callId) };
  announce(state, { name: text(args?.subagent_type), title: text(args?.description) }, who, emit);
  return who;
}

function readEnd(state: QwenState, record: Fields, emit: Emit): void {
  const key = text(record.uuid);
  state.turn = false;
  if (record.is_error !== true) {
    emit({ type: "turn.completed" }, { key });
    return;
  }
  const message = text(fields(record.error)?.message) ?? text(record.result) ?? "the run failed";
  emit({ type: "turn.failed", message: shorten(message, 500) }, { key });
}
