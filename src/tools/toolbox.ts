import { argumentError, hasMethods, unknownName } from "../core/argument.ts";
import type { Awaitable } from "../core/awaitable.ts";
import type { Size, ToolId } from "../core/guidance/prompts.ts";
import type { Door } from "../core/list/intent.ts";
import type { Policy } from "../core/list/policy.ts";
import { TOOLS } from "./index.ts";
import { type CallOptions, gated, refusal, runTool, type ToolResult } from "./run.ts";
import { definitionOf, type Tool, type ToolDefinition } from "./tool.ts";

/** When tools are handed out, and when they are off. */
export interface GateOptions {
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

export interface ToolboxOptions extends GateOptions {
  /** Which tools; the native one by default. */
  readonly tools?: readonly ToolId[];
  /** The limits that the descriptions state; `createTracker` passes its own. */
  readonly policy?: Partial<Policy>;
}

export interface ToolCall extends CallOptions {
  /** The situation the host is in. */
  readonly context?: string;
}

/** What a tool on the list or on the team's tasks answers. */
export interface ToolAnswer extends Omit<ToolResult, "rejected"> {
  readonly rejected: readonly { readonly code: string; readonly message: string }[];
}

/** A tool ready to be handed to a model: what it is, and what carries it out. */
export interface ReadyTool<R extends ToolAnswer = ToolResult, Id extends string = ToolId>
  extends ToolDefinition {
  readonly id: Id;
  execute(input: unknown, call?: ToolCall): Awaitable<R>;
}

/** A tool on the list or on the team's tasks. */
export type AnyReadyTool = ReadyTool<ToolAnswer, string>;

export function isOffered({
  enabled = true,
  subagent = false,
  allowSubagents = false,
}: GateOptions): boolean {
  return enabled && (!subagent || allowSubagents);
}

export function todoTools(door: Door, options: ToolboxOptions = {}): readonly ReadyTool[] {
  const { tools = ["todos"] } = options;
  if (!hasMethods(door, ["read", "write"]))
    throw argumentError(
      "todoTools(list)",
      "a list of a tracker",
      door,
      "Call todoTools(tracker.own) or todoTools(tracker.list({ session, agent })).",
    );
  checkToolNames(tools, TOOLS);
  if (!isOffered(options)) return [];
  return TOOLS.filter((tool) => tools.includes(tool.id)).map((tool) =>
    readyTool(tool, door, options),
  );
}

/** Rejects names that are not of these tools. */
export function checkToolNames(
  names: readonly string[],
  tools: readonly { readonly id: string }[],
): void {
  if (!Array.isArray(names))
    throw argumentError("tools", "an array of tool names", names, 'Pass tools: ["todos"].');
  const known = tools.map(({ id }) => id);
  const wrong = names.findIndex((name) => !known.includes(name));
  if (wrong !== -1) throw unknownName("tool", names[wrong], known);
}

function readyTool(
  tool: Tool,
  door: Door,
  { size, offIn = [], policy }: ToolboxOptions,
): ReadyTool {
  return {
    id: tool.id,
    ...definitionOf(tool, size, policy),
    execute: (input, given) => {
      const { context, ...call } = given ?? {};
      if (context !== undefined && offIn.includes(context)) return refusal([gated(context)]);
      return runTool(tool, input, door, call);
    },
  };
}
