import type { TrackId } from "../../../core/model.ts";
import { planFingerprint } from "../../../core/plan/decide.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { UNDO_MS } from "./undo.ts";
import { withoutKey } from "./without-key.ts";

/** Plans that the user rejected on any tab and that can still be undone: fingerprints by track key. */
export type Rejections = ReadonlyMap<string, string>;

interface Decision {
  readonly key: string;
  /** The fingerprint of the rejected plan; absent if the rejection was undone or sent. */
  readonly plan?: string;
}

const CHANNEL = "waymark-decisions";
/** A tab that crashed never says how its decision ended. */
const FORGOTTEN_AFTER = UNDO_MS + 10_000;

let rejections: Rejections = new Map();
const listeners = new Set<() => void>();
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : undefined;

function apply({ key, plan }: Decision): void {
  rejections =
    plan === undefined ? withoutKey(rejections, key) : new Map(rejections).set(key, plan);
  for (const listener of listeners) listener();
  if (plan === undefined) return;
  setTimeout(() => {
    if (rejections.get(key) === plan) apply({ key });
  }, FORGOTTEN_AFTER);
}

channel?.addEventListener("message", ({ data }: MessageEvent<Decision>) => apply(data));

/** Tells all tabs that a plan is rejected, until the returned function is called. */
export function announceRejection(id: TrackId, plan: string): () => void {
  const decide = (decision: Decision): void => {
    channel?.postMessage(decision);
    apply(decision);
  };
  const key = trackKey(id);
  decide({ key, plan });
  return () => decide({ key });
}

export function pendingRejections(): Rejections {
  return rejections;
}

export function onRejections(listener: () => void): void {
  listeners.add(listener);
}

/** The tracks as they are once pending rejections are sent. */
export function decided(
  tracks: ReadonlyMap<string, MergedTrack>,
  rejected: Rejections,
): readonly MergedTrack[] {
  if (rejected.size === 0) return [...tracks.values()];
  return [...tracks].map(([key, merged]) => {
    const { plan, activity } = merged;
    if (plan?.state !== "proposed" || rejected.get(key) !== planFingerprint(plan)) return merged;
    const { waiting: _, ...rest } = merged;
    const state = activity?.turn === "running" ? "working" : "idle";
    return { ...rest, plan: { ...plan, state: "rejected" }, state };
  });
}
