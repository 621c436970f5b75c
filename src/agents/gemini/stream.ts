import type { Emit } from "../agent.ts";
import { forget, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, text } from "../common/values.ts";
import { emitToolStarted, finishCall, isListOrPlan } from "./calls.ts";
import { proposePlan, writesPlan } from "./plan.ts";
import type { GeminiState, OpenCall } from "./state.ts";
import { readRunUsage } from "./usage.ts";

/** Reads a line of `--output-format stream-json`. */
export function readStream(state: GeminiState, record: Fields, emit: Emit): void {
  const at = text(record.timestamp);
  if (record.type !== "message" || record.role !== "assistant") flushMessage(state, at, emit);
  switch (record.type) {
    case "init":
      readInit(state, record, at, emit);
      break;
    case "message":
      readMessage(state, record, at, emit);
      break;
    case "tool_use":
      readCall(state, record, at, emit);
      break;
    case "tool_result":
      readResult(state, record, at, emit);
      break;
    case "result":
      readEnd(state, record, at, emit);
      break;
  }
}

function readInit(state: GeminiState, record: Fields, at: string | undefined, emit: Emit): void {
  state.session = text(record.session_id) ?? state.session;
  state.started = true;
  const model = text(record.model);
  emit({ type: "session.started", ...(model !== undefined && { model }) }, { key: at, at });
}

function readMessage(state: GeminiState, record: Fields, at: string | undefined, emit: Emit): void {
  const content = text(record.content);
  if (content === undefined) return;
  if (record.role === "user") {
    state.turn = true;
    emit({ type: "turn.started", prompt: shorten(content, 500) }, { key: at, at });
  } else if (record.role === "assistant") state.message = shorten(state.message + content, 501);
}

function flushMessage(state: GeminiState, at: string | undefined, emit: Emit): void {
  if (state.message.trim() !== "")
    emit({ type: "message", role: "assistant", text: shorten(state.message, 500) }, { at });
  state.message = "";
}

function readCall(state: GeminiState, record: Fields, at: string | undefined, emit: Emit): void {
  const name = text(record.tool_name);
  const id = text(record.tool_id);
  if (name === undefined || id === undefined) return;
  const call = { id, name, args: record.parameters, at };
  remember(state.open, id, { name, args: needsArgs(call) ? record.parameters : null });
  if (isListOrPlan(name)) proposePlan(state, call, emit);
  else emitToolStarted(call, emit);
}

/** Whether the arguments of a call are kept for its result. They can be large. */
function needsArgs(call: OpenCall): boolean {
  return isListOrPlan(call.name) || writesPlan(call);
}

function readResult(state: GeminiState, record: Fields, at: string | undefined, emit: Emit): void {
  const id = text(record.tool_id);
  const call = id === undefined ? undefined : forget(state.open, id);
  if (id === undefined || !call) return;
  const display = text(record.output);
  finishCall(
    state,
    {
      id,
      name: call.name,
      args: call.args,
      failed:
        record.status === "success"
          ? undefined
          : (text(fields(record.error)?.message) ?? display ?? "the call failed"),
      display,
      answer: undefined,
      at,
    },
    emit,
  );
}

function readEnd(state: GeminiState, record: Fields, at: string | undefined, emit: Emit): void {
  state.turn = false;
  readRunUsage(record, emit);
  const error = fields(record.error);
  if (record.status !== "error") emit({ type: "turn.completed" }, { key: at, at });
  else if (/cancel/i.test(text(error?.type) ?? ""))
    emit({ type: "turn.cancelled" }, { key: at, at });
  else {
    const message = shorten(text(error?.message) ?? "the run failed", 500);
    emit({ type: "turn.failed", message }, { key: at, at });
  }
}
