import { jsonSchema, type Tool } from "ai";
import type { ToolResult } from "../../tools/run.ts";
import type { ReadyTool } from "../../tools/toolbox.ts";
import { callTool, type Situation } from "./call.ts";

const DOOR = "ai";

/** The model reads the text; whoever draws the conversation gets everything. */
export type AiTool = Tool<unknown, ToolResult>;

export function aiTools(
  tools: readonly ReadyTool[],
  situation: Situation = {},
): Record<string, AiTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, aiTool(tool, situation)]));
}

function aiTool(ready: ReadyTool, situation: Situation): AiTool {
  return {
    title: ready.title,
    description: ready.description,
    // Not checked here: the tool itself understands more than it publishes and says what is wrong.
    inputSchema: jsonSchema<unknown>(ready.inputSchema),
    inputExamples: ready.examples.map((input) => ({ input })),
    execute: (input, { toolCallId, abortSignal }) =>
      callTool(ready, input, { door: DOOR, id: toolCallId, signal: abortSignal }, situation),
    toModelOutput: ({ output: { ok, text } }) => ({
      type: ok ? ("text" as const) : ("error-text" as const),
      value: text,
    }),
  };
}
