import * as z from "zod/mini";
import type { Intent } from "../../core/list/access.ts";
import { shortQuote } from "../../core/list/target.ts";
import type { Rejection, Todo, Track } from "../../core/model.ts";
import { joinText, modelText } from "../../core/text/model-text.ts";
import { renderTodos } from "../../tools/render.ts";
import { defineTool } from "../../tools/tool.ts";

const entry = z.strictObject({
  id: z.string(),
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  blockedBy: z.optional(z.array(z.string())),
});

const input = z.strictObject({ todos: z.array(entry) });

type Entry = z.infer<typeof entry>;
type Input = z.infer<typeof input>;

/** Qwen Code's list tool. Entries have ids and can be blocked by others. */
export const todoWriteQwen = defineTool<Input>({
  id: "todo_write.qwen",
  name: "todo_write",
  title: "Todo list",
  input,
  examples: [
    {
      todos: [
        { id: "1", content: "Rename the metric", status: "in_progress" },
        { id: "2", content: "Update the dashboard", status: "pending", blockedBy: ["1"] },
      ],
    },
  ],
  strict: true,
  policy: {},
  fieldNames: { text: modelText`content`, ref: modelText`id` },
  fits: (sent) => typeof sent === "object" && sent !== null && "todos" in sent,
  decode,
  answer: ({ after: { todos } }) => ({
    text: renderTodos(todos),
    data: {
      todos: todos.map((todo) => ({
        id: refOf(todos, todo.id),
        content: todo.text,
        status: todo.status,
        ...(todo.blockedBy && { blockedBy: todo.blockedBy.map((id) => refOf(todos, id)) }),
      })),
    },
  }),
});

function refOf(todos: readonly Todo[], id: string): string {
  return todos.find((todo) => todo.id === id)?.ref ?? id;
}

function decode({ todos: sent }: Input, track: Track): Intent {
  // Without blockedBy, an entry keeps its blockers.
  const known = new Map(track.todos.map((todo) => [todo.ref, todo]));
  const ids = new Set(sent.map(({ id }) => id));
  const todos = sent.map((todo) => ({
    ...todo,
    blockedBy:
      todo.blockedBy ??
      (known.get(todo.id)?.blockedBy ?? [])
        .map((id) => refOf(track.todos, id))
        .filter((id) => ids.has(id)),
  }));
  const rejected = problems(todos);
  if (rejected.length > 0) return { rejected };
  return {
    ops: [
      {
        op: "replace",
        todos: todos.map(({ id, content, status, blockedBy }) => ({
          ref: id,
          text: content,
          status,
          blockedBy: blockedBy.length > 0 ? blockedBy : null,
        })),
      },
    ],
  };
}

function problems(todos: readonly (Entry & { blockedBy: readonly string[] })[]): Rejection[] {
  const found: Rejection[] = [];
  const seen = new Set<string>();
  const edges = new Map(todos.map(({ id, blockedBy }) => [id, blockedBy]));
  todos.forEach(({ id, blockedBy }, index) => {
    const path = modelText`todos[${index}]`;
    if (seen.has(id))
      found.push({
        code: "already_exists",
        message: modelText`${path}.id ${shortQuote(id)} is used twice. Give each todo its own id.`,
      });
    seen.add(id);
    for (const other of blockedBy) {
      if (other === id)
        found.push({
          code: "cycle",
          message: modelText`${path}.blockedBy contains the id of the todo itself.`,
        });
      else if (!edges.has(other))
        found.push({
          code: "not_found",
          message: modelText`${path}.blockedBy: no todo has the id ${shortQuote(other)}.`,
        });
    }
  });
  const cycle = found.length === 0 ? findCycle(edges) : undefined;
  if (cycle) {
    const ids = joinText(cycle.slice(0, 8).map(shortQuote), " -> ");
    found.push({
      code: "cycle",
      message: modelText`blockedBy creates a dependency cycle: ${ids}.`,
    });
  }
  return found;
}

/** The ids of the first cycle, in order. Not recursive, because lists may be long. */
function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const path: string[] = [];
    const open: (string | null)[] = [start];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (id === null) {
        const left = path.pop();
        if (left !== undefined) done.add(left);
        continue;
      }
      if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
      if (done.has(id)) continue;
      path.push(id);
      open.push(null, ...(edges.get(id) ?? []));
    }
  }
  return undefined;
}
