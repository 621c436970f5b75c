import { isActive, isStuck } from "../../activity/session-state.ts";
import { addCosts, NO_COST } from "../../cost/cost.ts";
import type { Prices } from "../../cost/price.ts";
import type { Todo } from "../../model.ts";
import { stepsOf } from "../../plan/steps.ts";
import { trackKey } from "../../text/ids.ts";
import { evidenceLevelOf, isProven } from "../evidence.ts";
import { lastActive, parentKey } from "../merged.ts";
import { titleOf } from "../title.ts";
import { isFinished, isOpen } from "../view.ts";
import { costIn } from "./cost.ts";
import type {
  Outcome,
  ReportedTrack,
  ReportSession,
  ReportWindow,
  SessionRef,
  Stuck,
} from "./model.ts";
import { isDisproved, stuckOf } from "./stuck.ts";
import { type ChangedTodo, changedTodos } from "./todos.ts";

/** A track with the todos that changed and the reason why it is stuck. */
export interface Member extends ReportedTrack {
  readonly ref: SessionRef;
  readonly changed: readonly ChangedTodo[];
  readonly stuck: Stuck | undefined;
}

/** A session: the agent that the user talks to, and its subagents. */
export interface Family {
  readonly main: Member;
  readonly members: readonly Member[];
}

/** Groups tracks by session, newest first. */
export function familiesOf(
  tracks: readonly ReportedTrack[],
  window: ReportWindow,
): readonly Family[] {
  const keys = new Map(tracks.map((each) => [trackKey(each.merged.track), each]));
  const families = new Map<string, Member[]>();
  for (const each of tracks) {
    const top = topKey(each, keys);
    const family = families.get(top) ?? [];
    family.push(memberOf(each, window, trackKey(each.merged.track) === top));
    families.set(top, family);
  }
  return [...families]
    .flatMap(([key, members]) => {
      const main = members.find(({ merged }) => trackKey(merged.track) === key) ?? members[0];
      return main ? [{ main, members }] : [];
    })
    .sort((a, b) => lastActive(b.main.merged) - lastActive(a.main.merged));
}

/** The key of the track at the top of the family. Bounded: parents of hostile files may form a circle. */
function topKey(each: ReportedTrack, keys: ReadonlyMap<string, ReportedTrack>): string {
  const seen = new Set<string>();
  let key = trackKey(each.merged.track);
  for (;;) {
    seen.add(key);
    const track = keys.get(key)?.merged.track;
    const parent = track && parentKey(track, keys);
    if (parent === undefined || seen.has(parent))
      return parent !== undefined ? smallest(seen) : key;
    key = parent;
  }
}

/** The same for every member of a circle. */
function smallest(keys: ReadonlySet<string>): string {
  return [...keys].sort()[0] ?? "";
}

function memberOf(each: ReportedTrack, window: ReportWindow, isMain: boolean): Member {
  // A subagent that failed is over: its parent continues with or without its result.
  const stuck = isMain || isStuck(each.merged.state) ? stuckOf(each) : undefined;
  return { ...each, ref: refOf(each), changed: changedTodos(each, window), stuck };
}

function refOf({ merged }: ReportedTrack): SessionRef {
  const { session, agent, agentType, cwd } = merged.track;
  return {
    session,
    agent,
    ...(agentType !== undefined && { agentType }),
    title: titleOf(merged),
    project: cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "",
    ...(cwd !== undefined && { cwd }),
    ...(merged.machine !== undefined && { machine: merged.machine }),
  };
}

export function sessionOf(
  { main, members }: Family,
  window: ReportWindow,
  prices: Prices | undefined,
  commits: number,
): ReportSession {
  const { merged, ref } = main;
  const { waiting, plan, state, activity } = merged;
  const todos = listOf(main, members);
  const done = todos.filter(({ status }) => status === "completed");
  const stuck = main.stuck ?? members.find((member) => member.stuck)?.stuck;
  const outcome = outcomeOf({ main, members }, todos, stuck);
  const makesNoProgress = outcome === "failed" || outcome === "stuck";
  const checks = done.flatMap(({ check }) => (check ? [check] : []));
  const check = checks.sort((a, b) => b.at - a.at)[0];
  return {
    ...ref,
    outcome,
    completed: done.length,
    total: todos.filter(({ status }) => status !== "cancelled").length,
    proven: done.filter(isProven).length,
    reproduced: done.filter((todo) => isProven(todo) && evidenceLevelOf(todo) === "reproduced")
      .length,
    open: todos.filter(isOpen).length,
    ...(makesNoProgress && stuck && { stuck }),
    ...(outcome === "waiting" && waiting && { waiting }),
    ...(outcome === "waiting" &&
      plan?.state === "proposed" && { plan: { id: plan.id, steps: stepsOf(plan.text).length } }),
    ...(check && { check: { command: check.command, at: check.at } }),
    ...(activity?.edits && { lastEditAt: activity.edits.at }),
    ...spanOf(members, window),
    isActive: isActive(state),
    usage: members
      .map((member) => costIn(member.merged.usage, window, prices))
      .reduce(addCosts, NO_COST),
    commits,
  };
}

/** The todos that decide how the session stands: its main list, otherwise those of its subagents. */
function listOf(main: Member, members: readonly Member[]): readonly Todo[] {
  const own = main.merged.track.todos;
  return own.length > 0 ? own : members.flatMap(({ merged }) => merged.track.todos);
}

const FAILURES: readonly Stuck["kind"][] = ["failed turn", "failed check"];

function outcomeOf(
  { main, members }: Family,
  todos: readonly Todo[],
  stuck: Stuck | undefined,
): Outcome {
  if (main.merged.state === "needs_you") return "waiting";
  if (stuck) return FAILURES.includes(stuck.kind) ? "failed" : "stuck";
  if (todos.length === 0) return "no list";
  if (todos.some(isOpen)) return "open";
  const isChanged = members.some(({ changed }) => changed.length > 0);
  if (!isChanged || !isFinished(todos)) return "unchanged";
  const isAllProven = todos.every((todo) => todo.status !== "completed" || isProven(todo));
  return isAllProven && !todos.some(isDisproved) ? "proven" : "unproven";
}

/** First and last activity in the window, as far as it is known. */
function spanOf(members: readonly Member[], { since, until }: ReportWindow) {
  const inside = (at: number) => Math.min(until, Math.max(since, at));
  const starts = members.map(({ merged, timeline, events = [] }) => {
    const times = [
      timeline?.calls.find(({ at }) => at >= since)?.at,
      timeline?.happenings.find(({ at }) => at >= since)?.at,
      events.find(({ at }) => at >= since)?.at,
    ].filter((at) => at !== undefined);
    return times.length > 0 ? Math.min(...times) : merged.track.openedAt;
  });
  return {
    from: inside(Math.min(...starts)),
    to: inside(Math.max(...members.map(({ merged }) => lastActive(merged)))),
  };
}
