import {
  DEFAULT_PHASE,
  type Rejection,
  type Target,
  type Todo,
  type UnseenEdit,
} from "../model.ts";
import { byteLength } from "../text/escape.ts";
import { joinText, line, type ModelText, modelText, quote } from "../text/model-text.ts";
import { foldText } from "./match.ts";

/** What the sender of a submission calls our things. */
export type Words = Readonly<Record<string, ModelText>>;

export type Found =
  | { readonly ok: true; readonly todos: readonly Todo[] }
  | { readonly ok: false; readonly rejection: Rejection };

/** In bytes. Longer than any todo that a default policy accepts. */
const MAX_IDENTIFIER = 2_000;
/** In characters, for the names that exist. */
const MAX_NAMES = 600;

/** Enough of a text to recognize it. */
export function shortQuote(text: string): ModelText {
  return quote(text, 60, byteLength);
}

/** A name by which todos are found exactly; cut, it would find none. */
export function identifier(text: string): ModelText {
  return quote(text, MAX_IDENTIFIER, byteLength);
}

/** The todos that an op means. */
export function findTargets(
  todos: readonly Todo[],
  target: Target,
  words: Words,
  unseen: readonly UnseenEdit[] = [],
): Found {
  // Who means all of them means all that they know of.
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
      : notFound(todos, "phase", target.phase, words);
  }
  if ("text" in target) {
    const found =
      todos.find((todo) => todo.text === target.text) ??
      todos.find((todo) => todo.sentText === target.text) ??
      todos.find((todo) => line(todo.text) === target.text) ??
      renamed(todos, target.text, unseen);
    if (found) return { ok: true, todos: [found] };
    return removedByUser(target.text, unseen, words) ?? notFound(todos, "text", target.text, words);
  }
  if ("ref" in target) {
    const found = byForeignId(todos, target.ref);
    return found ? { ok: true, todos: [found] } : notFound(todos, "todo", target.ref, words);
  }
  const found = findLoosely(todos, target.any, words);
  const former = found.ok ? undefined : renamed(todos, target.any, unseen);
  if (former) return { ok: true, todos: [former] };
  return (found.ok ? undefined : removedByUser(target.any, unseen, words)) ?? found;
}

/** By the text that the agent knows, where a person has changed it since. */
function renamed(
  todos: readonly Todo[],
  wanted: string,
  unseen: readonly UnseenEdit[],
): Todo | undefined {
  const edit = unseen.find(({ knownText }) => foldText(knownText) === foldText(wanted));
  return edit && todos.find((todo) => todo.id === edit.id);
}

function removedByUser(
  wanted: string,
  unseen: readonly UnseenEdit[],
  words: Words,
): Found | undefined {
  const gone = unseen.find(
    ({ id, removed, knownText }) =>
      removed && (id === wanted.trim() || foldText(knownText) === foldText(wanted)),
  );
  if (!gone) return undefined;
  const message = modelText`${words.todo ?? "Todo"} ${shortQuote(wanted)} not found: the user removed it.`;
  return { ok: false, rejection: { code: "not_found", message } };
}

/** A todo that came without a foreign id is known outside by ours. */
export function byForeignId(
  todos: readonly Todo[],
  id: string | null | undefined,
): Todo | undefined {
  if (id === undefined || id === null) return undefined;
  return (
    todos.find((todo) => todo.ref === id) ??
    todos.find((todo) => todo.ref === undefined && todo.id === id)
  );
}

function findLoosely(todos: readonly Todo[], wanted: string, words: Words): Found {
  const folded = foldText(wanted);
  if (folded === "") return notFound(todos, "todo", wanted, words);
  const exact =
    todos.find((todo) => todo.id === wanted.trim()) ??
    todos.find((todo) => todo.ref === wanted) ??
    todos.find((todo) => todo.text === wanted) ??
    todos.find((todo) => foldText(todo.text) === folded) ??
    // As it was shown, escapes included.
    todos.find((todo) => line(todo.text) === wanted);
  if (exact) return { ok: true, todos: [exact] };
  const partial = todos.filter((todo) => foldText(todo.text).includes(folded));
  const [only, other] = partial;
  if (!only) return notFound(todos, "todo", wanted, words);
  if (!other) return { ok: true, todos: [only] };
  const names = partial.map((todo) => modelText`${line(todo.id)} ${shortQuote(todo.text)}`);
  return {
    ok: false,
    rejection: {
      code: "ambiguous",
      message: modelText`${shortQuote(wanted)} fits ${partial.length} todos: ${some(names, 3)}. Give the id.`,
    },
  };
}

function notFound(
  todos: readonly Todo[],
  kind: "todo" | "text" | "phase",
  wanted: string,
  words: Words,
): Found {
  const name = kind === "phase" ? "Phase" : (words.todo ?? "Todo");
  const sought = kind === "todo" ? shortQuote(wanted) : identifier(wanted);
  const known = {
    todo: () =>
      modelText`Ids: ${some(
        todos.map((todo) => line(todo.id)),
        12,
      )}`,
    text: () => modelText`${name}s: ${identifiers(todos.map((todo) => todo.text))}`,
    phase: () => modelText`Phases: ${identifiers(todos.map(phaseOf))}`,
  };
  const hint = todos.length === 0 ? modelText`The list is empty` : known[kind]();
  return {
    ok: false,
    rejection: { code: "not_found", message: modelText`${name} ${sought} not found. ${hint}.` },
  };
}

function phaseOf(todo: Todo): string {
  return todo.phase ?? DEFAULT_PHASE;
}

/** Whole names in their order, as many as fit, and how many more there are. */
function identifiers(texts: readonly string[]): ModelText {
  const names = [...new Set(texts)].map(identifier);
  let room = MAX_NAMES;
  const fitting = names.findIndex((name) => {
    room -= name.length;
    return room < 0;
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
