import type { Track } from "../../src/core/model.ts";
import type { Model, Operation } from "./search.ts";

/** A call on a list. Each text is written once, so it names its todo. */
export type ListInput = {
  /** The write is refused unless the list has this revision. */
  readonly revision?: number;
  readonly key?: string;
} & (
  | { readonly op: "add" | "start" | "remove"; readonly text: string }
  | { readonly op: "set"; readonly texts: readonly string[] }
  | { readonly op: "read" }
);

export interface ListState {
  readonly revision: number;
  readonly todos: readonly string[];
  readonly started: string | undefined;
}

export function listStateOf({ todos, revision }: Track): ListState {
  return {
    revision,
    todos: todos.map(({ text }) => text),
    started: todos.find(({ status }) => status === "in_progress")?.text,
  };
}

/** The list as the answer shows it, and why the write was refused. */
export interface ListOutput {
  /** Undefined if the call was repeated and the first one had taken effect: the list may have changed since. */
  readonly list?: ListState;
  readonly refused?: string;
}

/** The todos after a write; undefined if the rules refuse it. */
function written({ todos, started }: ListState, input: ListInput) {
  switch (input.op) {
    case "add":
      return { todos: [...todos, input.text], started };
    case "set":
      return { todos: input.texts, started: undefined };
    case "start":
      return todos.includes(input.text) ? { todos, started: input.text } : undefined;
    case "remove":
      if (!todos.includes(input.text)) return undefined;
      return {
        todos: todos.filter((text) => text !== input.text),
        started: started === input.text ? undefined : started,
      };
    default:
      return { todos, started };
  }
}

const keyOf = ({ revision, todos, started }: ListState) => `${revision} ${todos} ${started}`;

function after(state: ListState, input: ListInput): ListState | string {
  if (input.revision !== undefined && input.revision !== state.revision) return "conflict";
  const next = written(state, input);
  if (!next) return "not_found";
  const isSame = keyOf({ ...state, ...next }) === keyOf(state);
  return isSame ? state : { ...next, revision: state.revision + 1 };
}

export const LIST: Model<ListState, ListInput, ListOutput> = {
  initial: { revision: 0, todos: [], started: undefined },
  step(state, { input, output }: Operation<ListInput, ListOutput>) {
    const next = after(state, input);
    if (!output) return typeof next === "string" ? undefined : next;
    const shown = typeof next === "string" ? state : next;
    const refused = typeof next === "string" ? next : undefined;
    if (output.refused !== refused) return undefined;
    if (output.list && keyOf(output.list) !== keyOf(shown)) return undefined;
    return shown;
  },
  key: keyOf,
};
