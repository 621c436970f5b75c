import * as z from "zod/mini";
import type { Awaitable } from "../../core/awaitable.ts";
import { describeTaskTool, type Size, type TaskToolId } from "../../core/guidance/prompts.ts";
import type { ModelText } from "../../core/text/model-text.ts";
import type { TaskRefusal } from "../../tasks/model.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { ToolDefinition } from "../tool.ts";

/** A claim that this program made for the agent: the model need not carry its epoch. */
export interface Claim {
  readonly owner: string;
  readonly epoch: number;
}

/** Who is at work, and on what. One for an agent, kept as long as it is served. */
export interface TaskDesk {
  /** What the agent is called as a holder. */
  readonly owner: string;
  /** Milliseconds that its claims last without a sign of life, if not as long as usual. */
  readonly lease?: number | undefined;
  /** The claims of the agent by the ids of the tasks. */
  readonly claims: Map<string, Claim>;
  /** `reading` makes nothing that is not there. */
  store(purpose: "reading" | "writing"): Awaitable<TaskStore>;
}

export interface TaskCall {
  readonly desk: TaskDesk;
  /** Unique for the call: the same key never acts twice. */
  readonly key?: string | undefined;
  /** The host is in plan mode: tasks are only looked at. */
  readonly planMode?: boolean | undefined;
}

/** The result of a call of a task tool. */
export interface TaskToolResult {
  readonly ok: boolean;
  /** What the model gets. */
  readonly text: ModelText;
  readonly data: Readonly<Record<string, unknown>>;
  readonly rejected: readonly {
    readonly code: TaskRefusal["code"] | "gated" | "plan_mode";
    readonly message: ModelText;
  }[];
}

/** A tool on the team's tasks: a definition, and what carries it out. */
export interface TaskTool<I = unknown> {
  readonly id: TaskToolId;
  readonly title: string;
  readonly input: z.ZodMiniType<I>;
  readonly examples: readonly I[];
  /** Puts right what models often get slightly wrong, before the input is checked. */
  readonly repair?: (input: unknown) => unknown;
  /** Whether the call only reads. */
  readonly reads?: (input: I) => boolean;
  readonly run: (input: I, call: TaskCall) => Promise<TaskToolResult>;
}

export function defineTaskTool<I>(tool: TaskTool<I>): TaskTool {
  // Only `runTaskTool` calls run, and only with what `input` has let through.
  return tool as unknown as TaskTool;
}

export function taskDefinitionOf(tool: TaskTool, size: Size = "short"): ToolDefinition {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input);
  return {
    name: tool.id,
    title: tool.title,
    description: describeTaskTool(tool.id, size),
    inputSchema,
    examples: tool.examples,
    readOnly: false,
    concurrencySafe: false,
    strict: true,
  };
}
