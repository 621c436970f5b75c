import type { Emit } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, text } from "../common/values.ts";
import { readPlan, readPlanRemoved, readPlanUpdate } from "./plan.ts";
import { type AcpState, contextOf, emitStarted } from "./state.ts";
import { readToolCall } from "./tool-call.ts";

const MAX_TEXT = 500;

/** Reads a `session/update` of v1, unstable v1 or the draft of v2. */
export function readUpdate(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const kind = text(update.sessionUpdate);
  if (kind === "agent_message_chunk") {
    appendChunk(state, session, text(fields(update.content)?.text) ?? "");
    return;
  }
  if (kind === "agent_thought_chunk" || kind === "usage_update") return;
  flushMessage(state, session, emit);
  switch (kind) {
    case "plan":
      readPlan(state, session, update, emit);
      return;
    case "plan_update":
      readPlanUpdate(state, session, update, emit);
      return;
    case "plan_removed":
      readPlanRemoved(state, session, update, emit);
      return;
    case "tool_call":
    case "tool_call_update":
      readToolCall(state, session, update, emit);
      return;
    case "current_mode_update":
      setMode(state, session, text(update.currentModeId), emit);
      return;
    case "state_update":
      readState(state, session, update, emit);
      return;
    case "compaction_update":
      if (update.status === "completed")
        emit(
          { type: "session.compacted" },
          { ...contextOf(state, session), key: text(update.compactionId) },
        );
      return;
    case "subagent_update": {
      const child = text(update.sessionId);
      if (child !== undefined)
        emitStarted(
          state,
          child,
          { parent: session, title: text(update.title), cwd: text(update.cwd) },
          emit,
        );
      return;
    }
  }
}

function appendChunk(state: AcpState, session: string, chunk: string): void {
  const message = recall(state.chunks, session) ?? "";
  // One character more than is shown, so that `shorten` marks the cut.
  if (message.length <= MAX_TEXT)
    remember(state.chunks, session, (message + chunk).slice(0, MAX_TEXT + 1));
}

export function flushMessage(state: AcpState, session: string, emit: Emit): void {
  const message = forget(state.chunks, session);
  if (!message) return;
  emit(
    { type: "message", role: "assistant", text: shorten(message, MAX_TEXT) },
    { ...contextOf(state, session), key: String(++state.messages) },
  );
}

/** Agents define their own modes. One named "plan" is plan mode. */
export function setMode(
  state: AcpState,
  session: string,
  mode: string | undefined,
  emit: Emit,
): void {
  if (mode === undefined) return;
  const plan = /(?:^|[^a-z])plan$/i.test(mode);
  const was = recall(state.planning, session) === true;
  if (plan === was) return;
  if (plan) remember(state.planning, session, true);
  else forget(state.planning, session);
  emit({ type: "mode.changed", mode: plan ? "plan" : "work" }, contextOf(state, session));
}

function readState(state: AcpState, session: string, update: Fields, emit: Emit): void {
  if (update.state === "running") startTurn(state, session, undefined, emit);
  else if (update.state === "idle" && recall(state.turns, session))
    endTurn(state, session, text(update.stopReason), fields(update.error), emit);
}

export function startTurn(
  state: AcpState,
  session: string,
  prompt: string | undefined,
  emit: Emit,
): void {
  if (recall(state.turns, session)) return;
  remember(state.turns, session, true);
  emit(
    { type: "turn.started", ...(prompt !== undefined && { prompt: shorten(prompt, 500) }) },
    contextOf(state, session),
  );
}

export function endTurn(
  state: AcpState,
  session: string,
  reason: string | undefined,
  error: Fields | undefined,
  emit: Emit,
): void {
  forget(state.turns, session);
  flushMessage(state, session, emit);
  const context = contextOf(state, session);
  if (error || reason === "error" || reason === "refusal")
    emit({ type: "turn.failed", message: text(error?.message) ?? reason ?? "failed" }, context);
  else emit({ type: reason === "cancelled" ? "turn.cancelled" : "turn.completed" }, context);
}
