import { restoreOps } from "../../core/list/undo.ts";
import type { Op, Todo } from "../../core/model.ts";
import { cutGraphemes, forPage } from "../../core/text/escape.ts";
import { isOpen } from "../../core/views/view.ts";

/** A change of the user that the server has not confirmed yet. */
export interface Edit {
  /** Unique: a repeated edit has one effect. */
  readonly key: string;
  readonly ops: readonly Op[];
  /** The todo as the user saw it. */
  readonly base?: Todo;
  /** The list with this change. */
  apply(todos: readonly Todo[]): readonly Todo[];
  /** The text for the user, and the edit that undoes this one in the list after it. */
  readonly done?: { readonly text: string; undo(after: readonly Todo[]): Edit | undefined };
}

const MAX_LABEL = 40;

/** A text in a message. */
export function short(text: string): string {
  return cutGraphemes(forPage(text), MAX_LABEL);
}

/** Not `randomUUID`: hosts may show views in frames that are not secure contexts. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `app-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

const target = (id: string) => ({ any: id });

function withStatus(todos: readonly Todo[], id: string, status: Todo["status"]): readonly Todo[] {
  return todos.map((todo) => (todo.id === id ? { ...todo, status, movedBy: "user" } : todo));
}

/** Completes an open todo, and reopens a closed one. */
export function tick(todo: Todo): Edit {
  const op = isOpen(todo) ? "finish" : "reopen";
  const status = isOpen(todo) ? "completed" : "pending";
  return {
    key: newKey(),
    ops: [{ op, target: target(todo.id) }],
    base: todo,
    apply: (todos) => withStatus(todos, todo.id, status),
    done: {
      text: `${op === "finish" ? "Completed" : "Reopened"} “${short(todo.text)}”`,
      undo: () => ({
        key: newKey(),
        ops: restoreOps(todo, target(todo.id)),
        base: { ...todo, status },
        apply: (todos) => withStatus(todos, todo.id, todo.status),
      }),
    },
  };
}

export function add(text: string, before: readonly Todo[]): Edit {
  const known = new Set(before.map(({ id }) => id));
  const key = newKey();
  return {
    key,
    ops: [{ op: "add", todos: [{ text }] }],
    apply: (todos) => [
      ...todos,
      { id: key, text, status: "pending", createdAt: Date.now(), movedBy: "user", addedBy: "user" },
    ],
    done: {
      text: `Added “${short(text)}”`,
      undo(after) {
        const added = after.findLast((todo) => !known.has(todo.id) && todo.text === text);
        if (!added) return undefined;
        return {
          key: newKey(),
          ops: [{ op: "remove", target: target(added.id) }],
          base: added,
          apply: (todos) => todos.filter(({ id }) => id !== added.id),
        };
      },
    },
  };
}

/** Moves a todo to another place of the list. It joins the phase of that place. */
export function move(todos: readonly Todo[], todo: Todo, to: number): Edit | undefined {
  const from = todos.findIndex(({ id }) => id === todo.id);
  const place = todos[to];
  if (from === -1 || !place || from === to) return undefined;
  const phase = place.phase ?? null;
  const ops: Op[] = [{ op: "move", target: target(todo.id), to }];
  if (phase !== (todo.phase ?? null))
    ops.push({ op: "edit", target: target(todo.id), set: { phase } });
  return {
    key: newKey(),
    ops,
    apply(now) {
      const rest = now.filter(({ id }) => id !== todo.id);
      const moved = now.find(({ id }) => id === todo.id);
      return moved ? rest.toSpliced(to, 0, moved) : now;
    },
    done: {
      text: `Moved “${short(todo.text)}”`,
      undo: (after) => {
        const now = after.find(({ id }) => id === todo.id);
        return now && move(after, { ...now, ...{ phase: todo.phase } } as Todo, from);
      },
    },
  };
}
