import type { Awaitable } from "../core/awaitable.ts";
import type { Door } from "../core/door.ts";
import type { Size, ToolId } from "../core/guidance.ts";
import { TOOLS } from "./index.ts";
import { type CallOptions, refusal, runTool, type ToolResult } from "./run.ts";
import { definitionOf, type Tool, type ToolDefinition } from "./tool.ts";

export interface ToolboxOptions {
  /** Which tools; the native one by default. */
  readonly tools?: readonly ToolId[];
  /** How much the descriptions say. */
  readonly size?: Size;
  /** A setting of the host can switch the tools off. */
  readonly enabled?: boolean;
  /** The tools are for a subagent, which by default gets none. */
  readonly subagent?: boolean;
  readonly allowSubagents?: boolean;
  /** Names of situations in which the host wants no list writes, such as "git commit". */
  readonly offIn?: readonly string[];
}

export interface ToolCall extends CallOptions {
  /** The situation the host is in. */
  readonly context?: string;
}

/** A tool ready to be handed to a model: what it is, and what carries it out. */
export interface ReadyTool extends ToolDefinition {
  readonly id: ToolId;
  execute(input: unknown, call?: ToolCall): Awaitable<ToolResult>;
}

export function todoTools(door: Door, options: ToolboxOptions = {}): readonly ReadyTool[] {
  const { tools = ["todos"], enabled = true, subagent = false, allowSubagents = false } = options;
  if (!enabled || (subagent && !allowSubagents)) return [];
  return TOOLS.filter((tool) => tools.includes(tool.id)).map((tool) =>
    readyTool(tool, door, options),
  );
}

function readyTool(tool: Tool, door: Door, { size, offIn = [] }: ToolboxOptions): ReadyTool {
  return {
    id: tool.id,
    ...definitionOf(tool, size),
    execute: (input, given) => {
      const { context, ...call } = given ?? {};
      if (context !== undefined && offIn.includes(context))
        return refusal([
          {
            code: "gated",
            message: `The list is not written during ${context}. Go on without it.`,
          },
        ]);
      return runTool(tool, input, door, call);
    },
  };
}
