import type { ReadyTool } from "../../tools/toolbox.ts";
import { callToolWithText, type Situation } from "./call.ts";
import { isStrictSchema } from "./strict.ts";

const DOOR = "openai-agents";

/** A function tool of the OpenAI Agents SDK, as its `tool()` makes them. */
export interface AgentsTool {
  type: "function";
  name: string;
  description: string;
  // biome-ignore format: the SDK's own shape of a schema
  parameters: { type: "object"; properties: Record<string, never>; required: string[]; additionalProperties: false };
  strict: boolean;
  invoke(context: unknown, input: string, details?: AgentsCall): Promise<string>;
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

export interface AgentsCall {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}

export function agentsTools(tools: readonly ReadyTool[], situation: Situation = {}): AgentsTool[] {
  return tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.inputSchema } as AgentsTool["parameters"],
    strict: isStrictSchema(tool.inputSchema),
    invoke: async (_, input, details) => {
      const call = { door: DOOR, id: details?.toolCall?.callId, signal: details?.signal };
      return (await callToolWithText(tool, input, call, situation)).text;
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  }));
}
