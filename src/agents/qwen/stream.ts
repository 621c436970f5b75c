import type { Emit, EventContext } from "../agent.ts";
import { endTask, startTask } from "../common/jobs.ts";
import { recall, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, list, outputText, text } from "../common/values.ts";
import { agentOfCall, announce } from "./agents.ts";
import { answerCall, openCall } from "./calls.ts";
import { enterSession, type QwenState } from "./state.ts";
import { readRunUsage } from "./usage.ts";

/** Reads a line of `--output-format stream-json`: the format of Claude Code with other names. */
export function readStream(state: QwenState, record: Fields, emit: Emit): void {
  enterSession(state, text(record.session_id));
  if (record.type === "system") readSystem(state, record, emit);
  else if (record.type === "assistant" || record.type === "user") readMessage(state, record, emit);
  else if (record.type === "result") readEnd(state, record, emit);
}

function readSystem(state: QwenState, record: Fields, emit: Emit): void {
  const key = text(record.uuid);
  if (record.subtype === "init") {
    const facts = {
      cwd: text(record.cwd),
      model: text(record.model),
      version: text(record.qwen_code_version),
    };
    announce(state, facts, {}, emit);
    if (facts.model !== undefined) state.model = facts.model;
    if (record.permission_mode === "plan") emit({ type: "mode.changed", mode: "plan" }, { key });
    beginTurn(state, key, emit);
  } else if (record.subtype === "task_started") {
    const data = fields(record.data);
    const agentId = text(data?.task_id);
    const callId = text(data?.tool_use_id);
    if (agentId === undefined || callId === undefined) return;
    if (recall(state.agents, callId) === undefined) remember(state.agents, callId, agentId);
    const facts = { name: text(data?.subagent_type), title: text(data?.description) };
    announce(state, facts, { agentId: agentOfCall(state, callId) }, emit);
    startTask(data ?? {}, "agent", emit, { key });
  } else if (record.subtype === "task_notification") {
    endTask(fields(record.data) ?? {}, emit, { key });
  }
}

/** Starts a turn without a prompt, which headless runs do not show. */
function beginTurn(state: QwenState, key: string | undefined, emit: Emit): void {
  if (state.turn) return;
  state.turn = true;
  emit({ type: "turn.started" }, { key });
}

function readMessage(state: QwenState, record: Fields, emit: Emit): void {
  const key = text(record.uuid);
  const context = contextOf(state, text(record.parent_tool_use_id), emit);
  const message = fields(record.message);
  if (record.type === "assistant" && context.agentId === undefined) beginTurn(state, key, emit);
  for (const entry of list(message?.content) ?? []) {
    const block = fields(entry) ?? {};
    const id = text(block.id);
    const name = text(block.name);
    const answered = text(block.tool_use_id);
    const content = text(block.text);
    if (block.type === "tool_use" && id !== undefined && name !== undefined)
      openCall(state, { id, name, args: block.input }, context, emit);
    else if (block.type === "tool_result" && answered !== undefined) {
      const output = outputOf(block.content);
      const failed = block.is_error === true ? (output ?? "the call failed") : undefined;
      const answer = { id: answered, name: undefined, failed, display: undefined, output };
      answerCall(state, answer, context, emit);
    } else if (block.type === "text" && record.type === "assistant" && content !== undefined)
      emit(
        { type: "message", role: "assistant", text: shorten(content, 500) },
        { ...context, key },
      );
  }
}

/** The full text of a result. The list is at its end. */
function outputOf(content: unknown): string | undefined {
  return typeof content === "string" ? content : outputText(content);
}

function contextOf(state: QwenState, callId: string | undefined, emit: Emit): EventContext {
  if (callId === undefined) return {};
  const args = fields(recall(state.open, callId)?.args);
  const context = { agentId: agentOfCall(state, callId) };
  announce(
    state,
    { name: text(args?.subagent_type), title: text(args?.description) },
    context,
    emit,
  );
  return context;
}

function readEnd(state: QwenState, record: Fields, emit: Emit): void {
  const key = text(record.uuid);
  state.turn = false;
  readRunUsage(state, record, emit);
  if (record.is_error !== true) {
    emit({ type: "turn.completed" }, { key });
    return;
  }
  const message = text(fields(record.error)?.message) ?? text(record.result) ?? "the run failed";
  emit({ type: "turn.failed", message: shorten(message, 500) }, { key });
}
