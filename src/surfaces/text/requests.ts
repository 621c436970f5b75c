import type { WaitingKind } from "../../core/activity/waiting.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { agentLook } from "./agents.ts";

/** The kinds of requests to the user, on every surface. */
export const REQUEST_LABELS: Readonly<Record<WaitingKind, string>> = {
  permission: "permission",
  question: "question",
  plan: "plan",
  maybe: "may be waiting",
};

/** `Answer in the NAME terminal.`, with the machine if the agent runs on another one. */
export function whereToAnswer({ track, machine }: Pick<MergedTrack, "track" | "machine">): string {
  const name = agentLook(track.agentType).name || "agent's";
  return `Answer in the ${name} terminal${machine === undefined ? "" : ` on ${machine}`}.`;
}
