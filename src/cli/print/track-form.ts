import type { Activity } from "../../core/activity/activity.ts";
import type { MutedFinding } from "../../core/activity/mute.ts";
import type { TrackCost } from "../../core/cost/track-costs.ts";
import type { HandledStall } from "../../core/stalls/stall.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { trackKey } from "../../core/text/ids.ts";
import { isoTime } from "../../core/views/json.ts";
import { lastActive, workedUntil } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { viewOf } from "../../core/views/view.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { TrackRow } from "../../surfaces/text/index.ts";
import { usageForm } from "./cost-form.ts";
import { listForm } from "./list-form.ts";

/** JSON form of a track, without its todos. */
export function trackForm(each: AnyTrack, costs: TrackCosts = new Map()) {
  const { track, state, waiting, findings, muted, updatedAt, machine, archived } = each;
  const { agentType, parentAgent, cwd, mode } = track;
  const { todos: _, ...form } = listForm(track);
  const { name, model } = liveOf(each) ?? {};
  const cost = costs.get(trackKey(track));
  return {
    ...form,
    agentType: agentType ?? null,
    ...(machine !== undefined && { machine }),
    ...(parentAgent !== undefined && { parent: parentAgent, parentAgent }),
    cwd: cwd ?? null,
    title: titleOf(each),
    ...(name !== undefined && { name }),
    ...(model !== undefined && { model }),
    mode,
    state,
    ...(waiting && { waiting: { ...waiting, since: isoTime(waiting.since) } }),
    findings,
    ...(muted && { muted: muted.map(mutedForm) }),
    ...(track.stalls && { stalls: track.stalls.map(stallForm) }),
    openedAt: isoTime(track.openedAt),
    updatedAt: isoTime(updatedAt),
    ...(archived && { archived: true, archivedAt: isoTime(archived.at ?? 0) }),
    ...(cost && {
      usage: usageForm(cost.own),
      usageWithSubagents: usageForm(cost.withSubagents),
    }),
  };
}

/** Usage and cost by track key. */
export type TrackCosts = ReadonlyMap<string, TrackCost>;

/** State that was read from the agent's own files, here or on its machine. */
export function liveOf({ external, relayed }: AnyTrack): LiveTrack | undefined {
  return external?.live ?? relayed?.live;
}

/** JSON form of running and recent calls. */
export function activityForm(activity: Activity, live: LiveTrack | undefined, compactions: number) {
  const { version } = live ?? {};
  const { turn, turnStartedAt, lastAt, open, recent, counts } = activity;
  return {
    turn,
    turnStartedAt: isoTime(turnStartedAt),
    lastAt: isoTime(lastAt),
    ended: live?.ended ?? false,
    compactions,
    ...(version !== undefined && { version }),
    open: open.map(({ signature: _, edits: __, check: ___, ...call }) => callForm(call)),
    recent: recent.map(callForm),
    counts,
  };
}

type ToolCall = LiveTrack["activity"]["recent"][number];

function callForm({ startedAt, endedAt, ...call }: ToolCall) {
  return {
    ...call,
    startedAt: isoTime(startedAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
  };
}

/** A track as a table row. */
export function trackRow(each: AnyTrack, id: string, now: number): TrackRow {
  const { track, state, waiting, findings } = each;
  const view = viewOf(track, now, undefined, workedUntil(each, now));
  const live = liveOf(each);
  const activity = live?.activity ?? each.activity;
  const title = titleOf(each);
  const doing = activity?.open.at(-1)?.label;
  return {
    ...view,
    title: track.parentAgent === undefined ? title : `+ ${title}`,
    id,
    state,
    findings,
    ...(waiting && { waiting }),
    ...(each.archived && { archived: true }),
    ...(activity && {
      failed: activity.turn === "failed",
      heardAt: lastActive(each),
    }),
    activeAt: lastActive(each),
    ...(doing !== undefined && { doing }),
  };
}

/** JSON form of a stall and the steps that Waymark took. */
function stallForm({ kind, since, message, inside, steps }: HandledStall) {
  return {
    kind,
    since: isoTime(since),
    message,
    ...(inside !== undefined && { call: inside }),
    steps: steps.map((each) => ({
      ...each,
      at: isoTime(each.at),
      ...("until" in each && { until: isoTime(each.until) }),
      ...("deliveredAt" in each && { deliveredAt: isoTime(each.deliveredAt ?? 0) }),
    })),
  };
}

function mutedForm({ kind, message, until, untilChange }: MutedFinding) {
  return {
    kind,
    message,
    ...(until !== undefined && { until: isoTime(until) }),
    ...(untilChange && { untilChange }),
  };
}
