import type { Activity } from "../../core/activity/activity.ts";
import type { Live } from "../../core/stream/fold.ts";
import { timeForm } from "../../core/views/json.ts";
import { lastActive, workedUntil } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { viewOf } from "../../core/views/view.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { TrackRow } from "../../surfaces/text/index.ts";
import { listForm } from "./list-form.ts";

/** A track as programs are given it, without the todos. */
export function trackForm(each: AnyTrack) {
  const { track, state, waiting, findings, updatedAt, machine } = each;
  const { agentType, parentAgent, cwd, mode } = track;
  const { todos: _, ...form } = listForm(track);
  const { name, model } = liveOf(each) ?? {};
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
    ...(waiting && { waiting: { ...waiting, since: timeForm(waiting.since) } }),
    findings,
    openedAt: timeForm(track.openedAt),
    updatedAt: timeForm(updatedAt),
  };
}

/** What the agent's own files tell, here or on its machine. */
export function liveOf({ foreign, relayed }: AnyTrack): Live | undefined {
  return foreign?.live ?? relayed?.live;
}

/** What an agent is doing and did last. */
export function activityForm(activity: Activity, live: Live | undefined, compactions: number) {
  const { version } = live ?? {};
  const { turn, turnStartedAt, lastAt, open, recent, counts } = activity;
  return {
    turn,
    turnStartedAt: timeForm(turnStartedAt),
    lastAt: timeForm(lastAt),
    ended: live?.ended ?? false,
    compactions,
    ...(version !== undefined && { version }),
    open: open.map(({ signature: _, edits: __, check: ___, ...call }) => callForm(call)),
    recent: recent.map(callForm),
    counts,
  };
}

type ToolCall = Live["activity"]["recent"][number];

function callForm({ startedAt, endedAt, ...call }: ToolCall) {
  return {
    ...call,
    startedAt: timeForm(startedAt),
    ...(endedAt !== undefined && { endedAt: timeForm(endedAt) }),
  };
}

/** A track as a line of the table. */
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
    ...(activity && {
      failed: activity.turn === "failed",
      heardAt: lastActive(each),
    }),
    activeAt: lastActive(each),
    ...(doing !== undefined && { doing }),
  };
}
