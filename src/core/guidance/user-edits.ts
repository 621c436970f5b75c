import type { Todo, Track, UnseenEdit } from "../model.ts";
import { joinText, line, type ModelText, modelText, NO_TEXT, quote } from "../text/model-text.ts";
import { isOpen } from "../views/view.ts";

/** Describes what the user changed since the agent last read the list, for tool results and reminders. */

type Seen = Pick<Track, "todos" | "unseen" | "unseenOrder" | "plan">;

export function hasUnseenEdits({ unseen, unseenOrder, plan }: Seen): boolean {
  return unseen.length > 0 || unseenOrder || plan?.untold === true || !!plan?.untoldComments;
}

const MAX_NAME = 60;
const MAX_NOTES = 5;
const MAX_ORDER = { ids: 60, names: 10 };
const MAX_ORDER_NAME = 30;

export interface EditOptions {
  /** Ids of edits that the agent's write would have undone. */
  readonly kept?: ReadonlySet<string>;
  /** Name todos by id and text, for tools that take ids. */
  readonly ids?: boolean;
}

/** Each edit of the list as `renamed 4 "A" to "B"`; one that survived the agent's write is marked `(kept)`. */
export function describeEdits(
  track: Seen,
  { kept = new Set(), ids = false }: EditOptions = {},
): readonly ModelText[] {
  const edits = track.unseen
    .filter((edit) => !isAdopted(edit, track))
    .map(
      (edit) => modelText`${describeEdit(edit, track, ids)}${kept.has(edit.id) ? " (kept)" : ""}`,
    );
  if (!track.unseenOrder) return edits;
  return [...edits, modelText`reordered the list: ${orderOf(track.todos, ids)}`];
}

/** Todos that are steps of a plan come up with the plan. */
function isAdopted(edit: UnseenEdit, { todos, plan }: Seen): boolean {
  if (!edit.added || !plan?.untold) return false;
  const step = todos.find(({ id }) => id === edit.id)?.planStep;
  return step?.startsWith(`${plan.id}#`) === true;
}

/** The user's decision on the plan, and the comments that the agent has not seen. */
export interface PlanUpdate {
  readonly decision?: "approved" | "rejected";
  readonly comments: readonly ModelText[];
  /** How many todos come from the approved plan; none if the agent has to write them. */
  readonly steps: number;
  /** The first open one of them. */
  readonly first?: Todo;
}

export function planUpdateOf({ plan, todos }: Seen): PlanUpdate | undefined {
  if (!plan || (!plan.untold && !plan.untoldComments)) return undefined;
  const own = plan.untold && plan.comment !== undefined ? [plan.comment] : [];
  const comments = plan.comments ?? [];
  const unseen = comments.slice(comments.length - (plan.untoldComments ?? 0));
  const adopted = todos.filter((todo) => todo.planStep?.startsWith(`${plan.id}#`));
  const first = adopted.find(isOpen);
  return {
    ...(plan.untold && { decision: plan.state === "approved" ? "approved" : "rejected" }),
    comments: [
      ...own.map((text) => modelText`Comment: ${quote(text)}`),
      ...unseen.map(({ text, step }) =>
        step === undefined
          ? modelText`Comment: ${quote(text)}`
          : modelText`Comment on step ${step}: ${quote(text)}`,
      ),
    ],
    steps: plan.adoptedAt === undefined ? 0 : adopted.length,
    ...(first && { first }),
  };
}

function orderOf(todos: readonly Todo[], ids: boolean): ModelText {
  const max = ids ? MAX_ORDER.ids : MAX_ORDER.names;
  const shown = todos.slice(0, max);
  const names = shown.map(({ id, text }) => (ids ? line(id) : quote(text, MAX_ORDER_NAME)));
  return joinText([...names, ...(todos.length > max ? [modelText`\u2026`] : [])], ", ");
}

function statusEdit(status: Todo["status"], name: ModelText): ModelText {
  switch (status) {
    case "pending":
      return modelText`set ${name} back to pending`;
    case "in_progress":
      return modelText`started ${name}`;
    case "completed":
    case "cancelled":
    case "blocked":
      return modelText`${status} ${name}`;
  }
}

function describeEdit(edit: UnseenEdit, track: Pick<Track, "todos">, ids: boolean): ModelText {
  const id = ids ? modelText`${line(edit.id)} ` : NO_TEXT;
  const name = (text: string) => modelText`${id}${quote(text, MAX_NAME)}`;
  const now = track.todos.find((todo) => todo.id === edit.id);
  if (edit.removed || !now) return modelText`removed ${name(edit.knownText)}`;
  if (edit.added) return modelText`added ${name(now.text)}`;
  const parts: ModelText[] = [];
  if (edit.status !== undefined) parts.push(statusEdit(now.status, name(now.text)));
  if (edit.set?.text !== undefined)
    parts.push(modelText`renamed ${name(edit.knownText)} to ${quote(now.text, MAX_NAME)}`);
  if (edit.notes) {
    const notes = edit.notes.slice(-MAX_NOTES).map((note) => quote(note));
    parts.push(modelText`added a note to ${name(now.text)}: ${joinText(notes, ", ")}`);
  }
  if (parts.length === 0) parts.push(modelText`edited ${name(now.text)}`);
  return joinText(parts, ", ");
}
