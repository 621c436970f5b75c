import type { Emit } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, text } from "../common/values.ts";
import { readPlan, readPlanRemoved, readPlanUpdate } from "./plan.ts";
import { type AcpState, about, emitStarted } from "./state.ts";
import { readToolCall } from "./tool-call.ts";

const MAX_SAID = 500;

/** The update of a `session/update`, of v1, its unstable part, or the draft of v2. */
export function readUpdate(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const kind = text(update.sessionUpdate);
  if (kind === "agent_message_chunk") {
    hear(state, session, text(fields(update.content)?.text) ?? "");
    return;
  }
  if (kind === "agent_thought_chunk" || kind === "usage_update") return;
  endSaying(state, session, emit);
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
          { ...about(state, session), key: text(update.compactionId) },
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

function hear(state: AcpState, session: string, piece: string): void {
  const said = recall(state.saying, session) ?? "";
  // One more than is shown, so that what was cut looks cut.
  if (said.length <= MAX_SAID)
    remember(state.saying, session, (said + piece).slice(0, MAX_SAID + 1));
}

export function endSaying(state: AcpState, session: string, emit: Emit): void {
  const said = forget(state.saying, session);
  if (!said) return;
  emit(
    { type: "message", role: "assistant", text: shorten(said, MAX_SAID) },
    { ...about(state, session), key: String(++state.messages) },
  );
}

/** Modes are the agent's own; one that is called plan is the one in which nothing is done yet. */
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
  emit({ type: "mode.changed", mode: plan ? "plan" : "work" }, about(state, session));
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
    about(state, session),
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
  endSaying(state, session, emit);
  const who = about(state, session);
  if (error || reason === "error" || reason === "refusal")
    emit({ type: "turn.failed", message: text(error?.message) ?? reason ?? "failed" }, who);
  else emit({ type: reason === "cancelled" ? "turn.cancelled" : "turn.completed" }, who);
}
