/**
 * core/guidance: reminders for the model. `counters` counts steps as events happen, `rules` decides
 * whether a reminder is due and which, `texts` and `prompts` hold the wording, `user-edits` lists
 * changes of the user that the agent has not seen, `schedule` says when the next look is needed.
 */
import { findingKey } from "../activity/detect.ts";
import type { GuidancePolicy } from "../list/policy.ts";
import type { Moment, Reminder, ReminderKind, Todo, Track } from "../model.ts";
import { type ModelText, modelText, quote } from "../text/model-text.ts";
import { todoLine } from "../views/todo-line.ts";
import { isOpen, progressOf, proofOf } from "../views/view.ts";
import { block, type Entries, entriesOf, todoWithNotes } from "./block.ts";
import { emptyGuide, type Guide } from "./counters.ts";
import {
  ACT,
  FIRST_CALL,
  findToolHint,
  moreWords,
  NEEDS_TOOL,
  sendAgain,
  WHY,
  whereWords,
} from "./texts.ts";
import { editsOf, hasNews, planNewsOf } from "./user-edits.ts";

/** What the texts need to know of the host. */
export interface ReminderWords {
  /** Nobody outside of this process can know it: it tells our block from any other. */
  readonly mark: string;
  /** What the model calls the list tool; undefined where it has none. */
  readonly tool: string | undefined;
  /** The model may have to search for the tool before it can call it. */
  readonly search?: boolean;
}

interface Now {
  readonly track: Track;
  readonly guide: Guide;
  readonly moment: Moment;
  readonly policy: GuidancePolicy;
  readonly words: ReminderWords;
}

/** Why it comes now, where the list stands, and the data. */
interface Draft {
  readonly why: ModelText;
  readonly where?: ModelText;
  readonly data?: Entries;
  /** What to do, where that depends on more than the kind. */
  readonly act?: ModelText;
}

interface Rule {
  readonly kind: ReminderKind;
  readonly moments: readonly Moment[];
  /** Also while the list is closed because a plan waits. */
  readonly inPlanMode?: true;
  readonly due: (now: Now) => Draft | undefined;
}

/** The first that is due is told, and no other. */
export const RULES: readonly Rule[] = [
  {
    kind: "recovery",
    moments: ["start", "resume", "compacted", "prompt", "step"],
    inPlanMode: true,
    due: recovery,
  },
  { kind: "introduction", moments: ["start"], inPlanMode: true, due: introduction },
  { kind: "changed", moments: ["resume", "prompt", "step"], inPlanMode: true, due: changed },
  { kind: "planning", moments: ["prompt", "step"], inPlanMode: true, due: planning },
  { kind: "refused", moments: ["prompt", "step"], due: refused },
  { kind: "loop", moments: ["step"], inPlanMode: true, due: loop },
  { kind: "evidence", moments: ["write", "step", "prompt"], due: evidence },
  { kind: "edits", moments: ["step"], due: edits },
  { kind: "stale", moments: ["prompt", "step"], due: stale },
  { kind: "initial", moments: ["prompt"], due: initial },
  { kind: "empty", moments: ["prompt", "step"], due: empty },
  { kind: "stop", moments: ["stop"], due: stop },
];

/** What the model is to be told now, if anything. Constant work, at most one bounded block. */
export function reminderFor(
  track: Track,
  moment: Moment,
  policy: GuidancePolicy,
  words: ReminderWords,
): Reminder | undefined {
  const guide = track.guide ?? emptyGuide();
  const now: Now = { track, guide, moment, policy, words };
  for (const { kind, moments, inPlanMode, due } of RULES) {
    if (!moments.includes(moment) || policy.off.includes(kind)) continue;
    if (track.mode === "plan" && !inPlanMode) continue;
    if (words.tool === undefined && NEEDS_TOOL.has(kind)) continue;
    const draft = due(now);
    const text = draft && render(kind, draft, now);
    if (text !== undefined) return { kind, text, isMeta: true };
  }
  return undefined;
}

const NOTHING: Entries = { count: 0, at: () => [] };

function render(kind: ReminderKind, draft: Draft, { policy, words }: Now): ModelText | undefined {
  const { mark, tool } = words;
  const act = draft.act ?? ACT[kind](tool);
  const isFirst = words.search === true && FIRST_CALL.has(kind);
  const find = isFirst && tool !== undefined ? [findToolHint(tool)] : [];
  return block(mark, policy.caps[kind], {
    head: [draft.why, ...(draft.where === undefined ? [] : [draft.where])],
    data: draft.data ?? NOTHING,
    foot: [...(act === undefined ? [] : [act]), ...find],
    more: (count) => moreWords(count, tool),
  });
}

/** Active, then open in the order of the list, then blocked. */
function openTodos({ todos }: Track): readonly Todo[] {
  const rank = ({ status }: Todo) => (status === "in_progress" ? 0 : status === "blocked" ? 2 : 1);
  return todos.filter(isOpen).toSorted((a, b) => rank(a) - rank(b));
}

function where({ todos }: Track): ModelText {
  const { completed, total, verified } = progressOf(todos);
  return whereWords(completed, total, verified);
}

function recovery({ track, guide, moment }: Now): Draft | undefined {
  if ((moment === "prompt" || moment === "step") && !guide.recover) return undefined;
  const open = openTodos(track);
  if (open.length === 0) return undefined;
  const shortened = moment === "compacted" || guide.recover;
  return {
    why: shortened ? WHY.compacted() : WHY.resumed(),
    where: where(track),
    data: entriesOf(open, (todo) =>
      todo.status === "in_progress" ? todoWithNotes(todo) : [todoLine(todo)],
    ),
  };
}

function introduction({ guide, words: { tool } }: Now): Draft | undefined {
  if (guide.told.introduction || tool === undefined) return undefined;
  return { why: WHY.introduction(tool) };
}

function changed({ track }: Now): Draft | undefined {
  if (!hasNews(track)) return undefined;
  const news = [...planNewsOf(track), ...editsOf(track)];
  return { why: WHY.changed(), data: entriesOf(news, (each) => [modelText`- ${each}`]) };
}

/** At once where plan mode begins, then every so many steps; off by default. */
function planning({ track, guide, policy: { planEvery } }: Now): Draft | undefined {
  if (planEvery === 0 || track.mode !== "plan") return undefined;
  const { plannedAt } = guide;
  if (plannedAt !== undefined && guide.steps - plannedAt < planEvery) return undefined;
  return { why: WHY.planning() };
}

/** Told a step later: the answer of the refused call itself said so already. */
function refused({ guide, words: { tool } }: Now): Draft | undefined {
  if (!guide.refused || guide.steps <= guide.refused.step) return undefined;
  const { why, partial } = guide.refused;
  return {
    why: partial ? WHY.partlySaved() : WHY.refused(),
    ...(partial && tool !== undefined && { act: sendAgain(tool) }),
    data: entriesOf(why === "" ? [] : [why], (said) => [quote(said, 280)]),
  };
}

function loop({ track, guide }: Now): Draft | undefined {
  const found = track.activity?.loop;
  if (!found || guide.loop === findingKey(found)) return undefined;
  return { why: WHY.loop(), data: entriesOf([found.message], (said) => [quote(said)]) };
}

function evidence({ track, guide, policy }: Now): Draft | undefined {
  if (guide.evidenceFor === track.list) return undefined;
  const done = track.todos.filter(({ status }) => status === "completed");
  if (done.length < policy.evidenceAfter) return undefined;
  if (done.some((todo) => proofOf(todo) !== "claimed")) return undefined;
  return {
    why: WHY.evidence(done.length),
    data: entriesOf(done, (todo) => [todoLine(todo)]),
  };
}

function edits({ track, guide, policy, words }: Now): Draft | undefined {
  if (guide.edits < policy.editsAfter || guide.nudges >= policy.editsCap) return undefined;
  const open = openTodos(track);
  if (open.length === 0) return undefined;
  const active = open.filter(({ status }) => status === "in_progress");
  return {
    why: WHY.edits(guide.edits, guide.nudges === 0, words.tool),
    where: where(track),
    data: entriesOf(active, (todo) => [todoLine(todo)]),
  };
}

function isQuietFor(guide: Guide, policy: GuidancePolicy): boolean {
  return (
    guide.steps - guide.wroteAt >= policy.staleAfter &&
    guide.steps - guide.remindedAt >= policy.staleEvery
  );
}

function stale({ track, guide, policy, words }: Now): Draft | undefined {
  if (!isQuietFor(guide, policy)) return undefined;
  const open = openTodos(track);
  if (open.length === 0) return undefined;
  return {
    why: WHY.stale(guide.steps - guide.wroteAt, words.tool),
    where: where(track),
    data: entriesOf(open, (todo) => [todoLine(todo)]),
  };
}

function initial({ track, guide }: Now): Draft | undefined {
  if (track.revision > 0 || guide.prompts > 1) return undefined;
  return guide.told.introduction || guide.told.initial ? undefined : { why: WHY.initial() };
}

/** Once: who goes on without a list has heard it. A finished list is none to remind of. */
function empty({ track, guide, policy }: Now): Draft | undefined {
  if (track.todos.length > 0 || guide.told.empty || !isQuietFor(guide, policy)) return undefined;
  return { why: WHY.empty(guide.steps - guide.wroteAt) };
}

/**
 * Silent when the agent only answered or asked the person something, when nothing can be done, and
 * when it said why.
 */
function stop({ track, guide, policy }: Now): Draft | undefined {
  if (!guide.worked || guide.asked) return undefined;
  if (guide.stops >= policy.stopCap || guide.stopCalls === guide.calls) return undefined;
  const open = openTodos(track).filter(({ status }) => status !== "blocked");
  if (open.length === 0) return undefined;
  return {
    why: WHY.stop(open.length),
    where: where(track),
    data: entriesOf(open, (todo) => [todoLine(todo)]),
  };
}
