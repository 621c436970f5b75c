import type { Event, Todo, Track } from "../model.ts";
import type { MergedTrack } from "../views/merged.ts";

/** The note of the user that asks an agent to prove a completed todo. The agent receives it once, like every edit. */
export const ASK_FOR_PROOF =
  "Prove this todo: run the check that would fail if it were not done, and send its result as evidence.";

/** Why the agent cannot be asked for proof through Waymark; undefined if it can. */
export function whyNotAsk(
  { track, hosted, state, machine, activity }: MergedTrack,
  agent: string,
): string | undefined {
  if (machine !== undefined) return `This session runs on ${machine}. Ask for proof there.`;
  if (state === "ended") return "The session has ended, so there is no agent to ask for proof.";
  if (!hosted) return `${agent} keeps its own list. Ask for proof in its terminal.`;
  if (track.agentAt === undefined && !activity)
    return "No agent has used this list yet, so there is none to ask for proof.";
  return undefined;
}

/** When the user last asked for proof of each todo, by id. `events` are those of the list, oldest first. */
export function askedForProof(events: readonly Event[]): ReadonlyMap<string, number> {
  const asked = new Map<string, number>();
  for (const { at, changes } of events)
    for (const change of changes)
      if (change.type === "todo.noted" && change.note === ASK_FOR_PROOF) asked.set(change.id, at);
  return asked;
}

/** Whether the todo has the request, and whether the agent has not received it yet. */
export function proofRequest(
  { unseen }: Pick<Track, "unseen">,
  { id, notes }: Pick<Todo, "id" | "notes">,
): "pending" | "delivered" | undefined {
  if (!notes?.includes(ASK_FOR_PROOF)) return undefined;
  const edit = unseen.find((each) => each.id === id);
  return edit?.notes?.includes(ASK_FOR_PROOF) ? "pending" : "delivered";
}
