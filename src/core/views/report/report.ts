import { type AttributedPart, attributedParts } from "../../activity/session-usage.ts";
import { addCosts, NO_COST } from "../../cost/cost.ts";
import type { Event, Todo } from "../../model.ts";
import { evidenceLevelOf, isProven } from "../evidence.ts";
import { workedUntil } from "../merged.ts";
import { currentOf, isOpen } from "../view.ts";
import { matchCommits } from "./commits.ts";
import { costOfParts, costWeight, isUsedIn, partsIn, unpricedModels } from "./cost.ts";
import { headlineOf, summaryOf } from "./headline.ts";
import {
  type AgentCost,
  type DecidedPlan,
  OUTCOMES,
  type Report,
  type ReportEntry,
  type ReportInput,
  type ReportSession,
} from "./model.ts";
import { type Family, familiesOf, type Member, sessionOf } from "./sessions.ts";
import { isDisproved } from "./stuck.ts";
import { type ChangedTodo, isWithin } from "./todos.ts";
import { nounOf } from "./window.ts";

export type ReportGroup = "finished" | "unverified" | "open" | "stuck" | "needsYou" | "cancelled";

const MOST_LISTED = 5;

/** Computes the report of a window. Every todo that changed in it is in exactly one of the groups. */
export function reportOf(input: ReportInput): Report {
  const { tracks, window, commits = [], unreadLogs = [], prices } = input;
  const noun = input.noun ?? nounOf(window, input.timeZone);
  const families = familiesOf(tracks, window);
  const candidates = families.flatMap(({ members }) =>
    members.flatMap((member) =>
      member.changed.flatMap(({ todo, removed }) => (removed ? [] : [{ member, todo }])),
    ),
  );
  const sorted = commits.filter(({ at }) => isWithin(at, window)).sort((a, b) => a.at - b.at);
  const matched = matchCommits(sorted, candidates);
  const groups: Record<ReportGroup, ReportEntry[]> = {
    finished: [],
    unverified: [],
    open: [],
    stuck: [],
    needsYou: [],
    cancelled: [],
  };
  for (const family of families) {
    const parts = attributedParts(family.members.map(({ merged }) => merged));
    const used = parts.filter(({ at }) => isUsedIn(at, window));
    for (const member of family.members)
      addEntries(groups, member, family, input, { commits: matched.of, used });
  }
  const sessions = families
    .map((family) => {
      const own = new Set(family.members.flatMap(({ changed }) => changed.map(({ todo }) => todo)));
      const count = [...own].reduce((sum, todo) => sum + (matched.of.get(todo)?.length ?? 0), 0);
      return sessionOf(family, window, prices, count);
    })
    .sort((a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome));
  const parts = tracks.flatMap(({ merged }) => partsIn(merged.usage, window));
  const entries = Object.values(groups).flat();
  return {
    ...window,
    noun,
    ...headlineOf(sessions, noun),
    summary: summaryOf(sessions),
    sessions,
    ...groups,
    plans: families.flatMap((family) => family.members.flatMap((member) => plansOf(member, input))),
    commits: matched.listed,
    unreadLogs,
    cost: costOfParts(parts, prices),
    costByAgent: costByAgent(families, input),
    unpricedModels: unpricedModels(parts, prices),
    uncounted: uncounted(sessions),
    expensive: entries
      .filter(({ usage }) => costWeight(usage) > 0)
      .sort((a, b) => costWeight(b.usage) - costWeight(a.usage))
      .slice(0, MOST_LISTED),
    longest: entries
      .filter(({ durationMs = 0 }) => durationMs > 0)
      .sort((a, b) => (b.durationMs ?? 0) - (a.durationMs ?? 0))
      .slice(0, MOST_LISTED),
  };
}

interface Facts {
  readonly commits: ReturnType<typeof matchCommits>["of"];
  /** Usage of the session in the window. */
  readonly used: readonly AttributedPart[];
}

function addEntries(
  groups: Record<ReportGroup, ReportEntry[]>,
  member: Member,
  family: Family,
  { now, prices }: ReportInput,
  facts: Facts,
): void {
  const { merged, ref, changed, stuck } = member;
  const isWaiting = merged.state === "needs_you" && merged.waiting !== undefined;
  const current = currentOf(merged.track.todos) ?? merged.track.todos.find(isOpen);
  const usageOf = (todo: Todo) => {
    // Ids of earlier lists may be those of other todos, see `changedTodos`.
    const isKnown = merged.track.todos.includes(todo);
    const parts = facts.used.filter(
      (part) =>
        part.todo === todo.id && part.agent === ref.agent && (isKnown || part.text === todo.text),
    );
    return parts.length > 0 ? costOfParts(parts, prices) : undefined;
  };
  const reason = {
    ...(isWaiting && merged.waiting && { waiting: merged.waiting }),
    ...(stuck && { stuck }),
  };
  let isTold = false;
  for (const { todo, removed } of changed) {
    const isCurrent = todo === current && (isWaiting || stuck !== undefined);
    const group = groupOf({ todo, ...(removed && { removed }) }, isCurrent && isWaiting, isCurrent);
    const end = todo.status === "in_progress" ? workedUntil(merged, now) : todo.finishedAt;
    const usage = usageOf(todo);
    const own = facts.commits.get(todo);
    const why =
      group === "stuck" && !isCurrent ? { stuck: ownReason(todo) } : isCurrent ? reason : {};
    if (isCurrent) isTold = true;
    groups[group].push({
      ...ref,
      todo: todo.id,
      text: todo.text,
      status: removed ? "removed" : todo.status,
      ...(todo.status === "completed" && { level: evidenceLevelOf(todo) }),
      ...(todo.startedAt !== undefined && { startedAt: todo.startedAt }),
      ...(todo.finishedAt !== undefined && { finishedAt: todo.finishedAt }),
      ...(todo.startedAt !== undefined &&
        end !== undefined && { durationMs: Math.max(0, end - todo.startedAt) }),
      ...why,
      ...(usage && { usage }),
      ...(own && { commits: own }),
    });
  }
  // The request of a subagent is shown with the session that the user answers in.
  if (isTold || (isWaiting && member !== family.main && family.main.merged.state === "needs_you"))
    return;
  if (isWaiting || (stuck && stuck.kind !== "blocked" && !isProofFailure(member)))
    groups[isWaiting ? "needsYou" : "stuck"].push({ ...ref, text: ref.title, ...reason });
}

/** A failed run of Waymark belongs to its todo, which is in the group already if it changed. */
function isProofFailure({ changed }: Member): boolean {
  return changed.some(({ todo }) => isDisproved(todo));
}

function groupOf(
  { todo, removed }: ChangedTodo,
  isWaiting: boolean,
  isStuck: boolean,
): ReportGroup {
  if (removed || todo.status === "cancelled") return "cancelled";
  if (todo.status === "completed") {
    if (isDisproved(todo)) return "stuck";
    return isProven(todo) ? "finished" : "unverified";
  }
  if (isWaiting) return "needsYou";
  return isStuck || todo.status === "blocked" ? "stuck" : "open";
}

/** Why a todo that is not the current one counts as stuck. */
function ownReason({
  proof,
  blocker,
  status,
}: ChangedTodo["todo"]): NonNullable<ReportEntry["stuck"]> {
  if (status === "blocked" || !proof) return { kind: "blocked", on: blocker ?? "" };
  const { command, at, exitCode } = proof;
  return { kind: "failed check", on: command, since: at, ...(exitCode !== null && { exitCode }) };
}

function plansOf(
  { ref, events = [], merged }: Member,
  { window }: ReportInput,
): readonly DecidedPlan[] {
  const decided = events.flatMap(({ at, by, changes }: Event) =>
    changes.flatMap((change) =>
      change.type === "plan.decided" && isWithin(at, window)
        ? [{ ...ref, planId: change.planId, decision: change.decision, at, by: byOf(by) }]
        : [],
    ),
  );
  const { plan } = merged;
  const isKnown = decided.some(
    ({ planId, decision }) => planId === plan?.id && decision === plan.state,
  );
  if (!plan || isKnown || !isWithin(plan.decidedAt, window)) return decided;
  if (plan.state !== "approved" && plan.state !== "rejected") return decided;
  const at = plan.decidedAt ?? plan.at;
  return [...decided, { ...ref, planId: plan.id, decision: plan.state, at, by: "you" }];
}

/** In an agent's own program, the user decides as well. */
function byOf(by: Event["by"]): DecidedPlan["by"] {
  return by === "agent" ? "agent" : "you";
}

function costByAgent(
  families: readonly Family[],
  { window, prices }: ReportInput,
): readonly AgentCost[] {
  const sums = new Map<string, AgentCost["usage"]>();
  for (const { members } of families)
    for (const { merged } of members) {
      const parts = partsIn(merged.usage, window);
      if (parts.length === 0) continue;
      const type = merged.track.agentType ?? "";
      sums.set(type, addCosts(sums.get(type) ?? NO_COST, costOfParts(parts, prices)));
    }
  return [...sums]
    .map(([agentType, usage]) => ({ agentType, usage }))
    .sort((a, b) => costWeight(b.usage) - costWeight(a.usage));
}

function uncounted(sessions: readonly ReportSession[]): readonly string[] {
  const types = new Set(sessions.map(({ agentType = "" }) => agentType));
  for (const { agentType = "", usage } of sessions)
    if (usage.priced + usage.unpriced > 0) types.delete(agentType);
  return [...types].filter((type) => type !== "").sort();
}
