import * as z from "zod/mini";
import type { Awaitable } from "../../core/awaitable.ts";
import {
  describeTaskTool,
  fieldTexts,
  type Size,
  type TaskToolId,
} from "../../core/guidance/prompts.ts";
import type { ModelText } from "../../core/text/model-text.ts";
import type { TaskRefusal } from "../../tasks/model.ts";
import type { ProveTask } from "../../tasks/prove.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { withDescriptions } from "../field-descriptions.ts";
import type { ToolDefinition } from "../tool.ts";

/** A claim made for the agent. It is remembered, so that the model need not send the epoch. */
export interface Claim {
  readonly owner: string;
  readonly epoch: number;
}

/** The agent behind task calls: its name as owner and the claims it made. One per agent, for as long as it is served. */
export interface TaskAgent {
  /** The name under which the agent owns tasks. */
  readonly owner: string;
  /** Lease duration of its claims in milliseconds (default: 5 minutes). */
  readonly lease?: number | undefined;
  /** Claims by task id. */
  readonly claims: Map<string, Claim>;
  /** `reading` creates no store: a missing one reads as empty. */
  store(purpose: "reading" | "writing"): Awaitable<TaskStore>;
}

export interface TaskCall {
  readonly agent: TaskAgent;
  /** Idempotency key: calls with the same key take effect once. */
  readonly key?: string | undefined;
  /** The host is in plan mode: tasks are read-only. */
  readonly planMode?: boolean | undefined;
  /** Without it, tasks with a check cannot be finished. */
  readonly prove?: ProveTask | undefined;
}

/** The result of a call to a task tool. */
export interface TaskToolResult {
  readonly ok: boolean;
  /** The text for the model. */
  readonly text: ModelText;
  readonly data: Readonly<Record<string, unknown>>;
  readonly rejected: readonly {
    readonly code: TaskRefusal["code"] | "gated" | "plan_mode";
    readonly message: ModelText;
  }[];
}

/** A tool on the team's tasks: its definition and its implementation. */
export interface TaskTool<I = unknown> {
  readonly id: TaskToolId;
  readonly title: string;
  readonly input: z.ZodMiniType<I>;
  readonly examples: readonly I[];
  /** Fixes what models often get slightly wrong, before the input is validated. */
  readonly repair?: (input: unknown) => unknown;
  /** Whether the call only reads. */
  readonly reads?: (input: I) => boolean;
  readonly run: (input: I, call: TaskCall) => Promise<TaskToolResult>;
}

export function defineTaskTool<I>(tool: TaskTool<I>): TaskTool {
  // Only `runTaskTool` calls `run`, and only with input that passed the schema.
  return tool as unknown as TaskTool;
}

export function taskDefinitionOf(tool: TaskTool, size: Size = "short"): ToolDefinition {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input);
  return {
    name: tool.id,
    title: tool.title,
    description: describeTaskTool(tool.id, size),
    inputSchema: withDescriptions(schema, fieldTexts(tool.id)),
    examples: tool.examples,
    readOnly: false,
    concurrencySafe: false,
    strict: true,
  };
}
