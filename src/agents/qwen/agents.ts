import type { Emit, EventContext } from "../agent.ts";
import { recall, remember } from "../common/memory.ts";
import { fields, text } from "../common/values.ts";
import type { QwenState } from "./state.ts";

export interface Announcement {
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly version?: string | undefined;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
}

/** Emits the start of an agent, once. */
export function announce(
  state: QwenState,
  facts: Announcement,
  context: EventContext,
  emit: Emit,
): void {
  const agent = context.agentId ?? state.agent;
  if (recall(state.started, agent)) return;
  remember(state.started, agent, true);
  const given = Object.entries(facts).filter(([, value]) => value !== undefined);
  emit(
    {
      type: "session.started",
      ...Object.fromEntries(given),
      ...(agent !== "main" && { parentId: state.parent || "main" }),
    },
    { ...context, key: "start" },
  );
}

/**
 * The id of the subagent that a call started: its kind and the id of the call, as in transcripts, file names and the
 * stream of newer versions.
 */
export function agentOfCall(state: QwenState, callId: string): string {
  const known = recall(state.agents, callId);
  if (known !== undefined) return known;
  const args = fields(recall(state.open, callId)?.args);
  const agent = `${text(args?.subagent_type) ?? "general-purpose"}-${callId}`;
  remember(state.agents, callId, agent);
  return agent;
}

/** The id of a subagent that a record names. If exactly one call of a subagent is pending, it is that one. */
export function agentOfName(state: QwenState, name: string): string {
  const known = recall(state.agents, name);
  if (known !== undefined) return known;
  const running = state.open.filter(([, call]) => call.name === "agent");
  const [callId] = running.length === 1 ? (running[0] ?? []) : [];
  const agent = callId === undefined ? name : agentOfCall(state, callId);
  remember(state.agents, name, agent);
  return agent;
}
