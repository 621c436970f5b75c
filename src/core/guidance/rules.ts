/**
 * core/guidance: the texts for a model besides the answers to its calls. `counters` counts steps as events happen, `rules` decides which
 * reminder is due, `schedule` when one may be due next. The wording is in `prompts`, `tool-texts`, `reminder-texts` and
 * `refusal-texts`; `user-edits` describes changes of the user that the agent has not seen.
 */
import { findingKey } from "../activity/detect.ts";
import { TAMPER_NOTICE } from "../checks/tamper/texts.ts";
import type { GuidancePolicy } from "../list/policy.ts";
import type { Reminder, ReminderKind, ReminderMoment, Todo, Track } from "../model.ts";
import { joinText, line, type ModelText, modelText, quote } from "../text/model-text.ts";
import { evidenceLevelOf } from "../views/evidence.ts";
import { isOpen, progressOf } from "../views/view.ts";
import { block, type Entries, entriesOf } from "./block.ts";
import { checkFinding } from "./check-finding.ts";
import { collisionNotice } from "./collision-notice.ts";
import { emptyGuide, type Guide } from "./counters.ts";
import {
  ACT,
  ACT_ON,
  FIRST_CALL,
  findToolHint,
  isNativeTool,
  moreText,
  NEEDS_TOOL,
  openHeading,
  WHY,
} from "./reminder-texts.ts";
import { stallMessage } from "./stall-message.ts";
import { noteLines, progressText, todoText } from "./todo-text.ts";
import { describeEdits, hasUnseenEdits, type PlanUpdate, planUpdateOf } from "./user-edits.ts";

/** The facts about its host that a reminder needs. */
export interface ReminderContext {
  /** Random and known to this process alone, so that no other text can imitate the block. */
  readonly mark: string;
  /** The name that the model calls the list tool by; undefined if it has none. */
  readonly tool: string | undefined;
  /** The program hides tools until the model searches for them. */
  readonly search?: boolean;
  /** The time of the moment (default: the time of what the reminder is about). */
  readonly now?: number;
}

interface Now {
  readonly track: Track;
  readonly guide: Guide;
  readonly moment: ReminderMoment;
  readonly policy: GuidancePolicy;
  readonly context: ReminderContext;
}

interface Draft {
  readonly why: ModelText;
  /** The second line. */
  readonly progress?: ModelText;
  readonly data?: Entries;
  /** The action, if it depends on more than the kind. */
  readonly act?: ModelText;
  /** Keys of the findings it is about. */
  readonly about?: readonly string[];
}

interface Rule {
  readonly kind: ReminderKind;
  readonly moments: readonly ReminderMoment[];
  /** Also while the list is read-only because a plan is waiting. */
  readonly inPlanMode?: true;
  readonly due: (now: Now) => Draft | undefined;
}

/** In order of importance: only the first one that is due is sent. */
export const RULES: readonly Rule[] = [
  {
    kind: "recovery",
    moments: ["start", "resume", "compacted", "prompt", "step"],
    inPlanMode: true,
    due: recovery,
  },
  { kind: "introduction", moments: ["start"], inPlanMode: true, due: introduction },
  { kind: "changed", moments: ["resume", "prompt", "step"], inPlanMode: true, due: changed },
  {
    kind: "collision",
    moments: ["resume", "prompt", "call", "step"],
    inPlanMode: true,
    due: collision,
  },
  { kind: "planning", moments: ["prompt", "step"], inPlanMode: true, due: planning },
  { kind: "refused", moments: ["prompt", "step"], due: refused },
  { kind: "check", moments: ["resume", "write", "read", "step", "prompt"], due: check },
  { kind: "loop", moments: ["step"], inPlanMode: true, due: loop },
  { kind: "stalled", moments: ["prompt", "step"], inPlanMode: true, due: stalled },
  { kind: "evidence", moments: ["write", "step", "prompt"], due: evidence },
  { kind: "edits", moments: ["step"], due: edits },
  { kind: "stale", moments: ["prompt", "step"], due: stale },
  { kind: "initial", moments: ["prompt"], due: initial },
  { kind: "empty", moments: ["prompt", "step"], due: empty },
  { kind: "stop", moments: ["stop"], due: stop },
];

/** The reminder that is due at this moment, if any: at most one, bounded block. Its cost does not grow with the history. */
export function reminderFor(
  track: Track,
  moment: ReminderMoment,
  policy: GuidancePolicy,
  context: ReminderContext,
): Reminder | undefined {
  const guide = track.guide ?? emptyGuide();
  const now: Now = { track, guide, moment, policy, context };
  for (const { kind, moments, inPlanMode, due } of RULES) {
    if (!moments.includes(moment) || policy.off.includes(kind)) continue;
    if (track.mode === "plan" && !inPlanMode) continue;
    if (context.tool === undefined && NEEDS_TOOL.has(kind)) continue;
    const draft = due(now);
    const text = draft && render(kind, draft, now);
    if (text !== undefined)
      return { kind, text, ...(draft?.about && { about: draft.about }), isMeta: true };
  }
  return undefined;
}

const NOTHING: Entries = { count: 0, at: () => [] };

function render(kind: ReminderKind, draft: Draft, { policy, context }: Now): ModelText | undefined {
  const { mark, tool, search = false } = context;
  const act = draft.act ?? ACT[kind](tool);
  const find = search && FIRST_CALL.has(kind) && tool !== undefined ? [findToolHint(tool)] : [];
  return block(mark, policy.caps[kind], {
    head: [draft.why, ...(draft.progress === undefined ? [] : [draft.progress])],
    data: draft.data ?? NOTHING,
    foot: [...(act === undefined ? [] : [act]), ...find],
    more: (count) => moreText(count, tool),
  });
}

/** The active todo first, then the others in the order of the list, blocked ones last. */
function openTodos({ todos }: Track): readonly Todo[] {
  const rank = ({ status }: Todo) => (status === "in_progress" ? 0 : status === "blocked" ? 2 : 1);
  return todos.filter(isOpen).toSorted((a, b) => rank(a) - rank(b));
}

function progress({ todos }: Track): ModelText {
  const { completed, total, verified } = progressOf(todos);
  return progressText(completed, total, verified);
}

function entries(todos: readonly Todo[], { tool }: ReminderContext): Entries {
  const ids = isNativeTool(tool);
  return entriesOf(todos, (todo) => [todoText(todo, { ids })]);
}

function recovery({ track, guide, moment, context }: Now): Draft | undefined {
  if ((moment === "prompt" || moment === "step") && !guide.recover) return undefined;
  const open = openTodos(track);
  const [first] = open;
  if (!first) return undefined;
  const isCompacted = moment === "compacted" || guide.recover;
  const ids = isNativeTool(context.tool);
  const next =
    first.status === "blocked" ? undefined : ids ? line(first.id) : modelText`the first one`;
  const keep = ACT.recovery(context.tool);
  return {
    why: isCompacted ? WHY.compacted() : WHY.resumed(),
    progress: openHeading(progress(track)),
    data: entriesOf(open, (todo) => [
      todoText(todo, { ids }),
      ...(todo.status === "in_progress" ? noteLines(todo) : []),
    ]),
    act: isCompacted ? joinText([ACT_ON.compacted(next), keep], " ") : ACT_ON.resumed(next),
  };
}

function introduction({ guide, context: { tool } }: Now): Draft | undefined {
  if (guide.told.introduction || tool === undefined) return undefined;
  return { why: WHY.introduction(tool) };
}

function changed({ track, context }: Now): Draft | undefined {
  if (!hasUnseenEdits(track)) return undefined;
  const ids = isNativeTool(context.tool);
  const plan = planUpdateOf(track);
  const edits = describeEdits(track, { ids }).map((edit) => modelText`- ${edit}`);
  if (!plan) return { why: WHY.changed(), data: entriesOf(edits, (edit) => [edit]) };
  const also = edits.length > 0 ? [WHY.alsoChanged(), ...edits] : [];
  const act = actOnPlan(plan, ids);
  return {
    why: plan.decision ? WHY[plan.decision]() : WHY.commented(),
    data: entriesOf([...plan.comments, ...also], (each) => [each]),
    act: edits.length > 0 ? joinText([act, ACT.changed()], " ") : act,
  };
}

function actOnPlan({ decision, steps, first }: PlanUpdate, ids: boolean): ModelText {
  if (decision === undefined) return ACT_ON.commented();
  if (decision === "rejected") return ACT_ON.rejected();
  if (steps === 0) return ACT_ON.approved();
  const start = first && (ids ? line(first.id) : modelText`the first one`);
  return ACT_ON.adopted(steps, start);
}

function collision({ track, moment, context }: Now): Draft | undefined {
  const found = collisionNotice(track, context.now, moment === "call");
  if (!found) return undefined;
  const { lines, ...rest } = found;
  return { ...rest, data: entriesOf(lines, (each) => [each]) };
}

/** As soon as plan mode begins, then every `planEvery` steps; off by default. */
function planning({ track, guide, policy: { planEvery } }: Now): Draft | undefined {
  if (planEvery === 0 || track.mode !== "plan") return undefined;
  const { plannedAt } = guide;
  if (plannedAt !== undefined && guide.steps - plannedAt < planEvery) return undefined;
  return { why: WHY.planning() };
}

/** One step after the refusal, because the answer to the refused call had the reason already. */
function refused({ guide, context: { tool } }: Now): Draft | undefined {
  if (!guide.refused || guide.steps <= guide.refused.step) return undefined;
  const { why, partial } = guide.refused;
  const label = partial ? "Not saved" : "Reason";
  return {
    why: partial ? WHY.partlySaved() : WHY.refused(),
    ...(partial && tool !== undefined && { act: ACT_ON.partlySaved(tool) }),
    data: entriesOf(why === "" ? [] : [why], (reason) => [
      modelText`${label}: ${quote(reason, 280)}`,
    ]),
  };
}

function loop({ track, guide }: Now): Draft | undefined {
  const found = track.activity?.loop;
  if (!found || guide.loop === findingKey(found)) return undefined;
  return {
    why: WHY.loop(found.kind),
    data: entriesOf([found.message], (message) => [quote(message)]),
  };
}

function stalled({ track, context }: Now): Draft | undefined {
  const found = stallMessage(track, context.now);
  if (!found) return undefined;
  const { inside, ...rest } = found;
  return { ...rest, data: entriesOf(inside, (each) => [each]) };
}

function check({ track, guide, moment, context }: Now): Draft | undefined {
  const isAnswer = moment === "write" || moment === "read";
  const found = checkFinding(track, guide.checks ?? [], isAnswer);
  if (!found) return undefined;
  const { failed, lines, about } = found;
  if (!failed) return { ...TAMPER_NOTICE, data: entriesOf(lines, (each) => [each]), about };
  const ids = isNativeTool(context.tool);
  const named = failed.todos.map((todo) => todoText(todo, { ids }));
  return {
    why: WHY.failed(failed.todos.length),
    progress: failed.result,
    data: entriesOf([...lines, ...named], (each) => [each]),
    about,
  };
}

function evidence({ track, guide, policy, context }: Now): Draft | undefined {
  if (guide.evidenceFor === track.list) return undefined;
  const done = track.todos.filter(({ status }) => status === "completed");
  if (done.length < policy.evidenceAfter) return undefined;
  // A check of Waymark that passed before the last edit is evidence that was asked for, too.
  if (done.some((todo) => todo.proof?.ok || evidenceLevelOf(todo) !== "unverified"))
    return undefined;
  return { why: WHY.evidence(done.length), data: entries(done, context) };
}

function edits({ track, guide, policy, context }: Now): Draft | undefined {
  if (guide.edits < policy.editsAfter || guide.nudges >= policy.editsCap) return undefined;
  const open = openTodos(track);
  if (open.length === 0) return undefined;
  const active = open.filter(({ status }) => status === "in_progress");
  return {
    why: WHY.edits(guide.edits, guide.nudges === 0, context.tool),
    progress: progress(track),
    data: entries(active, context),
  };
}

function isStale(guide: Guide, policy: GuidancePolicy): boolean {
  return (
    guide.steps - guide.wroteAt >= policy.staleAfter &&
    guide.steps - guide.remindedAt >= policy.staleEvery
  );
}

function stale({ track, guide, policy, context }: Now): Draft | undefined {
  if (!isStale(guide, policy)) return undefined;
  const open = openTodos(track);
  if (open.length === 0) return undefined;
  return {
    why: WHY.stale(guide.steps - guide.wroteAt, context.tool),
    progress: progress(track),
    data: entries(open, context),
  };
}

function initial({ track, guide }: Now): Draft | undefined {
  if (track.revision > 0 || guide.prompts > 1) return undefined;
  return guide.told.introduction || guide.told.initial ? undefined : { why: WHY.initial() };
}

/** Once per session, and never after a finished list. */
function empty({ track, guide, policy }: Now): Draft | undefined {
  if (track.todos.length > 0 || guide.told.empty || !isStale(guide, policy)) return undefined;
  return { why: WHY.empty(guide.steps - guide.wroteAt) };
}

/**
 * Not after a plain answer or a question to the user, not if every open todo is blocked, and not again before the agent has made
 * another call.
 */
function stop({ track, guide, policy, context }: Now): Draft | undefined {
  if (!guide.worked || guide.asked) return undefined;
  if (guide.stops >= policy.stopCap || guide.stopCalls === guide.calls) return undefined;
  const open = openTodos(track).filter(({ status }) => status !== "blocked");
  if (open.length === 0) return undefined;
  return { why: WHY.stop(open.length), data: entries(open, context) };
}
