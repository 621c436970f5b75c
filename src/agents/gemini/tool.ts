import * as z from "zod/mini";
import { STATUSES } from "../../core/model.ts";
import { modelText } from "../../core/text/model-text.ts";
import { renderTodos } from "../../tools/render.ts";
import { defineTool } from "../../tools/tool.ts";

const status = z.enum(STATUSES);

const input = z.strictObject({
  todos: z.array(z.strictObject({ description: z.string(), status })),
});

/** LangChain's form. Some models add activeForm. */
const older = z.strictObject({
  todos: z.array(
    z.strictObject({ content: z.string(), status, activeForm: z.optional(z.string()) }),
  ),
});

interface Entry {
  readonly description?: string;
  readonly content?: string;
  readonly activeForm?: string;
  readonly status: z.infer<typeof status>;
}

/** The list tool of Gemini CLI and of LangChain, which calls the text `content`. */
export const writeTodos = defineTool<{ todos: Entry[] }>({
  id: "write_todos",
  name: "write_todos",
  title: "Todo list",
  input: input as z.ZodMiniType<{ todos: Entry[] }>,
  older: older as z.ZodMiniType<{ todos: Entry[] }>,
  examples: [
    {
      todos: [
        { description: "Translate the notes", status: "in_progress" },
        { description: "Check the links", status: "pending" },
      ],
    },
  ],
  strict: true,
  policy: {},
  fieldNames: { text: modelText`description`, activeText: modelText`activeForm` },
  decode: ({ todos }) => ({
    ops: [
      {
        op: "replace",
        todos: todos.map(({ description, content, activeForm, status }) => ({
          text: description ?? content ?? "",
          status,
          ...(activeForm !== undefined && { activeText: activeForm }),
        })),
      },
    ],
  }),
  answer: ({ after }, call) => {
    const name = call.todos.some((entry) => entry.content !== undefined)
      ? "content"
      : "description";
    return {
      text: renderTodos(after.todos),
      data: { todos: after.todos.map(({ text, status }) => ({ [name]: text, status })) },
    };
  },
});
