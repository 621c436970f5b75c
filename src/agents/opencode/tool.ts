import * as z from "zod/mini";
import { modelText } from "../../core/text/model-text.ts";
import { parseStatus } from "../../core/text/status.ts";
import { renderTodos } from "../../tools/render.ts";
import { defineTool } from "../../tools/tool.ts";

const fields = { content: z.string(), status: z.string(), priority: z.string() };
const input = z.strictObject({ todos: z.array(z.strictObject(fields)) });
/** Up to version 1.1, entries had an id. */
const older = z.strictObject({ todos: z.array(z.strictObject({ ...fields, id: z.string() })) });

interface Entry {
  readonly content: string;
  readonly status: string;
  readonly priority: string;
  readonly id?: string;
}

/** opencode's list tool. Its statuses are free text: an unknown one is kept, and counts as pending. */
export const todowrite = defineTool<{ todos: Entry[] }>({
  id: "todowrite",
  name: "todowrite",
  title: "Todo list",
  input: input as z.ZodMiniType<{ todos: Entry[] }>,
  older: older as z.ZodMiniType<{ todos: Entry[] }>,
  examples: [
    {
      todos: [{ content: "Seed the clock in the tests", status: "in_progress", priority: "high" }],
    },
  ],
  strict: true,
  policy: {},
  fieldNames: { text: modelText`content`, ref: modelText`id`, rawStatus: modelText`status` },
  decode: ({ todos }) => ({
    ops: [
      {
        op: "replace",
        todos: todos.map(({ content, status, priority, id }) => ({
          text: content,
          rawStatus: null,
          ...parseStatus(status),
          ...(priority.trim() !== "" && { priority }),
          ...(id !== undefined && { ref: id }),
        })),
      },
    ],
  }),
  answer: ({ after }) => ({
    text: renderTodos(after.todos),
    data: {
      todos: after.todos.map(({ text, status, rawStatus, priority, ref }) => ({
        content: text,
        status: rawStatus ?? status,
        priority: priority ?? "medium",
        ...(ref !== undefined && { id: ref }),
      })),
    },
  }),
});
