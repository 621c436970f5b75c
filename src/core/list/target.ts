import { LIST_REFUSALS } from "../guidance/refusal-texts.ts";
import {
  DEFAULT_PHASE,
  type Rejection,
  type Todo,
  type TodoTarget,
  type UnseenEdit,
} from "../model.ts";
import { byteLength } from "../text/escape.ts";
import { joinText, line, type ModelText, modelText, quote } from "../text/model-text.ts";
import { normalizeText } from "./match.ts";

/** The sender's names for our fields and ops, used in messages. */
export type FieldNames = Readonly<Record<string, ModelText>>;

/** The selected todos, or why there are none. */
export type TargetResult =
  | { readonly ok: true; readonly todos: readonly Todo[] }
  | { readonly ok: false; readonly rejection: Rejection };

/** In bytes: longer than any text that the default policy accepts. */
const MAX_IDENTIFIER = 2_000;
/** In characters, for the list of existing names. */
const MAX_NAMES = 600;

/** A quoted text, cut to what is needed to recognize it. */
export function shortQuote(text: string): ModelText {
  return quote(text, 60, byteLength);
}

/** A quoted name that ops match exactly, so it is not cut like other texts. */
export function identifier(text: string): ModelText {
  return quote(text, MAX_IDENTIFIER, byteLength);
}

/** Finds the todos that a target selects. */
export function findTargets(
  todos: readonly Todo[],
  target: TodoTarget,
  fieldNames: FieldNames,
  unseen: readonly UnseenEdit[] = [],
): TargetResult {
  // "All" means all that the agent knows about.
  const added = new Set(unseen.flatMap((edit) => (edit.added ? [edit.id] : [])));
  const known = todos.filter((todo) => !added.has(todo.id));
  if ("all" in target) return { ok: true, todos: known };
  if ("phase" in target) {
    const named = new Set(
      known.filter(({ sentPhase }) => sentPhase === target.phase).map(phaseOf),
    ).add(target.phase);
    const found = known.filter((todo) => named.has(phaseOf(todo)));
    return found.length > 0
      ? { ok: true, todos: found }
      : notFound(todos, "phase", target.phase, fieldNames);
  }
  if ("text" in target) {
    const found =
      todos.find((todo) => todo.text === target.text) ??
      todos.find((todo) => todo.sentText === target.text) ??
      todos.find((todo) => line(todo.text) === target.text) ??
      renamed(todos, target.text, unseen);
    if (found) return { ok: true, todos: [found] };
    return (
      removedByUser(target.text, unseen, fieldNames) ??
      notFound(todos, "text", target.text, fieldNames)
    );
  }
  if ("ref" in target) {
    const found = findByRef(todos, target.ref);
    return found ? { ok: true, todos: [found] } : notFound(todos, "todo", target.ref, fieldNames);
  }
  const found = findLoosely(todos, target.any, fieldNames);
  const former = found.ok ? undefined : renamed(todos, target.any, unseen);
  if (former) return { ok: true, todos: [former] };
  return (found.ok ? undefined : removedByUser(target.any, unseen, fieldNames)) ?? found;
}

/** Finds a todo that the user renamed, by the text that the agent knows. */
function renamed(
  todos: readonly Todo[],
  wanted: string,
  unseen: readonly UnseenEdit[],
): Todo | undefined {
  const edit = unseen.find(({ knownText }) => normalizeText(knownText) === normalizeText(wanted));
  return edit && todos.find((todo) => todo.id === edit.id);
}

function removedByUser(
  wanted: string,
  unseen: readonly UnseenEdit[],
  fieldNames: FieldNames,
): TargetResult | undefined {
  const edit = unseen.find(
    ({ id, removed, knownText }) =>
      removed && (id === wanted.trim() || normalizeText(knownText) === normalizeText(wanted)),
  );
  if (!edit) return undefined;
  const noun = fieldNames.todo === undefined ? modelText`todo` : modelText`task`;
  const message = LIST_REFUSALS.removed(noun, shortQuote(wanted));
  return { ok: false, rejection: { code: "not_found", message } };
}

/** Finds a todo by its `ref`, or by its id if it has no `ref`. */
export function findByRef(todos: readonly Todo[], id: string | null | undefined): Todo | undefined {
  if (id === undefined || id === null) return undefined;
  return (
    todos.find((todo) => todo.ref === id) ??
    todos.find((todo) => todo.ref === undefined && todo.id === id)
  );
}

function findLoosely(todos: readonly Todo[], wanted: string, fieldNames: FieldNames): TargetResult {
  const normalized = normalizeText(wanted);
  if (normalized === "") return notFound(todos, "todo", wanted, fieldNames);
  const exact =
    todos.find((todo) => todo.id === wanted.trim()) ??
    todos.find((todo) => todo.ref === wanted) ??
    todos.find((todo) => todo.text === wanted) ??
    todos.find((todo) => normalizeText(todo.text) === normalized) ??
    // As it was shown to the model, with escapes.
    todos.find((todo) => line(todo.text) === wanted);
  if (exact) return { ok: true, todos: [exact] };
  const partial = todos.filter((todo) => normalizeText(todo.text).includes(normalized));
  const [only, other] = partial;
  if (!only) return notFound(todos, "todo", wanted, fieldNames);
  if (!other) return { ok: true, todos: [only] };
  const names = partial.map((todo) => modelText`${line(todo.id)} ${shortQuote(todo.text)}`);
  return {
    ok: false,
    rejection: {
      code: "ambiguous",
      message: LIST_REFUSALS.ambiguous(shortQuote(wanted), partial.length, some(names, 3)),
    },
  };
}

function notFound(
  todos: readonly Todo[],
  kind: "todo" | "text" | "phase",
  wanted: string,
  fieldNames: FieldNames,
): TargetResult {
  const noun = kind === "phase" ? modelText`Phase` : (fieldNames.todo ?? modelText`Todo`);
  const known = {
    todo: () =>
      modelText`Ids: ${some(
        todos.map((todo) => line(todo.id)),
        12,
      )}`,
    text: () => modelText`${noun}s: ${identifiers(todos.map((todo) => todo.text))}`,
    phase: () => modelText`Phases: ${identifiers(todos.map(phaseOf))}`,
  };
  const hint = todos.length === 0 ? LIST_REFUSALS.emptyList : known[kind]();
  const message =
    kind !== "todo"
      ? LIST_REFUSALS.notFound(noun, identifier(wanted), hint)
      : /^\d+$/.test(wanted)
        ? LIST_REFUSALS.unknownId(shortQuote(wanted), hint)
        : LIST_REFUSALS.noMatch(shortQuote(wanted), hint);
  return { ok: false, rejection: { code: "not_found", message } };
}

function phaseOf(todo: Todo): string {
  return todo.phase ?? DEFAULT_PHASE;
}

/** As many whole names as fit, in order, and the number of the others. */
function identifiers(texts: readonly string[]): ModelText {
  const names = [...new Set(texts)].map(identifier);
  let budget = MAX_NAMES;
  const fitting = names.findIndex((name) => {
    budget -= name.length;
    return budget < 0;
  });
  const count = fitting === -1 ? names.length : Math.max(1, fitting);
  const more = names.length - count;
  return joinText(
    [...names.slice(0, count), ...(more > 0 ? [modelText`and ${more} more`] : [])],
    ", ",
  );
}

function some(names: readonly ModelText[], max: number): ModelText {
  return joinText(
    [...names.slice(0, max), ...(names.length > max ? [modelText`\u2026`] : [])],
    ", ",
  );
}
