import type { About, Emit } from "../agent.ts";
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

/** Says once that an agent is there. */
export function announce(state: QwenState, said: Announcement, who: About, emit: Emit): void {
  const agent = who.agentId ?? state.agent;
  if (recall(state.started, agent)) return;
  remember(state.started, agent, true);
  const given = Object.entries(said).filter(([, value]) => value !== undefined);
  emit(
    {
      type: "session.started",
      ...Object.fromEntries(given),
      ...(agent !== "main" && { parentId: state.parent || "main" }),
    },
    { ...who, key: "start" },
  );
}

/**
 * The subagent that a call started. Transcripts and files call it by its kind and the id of the
 * call; so does the stream of newer versions.
 */
export function agentOfCall(state: QwenState, callId: string): string {
  const known = recall(state.agents, callId);
  if (known !== undefined) return known;
  const args = fields(recall(state.open, callId)?.args);
  const agent = `${text(args?.subagent_type) ?? "general-purpose"}-${callId}`;
  remember(state.agents, callId, agent);
  return agent;
}

/** A subagent that the record names itself: the one call under way tells which it is. */
export function agentOfName(state: QwenState, name: string): string {
  const known = recall(state.agents, name);
  if (known !== undefined) return known;
  const running = state.open.filter(([, call]) => call.name === "agent");
  const [callId] = running.length === 1 ? (running[0] ?? []) : [];
  const agent = callId === undefined ? name : agentOfCall(state, callId);
  remember(state.agents, name, agent);
  return agent;
}
