import { STALL_POLICY, type StallPolicy } from "../../core/activity/stall.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { type ReceivedTrack, relayedSession } from "../../core/views/relayed.ts";
import { mergeTracks } from "../merge.ts";

/** Merges the tracks of other machines. They cannot be edited from here. */
export function mergeRelayed<R extends ReceivedTrack>(
  arrived: readonly R[],
  now: number,
  policy: StallPolicy = STALL_POLICY,
): readonly (MergedTrack & { readonly relayed: R; readonly machine: string })[] {
  const machines = new Map<string, R[]>();
  for (const each of arrived) {
    const family = machines.get(each.machine);
    if (family) family.push(each);
    else machines.set(each.machine, [each]);
  }
  return [...machines].flatMap(([machine, family]) => {
    const silent = family.filter(({ live }) => live.activity.lastAt === 0);
    const active = family.filter(({ live }) => live.activity.lastAt > 0);
    const merged = [
      ...mergeTracks([], active, now, policy),
      // Without activity of the agent, only its list shows whether it works.
      ...silent.flatMap((each) =>
        mergeTracks([each.live.track], [], now, policy).map((track) => ({
          ...track,
          external: each,
          ...(each.live.plan && { plan: each.live.plan }),
          ...(each.live.ended && track.state !== "finished" && { state: "ended" as const }),
        })),
      ),
    ];
    return merged.flatMap(({ external, ...each }) => {
      if (!external) return [];
      const session = relayedSession(each.track.session, machine);
      return {
        ...each,
        track: { ...each.track, session },
        hosted: false,
        machine,
        relayed: external,
      };
    });
  });
}
