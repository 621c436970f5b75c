import { patch } from "../evolve.ts";
import { LIST_REFUSALS } from "../guidance/refusal-texts.ts";
import type { Draft, Mode, Op, Patch, Rejection, Status, Todo, Track } from "../model.ts";
import { line, type ModelText, modelText, NO_TEXT } from "../text/model-text.ts";
import { isFinished, isOpen } from "../views/view.ts";
import { type KnownTodo, match, normalizeText } from "./match.ts";
import type { Policy } from "./policy.ts";
import { type FieldNames, findByRef, findTargets, identifier, shortQuote } from "./target.ts";
import { checkDraft, checkNote } from "./validate.ts";

/** The list while a submission is applied to it. Its todos are replaced, never changed in place. */
export interface WorkingList {
  todos: Todo[];
  list: number;
  nextId: number;
  mode: Mode;
  /** Todos that the user removed and this write, unaware of it, sent again. */
  refused: string[];
  /** Todos that this write removed by name. */
  removed: string[];
}

/** The context of an op. */
export interface OpContext {
  readonly track: Track;
  readonly policy: Policy;
  readonly fieldNames: FieldNames;
  readonly at: number;
  readonly by: Todo["movedBy"];
}

/** A copy of the list for ops to change. */
export function workingListOf(track: Track): WorkingList {
  const { list, nextId, mode } = track;
  return { todos: [...track.todos], list, nextId, mode, refused: [], removed: [] };
}

/** Applies one op as far as possible and returns the refusals. */
export function applyOp(working: WorkingList, op: Op, context: OpContext): readonly Rejection[] {
  switch (op.op) {
    case "replace":
      return replace(working, op.todos, context);
    case "upsert":
      return upsert(working, op.todos, context);
    case "add":
      return add(working, op.todos, op.unique === true, context);
    case "start":
      return onTargets(working, op, context, (todo) => {
        working.todos = working.todos.map((other) =>
          other.status === "in_progress" ? setStatus(other, "pending") : other,
        );
        return setStatus(todo, "in_progress");
      });
    case "finish":
    case "drop":
      return withNote(op.evidence, modelText`evidence`, context, (evidence) =>
        onTargets(working, op, context, (todo) => {
          const closed = setStatus(todo, op.op === "finish" ? "completed" : "cancelled");
          const known = todo.evidence ?? [];
          return evidence === undefined || known.includes(evidence)
            ? closed
            : { ...closed, evidence: [...known, evidence] };
        }),
      );
    case "reopen":
      return onTargets(working, op, context, (todo) =>
        todo.status === "in_progress" ? todo : setStatus(todo, "pending"),
      );
    case "block":
      return withNote(op.reason, modelText`reason`, context, (reason) =>
        onTargets(working, op, context, (todo) =>
          isOpen(todo)
            ? { ...setStatus(todo, "blocked"), ...(reason !== undefined && { blocker: reason }) }
            : todo,
        ),
      );
    case "unblock":
      return onTargets(working, op, context, (todo) =>
        todo.status === "blocked" ? setStatus(todo, "pending") : todo,
      );
    case "remove":
      return onTargets(working, op, context, ({ id }) => {
        if (!("phase" in op.target || "all" in op.target)) working.removed.push(id);
        return undefined;
      });
    case "note":
      return withNote(op.text, context.fieldNames.note ?? modelText`text`, context, (text) =>
        onTargets(working, op, context, (todo) =>
          text === undefined ? todo : { ...todo, notes: [...(todo.notes ?? []), text] },
        ),
      );
    case "edit": {
      const { value, rejected } = checkDraft(op.set, NO_TEXT, context.policy, context.fieldNames);
      if (rejected.length > 0) return rejected;
      return onTargets(working, op, context, (todo) => setFields(todo, value));
    }
    case "move":
      return onTargets(working, op, context, (todo) => {
        const others = working.todos.filter((other) => other !== todo);
        working.todos = others.toSpliced(Math.max(0, op.to), 0, todo);
        return todo;
      });
    case "clear":
      working.todos = [];
      return [];
    case "mode":
      working.mode = op.mode;
      return [];
    default:
      op satisfies never;
      return [{ code: "invalid_input", message: LIST_REFUSALS.unknownOp }];
  }
}

/** Sets the status. A new status drops the blocker, the raw status and the check. */
export function setStatus(todo: Todo, status: Status): Todo {
  if (todo.status === status) return todo;
  const { blocker: _, rawStatus: __, check: ___, ...rest } = todo;
  return { ...rest, status };
}

/** Clears the sent form of a text or phase that is replaced. */
function outdated({ text, phase }: Patch): Patch {
  return {
    ...(text !== undefined && { sentText: null }),
    ...(phase !== undefined && { sentPhase: null }),
  };
}

function setFields(todo: Todo, set: Patch): Todo {
  const { status, ...fields } = set;
  const cleared = Object.fromEntries(
    Object.entries({ ...outdated(fields), ...fields }).map(([field, value]) => [
      field,
      Array.isArray(value) && value.length === 0 ? null : value,
    ]),
  );
  return patch(status ? setStatus(todo, status) : todo, cleared);
}

function onTargets(
  working: WorkingList,
  op: Extract<Op, { target: unknown }>,
  { fieldNames, by, track, policy }: OpContext,
  change: (todo: Todo) => Todo | undefined,
): readonly Rejection[] {
  const unseen = by === "agent" ? track.unseen : [];
  const found = findTargets(working.todos, op.target, fieldNames, unseen);
  if (!found.ok) return [found.rejection];
  const full = found.todos.find((todo) => (todo.notes?.length ?? 0) >= policy.maxNotes);
  if (op.op === "note" && full)
    return [
      {
        code: "too_many",
        message: LIST_REFUSALS.tooManyNotes(shortQuote(full.text), policy.maxNotes),
      },
    ];
  for (const { id } of found.todos) {
    // Looked up again: an earlier target of the same op may have changed it.
    const todo = working.todos.find((known) => known.id === id);
    const next = todo && change(todo);
    working.todos = working.todos.flatMap((known) => (known.id === id ? (next ?? []) : known));
  }
  return [];
}

function withNote(
  text: string | undefined,
  where: ModelText,
  { policy }: OpContext,
  use: (text: string | undefined) => readonly Rejection[],
): readonly Rejection[] {
  if (text === undefined) return use(undefined);
  const { value, rejected } = checkNote(where, text, policy);
  return rejected.length > 0 ? rejected : use(value);
}

function newTodo(working: WorkingList, draft: Draft, { at, by }: OpContext): Todo {
  const todo: Todo = {
    id: String(working.nextId),
    text: draft.text,
    status: draft.status ?? "pending",
    createdAt: at,
    movedBy: by,
  };
  working.nextId++;
  return setFields(todo, draft);
}

function checkAll<T extends Draft | Patch>(
  drafts: readonly T[],
  base: "replace" | "upsert" | "add",
  { policy, fieldNames }: OpContext,
): { drafts: readonly T[]; rejected: readonly Rejection[] } {
  const name = fieldNames[base] ?? "todos";
  const missing = drafts.flatMap((draft, index): Rejection[] =>
    draft && (base === "upsert" || typeof draft.text === "string")
      ? []
      : [{ code: "invalid_input", message: LIST_REFUSALS.noText(modelText`${name}[${index}]`) }],
  );
  if (missing.length > 0) return { drafts: [], rejected: missing };
  const checked = drafts.map((draft, index) =>
    checkDraft(draft, modelText`${name}[${index}]`, policy, fieldNames),
  );
  return {
    drafts: checked.map((entry) => entry.value),
    rejected: checked.flatMap((entry) => entry.rejected),
  };
}

/**
 * Starts the next list if the current one is finished. Not if the user finished it and the agent has
 * not seen that: the user's edits must be kept first.
 */
function restart(working: WorkingList, { track, by }: OpContext): void {
  if (working.list !== track.list || !isFinished(track.todos)) return;
  if (by === "agent" && track.unseen.length > 0) return;
  working.list++;
  working.todos = [];
}

/** Whether a write repeats every completed todo. Such a write continues the finished list. */
function repeats(todos: readonly Todo[], drafts: readonly Draft[]): boolean {
  const done = new Set(
    drafts
      .filter((draft) => draft.status === "completed")
      .map((draft) => normalizeText(draft.text)),
  );
  return todos
    .filter((todo) => todo.status === "completed")
    .every((todo) => done.has(normalizeText(todo.text)));
}

function replace(
  working: WorkingList,
  sent: readonly Draft[],
  context: OpContext,
): readonly Rejection[] {
  const { drafts, rejected } = checkAll(sent, "replace", context);
  if (rejected.length > 0) return rejected;
  if (!repeats(working.todos, drafts)) restart(working, context);

  const byId = new Map(working.todos.map((todo) => [todo.id, todo]));
  const pairs = match(knownTodos(working, context), drafts);
  const next: Todo[] = [];
  drafts.forEach((draft, index) => {
    const id = pairs[index];
    const known = id === undefined ? undefined : byId.get(id);
    if (known) next.push(rewrite(known, draft));
    else if (id === undefined) next.push(newTodo(working, draft, context));
    else working.refused.push(id);
  });
  working.todos = resolveLinks(next);
  return [];
}

/** The list as the agent knows it: without unseen user edits. */
function knownTodos(working: WorkingList, { track, by }: OpContext): readonly KnownTodo[] {
  if (by !== "agent" || working.list !== track.list) return working.todos;
  const unseen = new Map(track.unseen.map((edit) => [edit.id, edit]));
  const removed = track.unseen.flatMap((edit) =>
    edit.removed ? [{ ...edit.removed, text: edit.knownText, fixed: true }] : [],
  );
  return [
    ...working.todos.map((todo) => {
      const edit = unseen.get(todo.id);
      if (edit) return { ...todo, text: edit.knownText, fixed: edit.added === true };
      return todo.addedBy === "user" ? { ...todo, keepsPlace: true } : todo;
    }),
    ...removed,
  ];
}

function rewrite(known: Todo, draft: Draft): Todo {
  // The model may return a text as we escaped it; that is not a new text.
  const text = draft.text === line(known.text) ? known.text : draft.text;
  const renamed = normalizeText(text) !== normalizeText(known.text);
  return setFields(known, {
    ...(renamed && known.activeText !== undefined && { activeText: null }),
    ...draft,
    text,
  });
}

/** Replaces refs in links between todos with our ids. */
function resolveLinks(todos: readonly Todo[]): Todo[] {
  const ids = new Map(
    todos.flatMap((todo) => (todo.ref === undefined ? [] : [[todo.ref, todo.id]])),
  );
  const resolve = (link: string) => ids.get(link) ?? link;
  return todos.map((todo) => {
    if (todo.parent === undefined && !todo.blockedBy) return todo;
    return {
      ...todo,
      ...(todo.parent !== undefined && { parent: resolve(todo.parent) }),
      ...(todo.blockedBy && { blockedBy: todo.blockedBy.map(resolve) }),
    };
  });
}

function upsert(
  working: WorkingList,
  sent: readonly Patch[],
  context: OpContext,
): readonly Rejection[] {
  const { drafts, rejected } = checkAll(sent, "upsert", context);
  if (rejected.length > 0) return rejected;
  for (const draft of drafts) {
    const known = findByRef(working.todos, draft.ref);
    if (known) {
      working.todos = working.todos.map((todo) => (todo === known ? setFields(todo, draft) : todo));
    } else if (typeof draft.text === "string" && !wasRemoved(working, draft, context)) {
      restart(working, context);
      working.todos.push(newTodo(working, { ...draft, text: draft.text } as Draft, context));
    }
  }
  working.todos = resolveLinks(working.todos);
  return [];
}

/** Whether the user removed the todo and the agent, unaware of it, sent it again. */
function wasRemoved(working: WorkingList, draft: Patch, { track, by }: OpContext): boolean {
  const edit =
    by === "agent" &&
    track.unseen.find(
      ({ removed, knownText }) =>
        removed &&
        (knownText === draft.text || (removed.ref !== undefined && removed.ref === draft.ref)),
    );
  if (edit) working.refused.push(edit.id);
  return Boolean(edit);
}

function add(
  working: WorkingList,
  sent: readonly Draft[],
  unique: boolean,
  context: OpContext,
): readonly Rejection[] {
  const { drafts, rejected } = checkAll(sent, "add", context);
  if (rejected.length > 0) return rejected;
  // Unique names are identifiers: the list continues, and completed todos keep their names.
  if (!unique) restart(working, context);
  const refused: Rejection[] = [];
  for (const draft of drafts) {
    if (wasRemoved(working, draft, context)) continue;
    if (unique && working.todos.some((todo) => todo.text === draft.text)) {
      const name = context.fieldNames.todo ?? modelText`Todo`;
      refused.push({
        code: "already_exists",
        message: LIST_REFUSALS.exists(name, identifier(draft.text)),
      });
      continue;
    }
    const todo = newTodo(working, draft, context);
    // A phase keeps its todos together.
    const last = working.todos.findLastIndex((other) => other.phase === todo.phase);
    const insertAt = todo.phase === undefined || last === -1 ? working.todos.length : last + 1;
    working.todos.splice(insertAt, 0, todo);
  }
  return refused;
}
