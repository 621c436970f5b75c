import { evidenceStateOf } from "../checks/evidence-state.ts";
import { counted } from "../text/count.ts";
import type { MergedTrack } from "../views/merged.ts";
import { type Finding, findingKey } from "./detect.ts";
import type { SessionState } from "./session-state.ts";

/** Findings that a user can mute. */
export const MUTE_KINDS = ["stalled", "looping", "failing"] as const;
export type MuteKind = (typeof MUTE_KINDS)[number];

/** A decision of the user: one kind of finding of a session needs no attention. */
export interface Mute {
  readonly session: string;
  readonly kind: MuteKind;
  /** When the user decided. */
  readonly at: number;
  /** It ends then. */
  readonly until?: number;
  /** Identifies the findings that the user saw, by agent: it ends when they change. */
  readonly seen?: Readonly<Record<string, string>>;
}

/** A finding that the user muted. */
export interface MutedFinding {
  readonly kind: MuteKind;
  /** The facts in one sentence. */
  readonly message: string;
  /** Identifies this occurrence; stable while it lasts. */
  readonly key: string;
  readonly until?: number;
  /** It ends when the finding changes; without this and `until`, it lasts as long as the session. */
  readonly untilChange?: true;
}

export function muteKindOf({ kind }: Pick<Finding, "kind">): MuteKind {
  return kind === "stalled" ? "stalled" : "looping";
}

type Present = Pick<MutedFinding, "kind" | "message" | "key">;

/** Identifies a loop in one turn. */
export function loopKey(loop: Finding, turnStartedAt = 0): string {
  return `${findingKey(loop)} ${turnStartedAt}`;
}

/** The findings of a track that can be muted. */
function presentIn({ track, findings, activity }: MergedTrack): readonly Present[] {
  const failing = track.todos.filter(
    (todo) => todo.status === "completed" && evidenceStateOf(todo) === "failed",
  );
  return [
    ...findings.map((finding) => ({
      kind: muteKindOf(finding),
      message: finding.message,
      key:
        finding.kind === "stalled"
          ? String(activity?.lastAt ?? 0)
          : loopKey(finding, activity?.turnStartedAt),
    })),
    ...(failing.length > 0
      ? [
          {
            kind: "failing" as const,
            message: `${counted(failing.length, "check")} failing`,
            key: failing.map(({ id, proof }) => `${id} ${proof?.at ?? 0}`).join(),
          },
        ]
      : []),
  ];
}

/** The findings that the user sees now, muted or not, by kind and agent. */
export function seenFindings(
  tracks: readonly MergedTrack[],
): ReadonlyMap<MuteKind, Readonly<Record<string, string>>> {
  const seen = new Map<MuteKind, Record<string, string>>();
  for (const each of tracks)
    for (const { kind, key } of [...presentIn(each), ...(each.muted ?? [])])
      seen.set(kind, { ...seen.get(kind), [each.track.agent]: key });
  return seen;
}

function isMuted(mute: Mute, { kind, key }: Present, agent: string, now: number): boolean {
  if (mute.kind !== kind || (mute.until !== undefined && now >= mute.until)) return false;
  return mute.seen === undefined || mute.seen[agent] === key;
}

/** The findings of a session that a user may have muted, as far as a status line knows them. */
interface Noticed {
  readonly agent: string;
  /** When the agent was last active. */
  readonly heardAt: number;
  /** The key of its loop. */
  readonly loop?: string | undefined;
}

/** The muted kinds of a session of which only a summary is known. */
export function mutedKinds(
  mutes: readonly Mute[],
  { agent, heardAt, loop }: Noticed,
  now: number,
): ReadonlySet<MuteKind> {
  const applies = (mute: Mute): boolean => {
    if (isExpired(mute, now)) return false;
    if (mute.seen === undefined) return true;
    const seen = mute.seen[agent];
    // An agent that was silent since then has the same findings.
    return seen !== undefined && (heardAt <= mute.at || (mute.kind === "looping" && seen === loop));
  };
  return new Set(mutes.filter(applies).map(({ kind }) => kind));
}

/** Whether a mute can never apply again. */
export function isExpired({ until }: Mute, now: number): boolean {
  return until !== undefined && now >= until;
}

/**
 * Moves muted findings to `muted`: they no longer count, notify or set the state. A muted session is shown as
 * working.
 */
export function withMutes<T extends MergedTrack>(
  tracks: readonly T[],
  mutes: readonly Mute[],
  now: number,
): readonly T[] {
  if (mutes.length === 0) return tracks;
  const sessions = new Map<string, Mute[]>();
  for (const mute of mutes)
    sessions.set(mute.session, [...(sessions.get(mute.session) ?? []), mute]);
  return tracks.map((each) => {
    const own = sessions.get(each.track.session);
    return own ? muted(each, own, now) : each;
  });
}

function muted<T extends MergedTrack>(merged: T, mutes: readonly Mute[], now: number): T {
  const { findings, state, track } = merged;
  const found = presentIn(merged).flatMap((present) => {
    const mute = mutes.find((each) => isMuted(each, present, track.agent, now));
    return mute ? [formOf(mute, present)] : [];
  });
  if (found.length === 0) return merged;
  const kinds = new Set(found.map(({ kind }) => kind));
  const left = findings.filter((finding) => !kinds.has(muteKindOf(finding)));
  return {
    ...merged,
    findings: left,
    state: stateWithout(state, kinds, left.length > 0),
    muted: found,
  };
}

function formOf({ until, seen }: Mute, present: Present): MutedFinding {
  return {
    ...present,
    ...(until !== undefined && { until }),
    ...(seen && { untilChange: true }),
  };
}

/** The state of a session without its muted findings. */
export function stateWithout(
  state: SessionState,
  kinds: ReadonlySet<MuteKind>,
  hasOthers: boolean,
): SessionState {
  if (state === "stalled" && kinds.has("stalled")) return hasOthers ? "looping" : "working";
  return state === "looping" && kinds.has("looping") ? "working" : state;
}

/** Whether one kind of finding of a session is muted. */
export function hasMuted({ muted: all }: Pick<MergedTrack, "muted">, kind: MuteKind): boolean {
  return all?.some((each) => each.kind === kind) ?? false;
}

const LABELS: Readonly<Record<MuteKind, string>> = {
  stalled: "Stalled",
  looping: "Looping",
  failing: "Check failing",
};

export function muteLabel(kind: MuteKind): string {
  return LABELS[kind];
}

/** `until it changes`, `for this session`; undefined if it ends at a time. */
export function muteEnd({ until, untilChange }: MutedFinding): string | undefined {
  if (until !== undefined) return undefined;
  return untilChange ? "until it changes" : "for this session";
}
