import type { Todo, Track, UnseenEdit } from "./model.ts";

/**
 * What a person did since the agent last looked, in words. One wording for the answer of a tool
 * and for a reminder; they differ in how they make foreign text harmless.
 */
export type Encode = (text: string, max: number) => string;

type Seen = Pick<Track, "todos" | "unseen" | "unseenOrder" | "plan">;

/** There is something to tell. */
export function hasNews({ unseen, unseenOrder, plan }: Seen): boolean {
  return unseen.length > 0 || unseenOrder || plan?.untold === true || !!plan?.untoldComments;
}

const MAX_NAME = 60;
const MAX_NOTE = 240;
const MAX_NOTES = 5;
const MAX_ORDER = 60;

/** Each edit of the list in a few words, "added X"; `kept` are those that a write would have undone. */
export function editsOf(track: Seen, encode: Encode, kept = new Set<string>()): readonly string[] {
  const edits = track.unseen
    .filter((edit) => !isAdopted(edit, track))
    .map((edit) => `${describeEdit(edit, track, encode)}${kept.has(edit.id) ? " (kept)" : ""}`);
  if (!track.unseenOrder) return edits;
  return [...edits, `put the list in another order: ${orderOf(track.todos)}`];
}

/** Todos that came with a plan are told of with the plan. */
function isAdopted(edit: UnseenEdit, { todos, plan }: Seen): boolean {
  if (!edit.added || !plan?.untold) return false;
  const step = todos.find(({ id }) => id === edit.id)?.planStep;
  return step?.startsWith(`${plan.id}#`) === true;
}

/** What was decided and said about the plan, "approved the plan". */
export function planNewsOf({ plan, todos }: Seen, encode: Encode): readonly string[] {
  if (!plan) return [];
  const news: string[] = [];
  if (plan.untold) {
    const said = plan.comment === undefined ? "" : `: "${encode(plan.comment, MAX_NOTE)}"`;
    const steps = todos.filter((todo) => todo.planStep?.startsWith(`${plan.id}#`)).length;
    const approved =
      plan.adoptedAt === undefined
        ? "write its steps as your list and begin"
        : `its ${steps} steps are your list now, begin with the first`;
    news.push(
      plan.state === "approved"
        ? `approved the plan${said}; ${approved}`
        : `rejected the plan${said}; change it and propose it again`,
    );
  }
  const comments = plan.comments ?? [];
  for (const { text, step } of comments.slice(comments.length - (plan.untoldComments ?? 0))) {
    const about = step === undefined ? "the plan" : `step ${step} of the plan`;
    news.push(`commented on ${about}: "${encode(text, MAX_NOTE)}"`);
  }
  return news;
}

function orderOf(todos: readonly Todo[]): string {
  const ids = todos.slice(0, MAX_ORDER).map((todo) => todo.id);
  return [...ids, ...(todos.length > MAX_ORDER ? ["…"] : [])].join(", ");
}

const VERBS: Readonly<Record<Todo["status"], string>> = {
  pending: "put back",
  in_progress: "started",
  completed: "completed",
  cancelled: "dropped",
  blocked: "blocked",
};

function describeEdit(edit: UnseenEdit, track: Pick<Track, "todos">, encode: Encode): string {
  const name = (text: string) => `"${encode(text, MAX_NAME)}"`;
  const now = track.todos.find((todo) => todo.id === edit.id);
  if (edit.removed || !now) return `removed ${name(edit.knownText)}`;
  if (edit.added) return `added ${name(now.text)}`;
  const parts: string[] = [];
  if (edit.status !== undefined) parts.push(`${VERBS[now.status]} ${name(now.text)}`);
  if (edit.set?.text !== undefined)
    parts.push(`renamed ${name(edit.knownText)} to ${name(now.text)}`);
  if (edit.notes) {
    const notes = edit.notes.slice(-MAX_NOTES).map((note) => `"${encode(note, MAX_NOTE)}"`);
    parts.push(`noted on ${name(now.text)}: ${notes.join(", ")}`);
  }
  if (parts.length === 0) parts.push(`edited ${name(now.text)}`);
  return parts.join(", ");
}
