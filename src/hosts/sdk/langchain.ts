import type { ReadyTool } from "../../tools/toolbox.ts";
import { callTool, type Situation } from "./call.ts";
import { openSchema } from "./open-schema.ts";

const DOOR = "langchain";

/** What the tool's function is given besides its input. */
export interface LangChainCall {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
}

export interface LangChainFields {
  name: string;
  description: string;
  schema: object;
  responseFormat: "content_and_artifact";
}

/** `tool` of `@langchain/core/tools`. */
export type LangChainTool<T> = (
  execute: (input: unknown, call?: LangChainCall) => Promise<[text: string, artifact: unknown]>,
  fields: LangChainFields,
) => T;

/** The model reads the text; the whole result is the artifact of the tool's message. */
export function langchainTools<T>(
  tools: readonly ReadyTool[],
  tool: LangChainTool<T>,
  situation: Situation = {},
): T[] {
  return tools.map((ready) =>
    tool(
      async (input, given) => {
        const call = { door: DOOR, id: given?.toolCall?.id, signal: given?.signal };
        const result = await callTool(ready, input, call, situation);
        return [result.text, result];
      },
      {
        name: ready.name,
        description: ready.description,
        schema: openSchema(ready.inputSchema),
        responseFormat: "content_and_artifact",
      },
    ),
  );
}
