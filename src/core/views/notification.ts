import { findingKey } from "../activity/detect.ts";
import { STALL_POLICY } from "../activity/stall.ts";
import type { Waiting } from "../activity/waiting.ts";
import { stepsOf } from "../plan/steps.ts";
import { cutGraphemes } from "../text/escape.ts";
import { trackKey } from "../text/ids.ts";
import { type MergedTrack, parentKey } from "./merged.ts";
import { titleOf } from "./title.ts";
import { isFinished, progressOf } from "./view.ts";

export type NotificationKind = "needs you" | "finished" | "stalled" | "looping";

/** Something that a person wants to be told of while they look elsewhere. */
export interface Notification {
  readonly kind: NotificationKind;
  /** Of this one occurrence: the same as long as it stands. */
  readonly key: string;
  readonly at: number;
  readonly session: string;
  readonly agent: string;
  readonly agentType?: string;
  readonly title: string;
  readonly project: string;
  /** What is the matter, as a sentence without its end. */
  readonly fact: string;
}

type Found = Pick<Notification, "kind" | "at" | "fact"> & { readonly name: string };

/** What of a track deserves to be told of; `known` are the keys of all tracks. */
function notificationsOf(joined: MergedTrack, known: ReadonlySet<string>): readonly Notification[] {
  const { track } = joined;
  const { session, agent, agentType, cwd } = track;
  return foundIn(joined, known).map(({ kind, at, fact, name }) => ({
    kind,
    key: `${trackKey(track)} ${kind} ${name}`,
    at,
    session,
    agent,
    ...(agentType !== undefined && { agentType }),
    title: titleOf(joined),
    project: cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "",
    fact,
  }));
}

function foundIn(joined: MergedTrack, known: ReadonlySet<string>): readonly Found[] {
  const { track, plan, findings, activity, waiting, state } = joined;
  const found: Found[] = [];
  // The session of a subagent waits with it, and is notified about.
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
    // Whether it goes on before anybody comes is not known of a warning.
    if (kind !== "stalled" && level !== "critical") continue;
    const lastAt = activity?.lastAt ?? joined.updatedAt;
    if (kind !== "stalled")
      found.push({
        kind: "looping",
        at: lastAt,
        fact,
        name: `${findingKey(finding)} ${activity?.turnStartedAt ?? 0}`,
      });
    else if (!isSubagent(joined))
      found.push({
        kind: "stalled",
        at: joined.stallsAt ?? lastAt + STALL_POLICY.stallAfter,
        fact,
        name: String(lastAt),
      });
  }
  if (isFinished(track.todos) && !isSubagent(joined)) {
    const { completed, verified } = progressOf(track.todos);
    const proof =
      verified === 0
        ? "nothing verified"
        : verified === completed
          ? "all verified"
          : `${verified} verified, ${completed - verified} only claimed`;
    const at = Math.max(0, ...track.todos.map(({ finishedAt = 0 }) => finishedAt));
    found.push({
      kind: "finished",
      at,
      fact: `${completed} done, ${proof}`,
      name: `${track.list} ${at}`,
    });
  }
  return found;
}

/** Leaves room for where to answer. */
const MAX_ASKED = 140;

function planFact(text: string): string {
  const steps = stepsOf(text).length;
  const size = steps === 0 ? "a plan" : `a plan of ${steps} ${steps === 1 ? "step" : "steps"}`;
  return `${size} waits for your decision`;
}

function requestFact({ kind, text, tool }: Waiting): string {
  const what = cutGraphemes(text === "" ? (tool ?? "a tool") : text, MAX_ASKED);
  const asked = {
    permission: `asks for permission: ${what}`,
    question: `asks: ${what}`,
    plan: "a plan waits for your decision",
    maybe: "may be waiting for you",
  }[kind];
  return `${asked}${/[.?!]$/.test(asked) ? "" : "."} Answer in its terminal`;
}

/** What it comes to is told by whoever sent it. */
function isSubagent({ track: { parentAgent, agent } }: MergedTrack): boolean {
  return parentAgent !== undefined && parentAgent !== agent;
}

const REMEMBERED = 32;

/**
 * Tells of each occurrence once, and of none that began before; `since` says when that is by the
 * clock as it is set at the moment. What was seen then is known, also when the clock is set back.
 */
export function newNotifications(
  since: () => number,
): (tracks: readonly MergedTrack[]) => readonly Notification[] {
  const known = new Map<string, readonly string[]>();
  return (tracks) => {
    const began = since();
    const all = new Set(tracks.map(({ track }) => trackKey(track)));
    return tracks.flatMap((joined) => {
      const standing = notificationsOf(joined, all);
      if (standing.length === 0) return [];
      const track = trackKey(joined.track);
      const before = known.get(track) ?? [];
      const keys = standing.map(({ key }) => key);
      known.set(
        track,
        [...before.filter((key) => !keys.includes(key)), ...keys].slice(-REMEMBERED),
      );
      return standing.filter(({ key, at }) => at >= began && !before.includes(key));
    });
  };
}
