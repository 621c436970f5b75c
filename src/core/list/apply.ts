import { patch } from "../evolve.ts";
import type { Draft, Mode, Op, Patch, Rejection, Status, Todo, Track } from "../model.ts";
import { line, type ModelText, modelText, NO_TEXT } from "../text/model-text.ts";
import { isFinished, isOpen } from "../views/view.ts";
import { foldText, type Known, match } from "./match.ts";
import type { Policy } from "./policy.ts";
import { byForeignId, findTargets, identifier, shortQuote, type Words } from "./target.ts";
import { checkDraft, checkNote } from "./validate.ts";

/** The list while a submission is applied to it. Its todos are replaced, never changed in place. */
export interface WorkingList {
  todos: Todo[];
  list: number;
  nextId: number;
  mode: Mode;
  /** Todos that a person removed and this write, not knowing, sent again. */
  refused: string[];
  /** Todos that were named and removed. */
  removed: string[];
}

export interface Context {
  readonly track: Track;
  readonly policy: Policy;
  readonly words: Words;
  readonly at: number;
  readonly by: Todo["movedBy"];
}

export function workingListOf(track: Track): WorkingList {
  const { list, nextId, mode } = track;
  return { todos: [...track.todos], list, nextId, mode, refused: [], removed: [] };
}

/** Applies one op as far as it goes and says what could not be done. */
export function applyOp(working: WorkingList, op: Op, context: Context): readonly Rejection[] {
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
          other.status === "in_progress" ? moved(other, "pending") : other,
        );
        return moved(todo, "in_progress");
      });
    case "finish":
    case "drop":
      return withNote(op.evidence, modelText`evidence`, context, (evidence) =>
        onTargets(working, op, context, (todo) => {
          const closed = moved(todo, op.op === "finish" ? "completed" : "cancelled");
          const known = todo.evidence ?? [];
          return evidence === undefined || known.includes(evidence)
            ? closed
            : { ...closed, evidence: [...known, evidence] };
        }),
      );
    case "reopen":
      return onTargets(working, op, context, (todo) =>
        todo.status === "in_progress" ? todo : moved(todo, "pending"),
      );
    case "block":
      return withNote(op.reason, modelText`reason`, context, (reason) =>
        onTargets(working, op, context, (todo) =>
          isOpen(todo)
            ? { ...moved(todo, "blocked"), ...(reason !== undefined && { blocker: reason }) }
            : todo,
        ),
      );
    case "unblock":
      return onTargets(working, op, context, (todo) =>
        todo.status === "blocked" ? moved(todo, "pending") : todo,
      );
    case "remove":
      return onTargets(working, op, context, ({ id }) => {
        if (!("phase" in op.target || "all" in op.target)) working.removed.push(id);
        return undefined;
      });
    case "note":
      return withNote(op.text, context.words.note ?? modelText`text`, context, (text) =>
        onTargets(working, op, context, (todo) =>
          text === undefined ? todo : { ...todo, notes: [...(todo.notes ?? []), text] },
        ),
      );
    case "edit": {
      const { value, rejected } = checkDraft(op.set, NO_TEXT, context.policy, context.words);
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
      return [{ code: "invalid_input", message: modelText`There is no such op.` }];
  }
}

/** Whoever moves on leaves the reason for waiting, and the foreign spelling, behind. */
export function moved(todo: Todo, status: Status): Todo {
  if (todo.status === status) return todo;
  const { blocker: _, rawStatus: __, check: ___, ...rest } = todo;
  return { ...rest, status };
}

/** A new text or phase takes the place of the string that the former was sent as. */
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
  return patch(status ? moved(todo, status) : todo, cleared);
}

function onTargets(
  working: WorkingList,
  op: Extract<Op, { target: unknown }>,
  { words, by, track, policy }: Context,
  change: (todo: Todo) => Todo | undefined,
): readonly Rejection[] {
  const unseen = by === "agent" ? track.unseen : [];
  const found = findTargets(working.todos, op.target, words, unseen);
  if (!found.ok) return [found.rejection];
  const full = found.todos.find((todo) => (todo.notes?.length ?? 0) >= policy.maxNotes);
  if (op.op === "note" && full)
    return [
      {
        code: "too_many",
        message: modelText`${shortQuote(full.text)} has ${policy.maxNotes} notes, and that is the most.`,
      },
    ];
  for (const { id } of found.todos) {
    // Looked up anew: an earlier target of the same op may have moved it.
    const todo = working.todos.find((known) => known.id === id);
    const next = todo && change(todo);
    working.todos = working.todos.flatMap((known) => (known.id === id ? (next ?? []) : known));
  }
  return [];
}

function withNote(
  text: string | undefined,
  where: ModelText,
  { policy }: Context,
  use: (text: string | undefined) => readonly Rejection[],
): readonly Rejection[] {
  if (text === undefined) return use(undefined);
  const { value, rejected } = checkNote(where, text, policy);
  return rejected.length > 0 ? rejected : use(value);
}

function newTodo(working: WorkingList, draft: Draft, { at, by }: Context): Todo {
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
  { policy, words }: Context,
): { drafts: readonly T[]; rejected: readonly Rejection[] } {
  const name = words[base] ?? "todos";
  const missing = drafts.flatMap((draft, index): Rejection[] =>
    draft && (base === "upsert" || typeof draft.text === "string")
      ? []
      : [{ code: "invalid_input", message: modelText`${name}[${index}] has no text.` }],
  );
  if (missing.length > 0) return { drafts: [], rejected: missing };
  const checked = drafts.map((draft, index) =>
    checkDraft(draft, modelText`${name}[${index}]`, policy, words),
  );
  return {
    drafts: checked.map((entry) => entry.value),
    rejected: checked.flatMap((entry) => entry.rejected),
  };
}

/**
 * A finished list makes room: whatever brings new todos starts the next one. Unless a person
 * finished it and the agent goes on without knowing: then the edits must be kept first.
 */
function restart(working: WorkingList, { track, by }: Context): void {
  if (working.list !== track.list || !isFinished(track.todos)) return;
  if (by === "agent" && track.unseen.length > 0) return;
  working.list++;
  working.todos = [];
}

/** A write that repeats all that was done goes on with the finished list. */
function repeats(todos: readonly Todo[], drafts: readonly Draft[]): boolean {
  const done = new Set(
    drafts.filter((draft) => draft.status === "completed").map((draft) => foldText(draft.text)),
  );
  return todos
    .filter((todo) => todo.status === "completed")
    .every((todo) => done.has(foldText(todo.text)));
}

function replace(
  working: WorkingList,
  sent: readonly Draft[],
  context: Context,
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

/** The list as its author knows it: without what a person changed in the meantime. */
function knownTodos(working: WorkingList, { track, by }: Context): readonly Known[] {
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
  // What we showed the model may have been escaped; it is not a new text for that.
  const text = draft.text === line(known.text) ? known.text : draft.text;
  const renamed = foldText(text) !== foldText(known.text);
  return setFields(known, {
    ...(renamed && known.activeText !== undefined && { activeText: null }),
    ...draft,
    text,
  });
}

/** Links between todos come as foreign ids; inside they are ours. */
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
  context: Context,
): readonly Rejection[] {
  const { drafts, rejected } = checkAll(sent, "upsert", context);
  if (rejected.length > 0) return rejected;
  for (const draft of drafts) {
    const known = byForeignId(working.todos, draft.ref);
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

/** Sent again by an agent that does not know yet that a person removed it. */
function wasRemoved(working: WorkingList, draft: Patch, { track, by }: Context): boolean {
  const gone =
    by === "agent" &&
    track.unseen.find(
      ({ removed, knownText }) =>
        removed &&
        (knownText === draft.text || (removed.ref !== undefined && removed.ref === draft.ref)),
    );
  if (gone) working.refused.push(gone.id);
  return Boolean(gone);
}

function add(
  working: WorkingList,
  sent: readonly Draft[],
  unique: boolean,
  context: Context,
): readonly Rejection[] {
  const { drafts, rejected } = checkAll(sent, "add", context);
  if (rejected.length > 0) return rejected;
  // Unique names are identifiers: the list goes on, and what was done keeps its name.
  if (!unique) restart(working, context);
  const refused: Rejection[] = [];
  for (const draft of drafts) {
    if (wasRemoved(working, draft, context)) continue;
    if (unique && working.todos.some((todo) => todo.text === draft.text)) {
      const name = context.words.todo ?? "Todo";
      refused.push({
        code: "already_exists",
        message: modelText`${name} ${identifier(draft.text)} already exists.`,
      });
      continue;
    }
    const todo = newTodo(working, draft, context);
    // A phase keeps its todos together.
    const last = working.todos.findLastIndex((other) => other.phase === todo.phase);
    const place = todo.phase === undefined || last === -1 ? working.todos.length : last + 1;
    working.todos.splice(place, 0, todo);
  }
  return refused;
}
