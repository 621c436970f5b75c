import * as z from "zod/mini";
import type { Todo } from "../../core/model.ts";
import { modelText } from "../../core/text/model-text.ts";
import { renderTodos } from "../../tools/render.ts";
import { defineTool } from "../../tools/tool.ts";

const input = z.strictObject({
  explanation: z.optional(z.string()),
  plan: z.array(
    z.strictObject({ step: z.string(), status: z.enum(["pending", "in_progress", "completed"]) }),
  ),
});

type Input = z.infer<typeof input>;

/** The plan tool of Codex and OpenClaw: its steps are the todos. */
export const updatePlan = defineTool<Input>({
  id: "update_plan",
  name: "update_plan",
  title: "Plan",
  input,
  examples: [
    {
      explanation: "The schema must change first.",
      plan: [
        { step: "Add the column", status: "in_progress" },
        { step: "Backfill old rows", status: "pending" },
      ],
    },
  ],
  strict: true,
  policy: {},
  fieldNames: { replace: modelText`plan`, text: modelText`step`, comment: modelText`explanation` },
  decode: ({ plan, explanation }) => ({
    ops: [{ op: "replace", todos: plan.map(({ step, status }) => ({ text: step, status })) }],
    ...(explanation && { comment: explanation }),
  }),
  answer: ({ after }, { explanation }) => ({
    text: renderTodos(after.todos),
    data: { ...(explanation !== undefined && { explanation }), plan: after.todos.map(stepOf) },
  }),
});

function stepOf({ text, status }: Todo) {
  return { step: text, status };
}
