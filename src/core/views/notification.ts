import { findingKey } from "../activity/detect.ts";
import { STALL_POLICY } from "../activity/stall.ts";
import type { Waiting } from "../activity/waiting.ts";
import { evidenceStates, finishedEvidence, stateFacts } from "../checks/evidence-state.ts";
import { stepsOf } from "../plan/steps.ts";
import { cutGraphemes } from "../text/escape.ts";
import { trackKey } from "../text/ids.ts";
import { type MergedTrack, parentKey } from "./merged.ts";
import { titleOf } from "./title.ts";
import { isFinished, progressOf } from "./view.ts";

export type NotificationKind = "needs you" | "finished" | "stalled" | "looping";

/** A reason to notify the user. */
export interface Notification {
  readonly kind: NotificationKind;
  /** Identifies this occurrence; stable while it lasts. */
  readonly key: string;
  readonly at: number;
  readonly session: string;
  readonly agent: string;
  readonly agentType?: string;
  readonly title: string;
  readonly project: string;
  /** The reason, as a sentence without the final period. */
  readonly fact: string;
}

type Found = Pick<Notification, "kind" | "at" | "fact"> & { readonly name: string };

/** The notifications of a track. `known` are the keys of all tracks. */
function notificationsOf(merged: MergedTrack, known: ReadonlySet<string>): readonly Notification[] {
  const { track } = merged;
  const { session, agent, agentType, cwd } = track;
  return foundIn(merged, known).map(({ kind, at, fact, name }) => ({
    kind,
    key: `${trackKey(track)} ${kind} ${name}`,
    at,
    session,
    agent,
    ...(agentType !== undefined && { agentType }),
    title: titleOf(merged),
    project: cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "",
    fact,
  }));
}

function foundIn(merged: MergedTrack, known: ReadonlySet<string>): readonly Found[] {
  const { track, plan, findings, activity, waiting, state } = merged;
  const found: Found[] = [];
  // The session of a subagent waits too and gets its own notification.
  if (state === "needs_you" && waiting && parentKey(track, known) === undefined)
    found.push({
      kind: "needs you",
      at: waiting.since,
      fact: plan?.state === "proposed" ? planFact(plan.text) : requestFact(waiting),
      // Hooks and session files date the same request differently.
      name:
        plan?.state === "proposed"
          ? `${plan.id} ${plan.at}`
          : `${waiting.kind} ${activity?.waiting?.callId ?? waiting.since}`,
    });
  for (const finding of findings) {
    const { kind, level, message: fact } = finding;
    // A warning may resolve itself, so only critical loops notify.
    if (kind !== "stalled" && level !== "critical") continue;
    const lastAt = activity?.lastAt ?? merged.updatedAt;
    if (kind !== "stalled")
      found.push({
        kind: "looping",
        at: lastAt,
        fact,
        name: `${findingKey(finding)} ${activity?.turnStartedAt ?? 0}`,
      });
    else if (!isSubagent(merged))
      found.push({
        kind: "stalled",
        at: merged.stallsAt ?? lastAt + STALL_POLICY.stallAfter,
        fact,
        name: String(lastAt),
      });
  }
  if (isFinished(track.todos) && !isSubagent(merged)) {
    const { completed } = progressOf(track.todos);
    const evidence =
      finishedEvidence(track.todos) ?? stateFacts(evidenceStates(track.todos)).join(", ");
    const at = Math.max(0, ...track.todos.map(({ finishedAt = 0 }) => finishedAt));
    found.push({
      kind: "finished",
      at,
      fact: `${completed} done, ${evidence}`,
      name: `${track.list} ${at}`,
    });
  }
  return found;
}

/** Leaves space for where to answer. */
const MAX_ASKED = 140;

function planFact(text: string): string {
  const steps = stepsOf(text).length;
  const size = steps === 0 ? "a plan" : `a plan with ${steps} ${steps === 1 ? "step" : "steps"}`;
  return `${size} is waiting for your decision`;
}

function requestFact({ kind, text, tool }: Waiting): string {
  const what = cutGraphemes(text === "" ? (tool ?? "a tool") : text, MAX_ASKED);
  const asked = {
    permission: `asks for permission: ${what}`,
    question: `asks: ${what}`,
    plan: "a plan is waiting for your decision",
    maybe: "may be waiting for you",
  }[kind];
  return `${asked}${/[.?!]$/.test(asked) ? "" : "."} Answer in its terminal`;
}

/** The result of a subagent is reported by its parent. */
function isSubagent({ track: { parentAgent, agent } }: MergedTrack): boolean {
  return parentAgent !== undefined && parentAgent !== agent;
}

const REMEMBERED = 32;

/**
 * Returns a function that reports each occurrence once, and none that began before `since`, read from the
 * current clock. Occurrences that were seen stay known if the clock is set back.
 */
export function newNotifications(
  since: () => number,
): (tracks: readonly MergedTrack[]) => readonly Notification[] {
  const known = new Map<string, readonly string[]>();
  return (tracks) => {
    const began = since();
    const all = new Set(tracks.map(({ track }) => trackKey(track)));
    return tracks.flatMap((merged) => {
      const standing = notificationsOf(merged, all);
      if (standing.length === 0) return [];
      const track = trackKey(merged.track);
      const before = known.get(track) ?? [];
      const keys = standing.map(({ key }) => key);
      known.set(
        track,
        [...before.filter((key) => !keys.includes(key)), ...keys].slice(-REMEMBERED),
      );
      // Occurrences in an archived session are known when it comes back.
      if (merged.archived) return [];
      return standing.filter(({ key, at }) => at >= began && !before.includes(key));
    });
  };
}
