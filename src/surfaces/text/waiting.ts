import type { WaitingKind } from "../../core/activity/waiting.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { agentLook } from "./agents.ts";

/** What a request is called, on every surface. */
export const REQUEST_WORDS: Readonly<Record<WaitingKind, string>> = {
  permission: "needs permission",
  question: "asks you",
  plan: "plan waits",
  maybe: "may be waiting for you",
};

/** `Answer in the terminal of NAME.`, with the machine where it is another one. */
export function whereToAnswer({ track, machine }: Pick<MergedTrack, "track" | "machine">): string {
  const name = agentLook(track.agentType).name || "the agent";
  return `Answer in the terminal of ${name}${machine === undefined ? "" : ` on ${machine}`}.`;
}
