import * as z from "zod/mini";
import type { Draft, Todo } from "../../../core/model.ts";
import { modelText } from "../../../core/text/model-text.ts";
import { isFinished } from "../../../core/views/view.ts";
import { renderTodos } from "../../../tools/render.ts";
import { defineTool } from "../../../tools/tool.ts";

const status = z.enum(["pending", "in_progress", "completed"]);

const input = z.strictObject({
  todos: z.array(z.strictObject({ content: z.string(), status, activeForm: z.string() })),
});

/** Earlier versions had an id, and for a while a priority, instead of activeForm. */
const older = z.strictObject({
  todos: z.array(
    z.strictObject({
      content: z.string(),
      status,
      id: z.string(),
      priority: z.optional(z.string()),
      activeForm: z.optional(z.string()),
    }),
  ),
});

interface Entry {
  readonly content: string;
  readonly status: z.infer<typeof status>;
  readonly activeForm?: string | undefined;
  readonly id?: string | undefined;
  readonly priority?: string | undefined;
}

/** Claude Code's list tool, which writes the whole list. */
export const todoWrite = defineTool<{ todos: Entry[] }>({
  id: "TodoWrite",
  name: "TodoWrite",
  title: "Todo list",
  input: input as z.ZodMiniType<{ todos: Entry[] }>,
  older: older as z.ZodMiniType<{ todos: Entry[] }>,
  examples: [
    {
      todos: [
        {
          content: "Read the failing log",
          status: "completed",
          activeForm: "Reading the failing log",
        },
        { content: "Fix the time zone", status: "in_progress", activeForm: "Fixing the time zone" },
        { content: "Run the tests", status: "pending", activeForm: "Running the tests" },
      ],
    },
  ],
  strict: true,
  policy: {},
  fieldNames: { text: modelText`content`, activeText: modelText`activeForm`, ref: modelText`id` },
  decode: ({ todos }) => ({ ops: [{ op: "replace", todos: todos.map(draftOf) }] }),
  answer: ({ before, after }) => ({
    text: renderTodos(after.todos),
    data: {
      // A finished list counts as empty: the next write starts a new one.
      oldTodos: isFinished(before.todos) ? [] : before.todos.map(entryOf),
      newTodos: after.todos.map(entryOf),
    },
  }),
});

function draftOf({ content, status, activeForm, id, priority }: Entry): Draft {
  return {
    text: content,
    status,
    ...(activeForm !== undefined && { activeText: activeForm }),
    ...(id !== undefined && { ref: id }),
    ...(priority !== undefined && { priority }),
  };
}

/** An entry of this tool, which has only three statuses. */
function entryOf(todo: Todo): Entry {
  const known = status.safeParse(todo.status);
  return {
    content: todo.text,
    status: known.success ? known.data : todo.status === "cancelled" ? "completed" : "pending",
    activeForm: todo.activeText ?? todo.text,
    ...(todo.ref !== undefined && { id: todo.ref }),
  };
}
