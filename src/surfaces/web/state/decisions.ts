import type { TrackId } from "../../../core/model.ts";
import { planFingerprint } from "../../../core/plan/decide.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { UNDO_MS } from "./undo.ts";
import { withoutKey } from "./without-key.ts";

/** A plan that the user decided on. */
interface Decision {
  /** The fingerprint of the plan. */
  readonly plan: string;
  readonly state: "approved" | "rejected";
}

/** Decisions on plans that were made on any tab and can still be undone, by track key. */
export type Decisions = ReadonlyMap<string, Decision>;

interface Change {
  readonly key: string;
  /** Absent if the decision was undone or sent. */
  readonly decision?: Decision;
}

const CHANNEL = "waymark-decisions";
/** A tab that crashed never says how its decision ended. */
const FORGOTTEN_AFTER = UNDO_MS + 10_000;

let decisions: Decisions = new Map();
const listeners = new Set<() => void>();
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : undefined;

function apply({ key, decision }: Change): void {
  decisions =
    decision === undefined ? withoutKey(decisions, key) : new Map(decisions).set(key, decision);
  for (const listener of listeners) listener();
  if (decision === undefined) return;
  setTimeout(() => {
    if (decisions.get(key) === decision) apply({ key });
  }, FORGOTTEN_AFTER);
}

channel?.addEventListener("message", ({ data }: MessageEvent<Change>) => apply(data));

/** Tells all tabs that a plan is decided, until the returned function is called. */
export function announceDecision(id: TrackId, decision: Decision): () => void {
  const tell = (change: Change): void => {
    channel?.postMessage(change);
    apply(change);
  };
  const key = trackKey(id);
  tell({ key, decision });
  return () => tell({ key });
}

export function pendingDecisions(): Decisions {
  return decisions;
}

export function onDecisions(listener: () => void): void {
  listeners.add(listener);
}

/** The decision on a plan that the user can still undo. */
export function decisionOn(
  pending: Decisions,
  key: string,
  plan: Plan | undefined,
): Decision["state"] | undefined {
  if (plan?.state !== "proposed") return undefined;
  const decision = pending.get(key);
  return decision?.plan === planFingerprint(plan) ? decision.state : undefined;
}

/** The tracks as they are once pending decisions are sent. */
export function decided(
  tracks: ReadonlyMap<string, MergedTrack>,
  pending: Decisions,
): readonly MergedTrack[] {
  if (pending.size === 0) return [...tracks.values()];
  return [...tracks].map(([key, merged]) => {
    const { waiting: _, ...rest } = merged;
    const { plan, activity } = rest;
    const decision = decisionOn(pending, key, plan);
    if (!plan || !decision) return merged;
    const state = activity?.turn === "running" ? "working" : "idle";
    return { ...rest, plan: { ...plan, state: decision }, state };
  });
}
