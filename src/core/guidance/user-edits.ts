import type { Todo, Track, UnseenEdit } from "../model.ts";
import { joinText, line, type ModelText, modelText, NO_TEXT, quote } from "../text/model-text.ts";

/** Describes what the user changed since the agent last read the list, for tool results and reminders. */

type Seen = Pick<Track, "todos" | "unseen" | "unseenOrder" | "plan">;

/** There is something to tell. */
export function hasNews({ unseen, unseenOrder, plan }: Seen): boolean {
  return unseen.length > 0 || unseenOrder || plan?.untold === true || !!plan?.untoldComments;
}

const MAX_NAME = 60;
const MAX_NOTES = 5;
const MAX_ORDER = 60;

/** Each edit of the list in a few words, "added X"; `kept` are those that a write would have undone. */
export function editsOf(track: Seen, kept = new Set<string>()): readonly ModelText[] {
  const edits = track.unseen
    .filter((edit) => !isAdopted(edit, track))
    .map((edit) => modelText`${describeEdit(edit, track)}${kept.has(edit.id) ? " (kept)" : ""}`);
  if (!track.unseenOrder) return edits;
  return [...edits, modelText`put the list in another order: ${orderOf(track.todos)}`];
}

/** Todos that came with a plan are told of with the plan. */
function isAdopted(edit: UnseenEdit, { todos, plan }: Seen): boolean {
  if (!edit.added || !plan?.untold) return false;
  const step = todos.find(({ id }) => id === edit.id)?.planStep;
  return step?.startsWith(`${plan.id}#`) === true;
}

/** What was decided and said about the plan, "approved the plan". */
export function planNewsOf({ plan, todos }: Seen): readonly ModelText[] {
  if (!plan) return [];
  const news: ModelText[] = [];
  if (plan.untold) {
    const said = plan.comment === undefined ? NO_TEXT : modelText`: ${quote(plan.comment)}`;
    const steps = todos.filter((todo) => todo.planStep?.startsWith(`${plan.id}#`)).length;
    const approved =
      plan.adoptedAt === undefined
        ? modelText`write its steps as your list and begin`
        : modelText`its ${steps} steps are your list now, begin with the first`;
    news.push(
      plan.state === "approved"
        ? modelText`approved the plan${said}; ${approved}`
        : modelText`rejected the plan${said}; change it and propose it again`,
    );
  }
  const comments = plan.comments ?? [];
  for (const { text, step } of comments.slice(comments.length - (plan.untoldComments ?? 0))) {
    const about = step === undefined ? modelText`the plan` : modelText`step ${step} of the plan`;
    news.push(modelText`commented on ${about}: ${quote(text)}`);
  }
  return news;
}

function orderOf(todos: readonly Todo[]): ModelText {
  const ids = todos.slice(0, MAX_ORDER).map((todo) => line(todo.id));
  return joinText([...ids, ...(todos.length > MAX_ORDER ? [modelText`\u2026`] : [])], ", ");
}

const VERBS = {
  pending: "put back",
  in_progress: "started",
  completed: "completed",
  cancelled: "dropped",
  blocked: "blocked",
} as const satisfies Readonly<Record<Todo["status"], string>>;

function describeEdit(edit: UnseenEdit, track: Pick<Track, "todos">): ModelText {
  const name = (text: string) => quote(text, MAX_NAME);
  const now = track.todos.find((todo) => todo.id === edit.id);
  if (edit.removed || !now) return modelText`removed ${name(edit.knownText)}`;
  if (edit.added) return modelText`added ${name(now.text)}`;
  const parts: ModelText[] = [];
  if (edit.status !== undefined) parts.push(modelText`${VERBS[now.status]} ${name(now.text)}`);
  if (edit.set?.text !== undefined)
    parts.push(modelText`renamed ${name(edit.knownText)} to ${name(now.text)}`);
  if (edit.notes) {
    const notes = edit.notes.slice(-MAX_NOTES).map((note) => quote(note));
    parts.push(modelText`noted on ${name(now.text)}: ${joinText(notes, ", ")}`);
  }
  if (parts.length === 0) parts.push(modelText`edited ${name(now.text)}`);
  return joinText(parts, ", ");
}
