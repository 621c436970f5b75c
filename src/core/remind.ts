import { emptyGuide, type Guide } from "./guide.ts";
import type { Moment, Reminder, ReminderKind, Todo, Track } from "./model.ts";
import type { GuidancePolicy } from "./policy.ts";
import { block, dataLines, todoLine } from "./reminder-block.ts";
import { currentOf, isOpen, progressOf } from "./view.ts";

/** What the texts need to know of the host. */
export interface ReminderWords {
  /** Nobody outside of this process can know it: it tells our block from any other. */
  readonly mark: string;
  /** What the model calls the list tool. */
  readonly tool: string;
}

interface Now {
  readonly track: Track;
  readonly guide: Guide;
  readonly moment: Moment;
  readonly policy: GuidancePolicy;
  readonly words: ReminderWords;
}

/** What goes into a block: why now, where the list stands, the data, one thing to do. */
interface Draft {
  readonly why: string;
  readonly data?: readonly string[];
  readonly act?: string;
}

interface Rule {
  readonly kind: ReminderKind;
  readonly moments: readonly Moment[];
  /** Also while the list is closed because a plan waits. */
  readonly inPlanMode?: true;
  readonly due: (now: Now) => Draft | undefined;
}

/** The first that is due is told, and no other. */
const RULES: readonly Rule[] = [
  {
    kind: "recovery",
    moments: ["start", "resume", "compacted", "prompt", "step"],
    inPlanMode: true,
    due: recovery,
  },
  { kind: "stale", moments: ["prompt", "step"], due: stale },
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
    const draft = due(now);
    if (draft) return { kind, text: render(draft, policy.caps[kind], words), isMeta: true };
  }
  return undefined;
}

function render({ why, data = [], act }: Draft, cap: number, words: ReminderWords): string {
  const head = [why];
  const foot = act === undefined ? [] : [act];
  return block(words.mark, cap, { head, data, foot, more: moreLine(words) });
}

function moreLine({ tool }: ReminderWords): (count: number) => string {
  return (count) => `… ${count} more, call ${tool} to read them`;
}

/** Active, then open in the order of the list, then blocked. */
function openTodos(todos: readonly Todo[]): readonly Todo[] {
  const rank = ({ status }: Todo) => (status === "in_progress" ? 0 : status === "blocked" ? 2 : 1);
  return todos.filter(isOpen).toSorted((a, b) => rank(a) - rank(b));
}

function where({ todos }: Track): string {
  const { completed, total } = progressOf(todos);
  return `${completed} of ${total} done.`;
}

function recovery({ track, guide, moment, words }: Now): Draft | undefined {
  const open = openTodos(track.todos);
  const lost = moment !== "prompt" && moment !== "step" ? true : guide.recover;
  if (!lost || open.length === 0) return undefined;
  const why =
    moment === "resume" || (moment === "start" && !guide.recover)
      ? "This session goes on where it was left. These todos are still open"
      : "The conversation was shortened. These todos of your list are still open";
  return {
    why: `${why}; ${where(track)}`,
    data: open.flatMap((todo) => dataLines(words.mark, todo, todo === currentOf(track.todos))),
    act: `Go on with the first one, and keep the list up to date with ${words.tool}.`,
  };
}

function stale({ track, guide, policy, words }: Now): Draft | undefined {
  const open = openTodos(track.todos);
  const since = guide.steps - guide.wroteAt;
  if (open.length === 0 || since < policy.staleAfter) return undefined;
  if (guide.steps - guide.remindedAt < policy.staleEvery) return undefined;
  return {
    why: `${since} turns without a list write. ${where(track)}`,
    data: open.map((todo) => todoLine(words.mark, todo)),
    act: `If the list no longer says what you are doing, bring it up to date with ${words.tool}; if it does, go on.`,
  };
}
