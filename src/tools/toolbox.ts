import { argumentError, hasMethods, unknownName } from "../core/argument.ts";
import type { Awaitable } from "../core/awaitable.ts";
import type { Size, ToolId } from "../core/guidance/prompts.ts";
import type { ListAccess, SyncListAccess } from "../core/list/access.ts";
import type { Policy } from "../core/list/policy.ts";
import { TOOLS } from "./index.ts";
import { type CallOptions, gated, refusal, runTool, type ToolResult } from "./run.ts";
import { definitionOf, type Tool, type ToolDefinition } from "./tool.ts";

/** When tools are offered, and when they refuse writes. */
export interface GateOptions {
  /** Length of the descriptions (default: `short`). */
  readonly size?: Size;
  /** Offer the tools (default: true). */
  readonly enabled?: boolean;
  /** The tools are for a subagent, which gets none by default. */
  readonly subagent?: boolean;
  readonly allowSubagents?: boolean;
  /** Operations during which the list is read-only, such as "git commit". */
  readonly offIn?: readonly string[];
}

/** Options of the tools on a list. */
export interface ToolboxOptions extends GateOptions {
  /** Which tools, in this order (default: `["todos"]`). */
  readonly tools?: readonly ToolId[];
  /** The limits stated in the descriptions; a tracker passes its own. */
  readonly policy?: Partial<Policy>;
}

/** Options that switch nothing off: every tool in `tools` is returned, in the same order. */
export type OfferedOptions<O extends GateOptions, T extends readonly string[]> = Omit<
  O,
  "tools" | "enabled" | "subagent"
> & { readonly tools?: T; readonly enabled?: true; readonly subagent?: false };

/** The host's knowledge about a tool call, and the operation it is in. */
export interface ToolCall extends CallOptions {
  /** The operation that the agent is in, such as "git commit". */
  readonly context?: string;
}

/** The answer of a list tool or a task tool. */
export interface ToolAnswer extends Omit<ToolResult, "rejected"> {
  readonly rejected: readonly { readonly code: string; readonly message: string }[];
}

/** A tool for a model: its definition, and a function that executes a call. */
export interface ReadyTool<
  R extends ToolAnswer = ToolResult,
  Id extends string = ToolId,
  A extends Awaitable<R> = Awaitable<R>,
> extends ToolDefinition {
  readonly id: Id;
  /**
   * Executes one call. Invalid input never throws: the answer says what is wrong.
   *
   * @param input what the model sent as arguments
   * @param call what the host knows about the call
   * @returns what the model reads back, and the same as data
   */
  execute(input: unknown, call?: ToolCall): A;
}

/** A list tool or a task tool. */
export type AnyReadyTool = ReadyTool<ToolAnswer, string>;

/** The tools with these ids, in their order. */
export type ReadyTools<
  T extends readonly ToolId[],
  A extends Awaitable<ToolResult> = Awaitable<ToolResult>,
> = { readonly [K in keyof T]: ReadyTool<ToolResult, T[K], A> };

/** The return type of a tool on this list: a result, not a promise, if the list is synchronous. */
export type AnswerOn<D> = D extends SyncListAccess ? ToolResult : Awaitable<ToolResult>;

export function isOffered({
  enabled = true,
  subagent = false,
  allowSubagents = false,
}: GateOptions): boolean {
  return enabled && (!subagent || allowSubagents);
}

/**
 * The tools on one todo list, ready for a model.
 *
 * @param list the list of an agent: `tracker.own` or `tracker.list({ session, agent })`
 * @param options which tools, and when they are off
 * @returns the tools in the order of `options.tools`; none where they are switched off
 * @throws TypeError for unknown tool names
 * @example
 * ```ts
 * import { createTracker, todoTools } from "waymark";
 *
 * const [todos] = todoTools(createTracker().own);
 * const { text } = todos.execute({ todos: [{ text: "Run the tests" }] });
 * ```
 */
export function todoTools<
  D extends ListAccess,
  const T extends readonly ToolId[] = readonly ["todos"],
>(list: D, options?: OfferedOptions<ToolboxOptions, T>): ReadyTools<T, AnswerOn<D>>;
export function todoTools<D extends ListAccess>(
  list: D,
  options?: ToolboxOptions,
): readonly ReadyTool<ToolResult, ToolId, AnswerOn<D>>[];
export function todoTools(access: ListAccess, options: ToolboxOptions = {}): readonly ReadyTool[] {
  const { tools = ["todos"] } = options;
  if (!hasMethods(access, ["read", "write"]))
    throw argumentError(
      "todoTools(list)",
      "a list of a tracker",
      access,
      "Call todoTools(tracker.own) or todoTools(tracker.list({ session, agent })).",
    );
  if (!isOffered(options)) return [];
  return chosenTools(tools, TOOLS).map((tool) => readyTool(tool, access, options));
}

/** The tools with these ids, in this order. Throws for ids that are unknown or named twice. */
export function chosenTools<T extends { readonly id: string }>(
  ids: readonly string[],
  tools: readonly T[],
): readonly T[] {
  if (!Array.isArray(ids))
    throw argumentError("tools", "an array of tool names", ids, 'Pass tools: ["todos"].');
  return ids.map((id, place) => {
    const tool = tools.find((each) => each.id === id);
    if (!tool)
      throw unknownName(
        "tool",
        id,
        tools.map((each) => each.id),
      );
    if (ids.indexOf(id) < place) throw new TypeError(`tools: "${id}" is named twice.`);
    return tool;
  });
}

function readyTool(
  tool: Tool,
  access: ListAccess,
  { size, offIn = [], policy }: ToolboxOptions,
): ReadyTool {
  return {
    id: tool.id,
    ...definitionOf(tool, size, policy),
    execute: (input, given) => {
      const { context, ...call } = given ?? {};
      if (context !== undefined && offIn.includes(context)) return refusal([gated(context)]);
      return runTool(tool, input, access, call);
    },
  };
}
