/**
 * tools: what a model can call. `tool` is the contract, `todos` and `tasks/` are Waymark's own tools, `input` validates arguments, `run`
 * executes a call on a list, `render` formats the answer. Every host offers the same tools.
 */
import * as z from "zod/mini";
import { describeTool, fieldTexts, type Size, type ToolId } from "../core/guidance/prompts.ts";
import type { Intent } from "../core/list/access.ts";
import { type Policy, policyFor } from "../core/list/policy.ts";
import type { FieldNames } from "../core/list/target.ts";
import type { Outcome, Track } from "../core/model.ts";
import type { ModelText } from "../core/text/model-text.ts";
import { withDescriptions } from "./field-descriptions.ts";

export interface Answer {
  /** The text for the model. */
  readonly text: ModelText;
  readonly data: unknown;
}

export interface AnswerContext {
  /** The list is stored beyond the end of the process. */
  readonly durable: boolean;
}

/** A tool on a todo list: its definition, how a call becomes ops, and how the outcome is answered. */
export interface Tool<I = unknown> {
  readonly id: ToolId;
  /** The name that the model calls. If two tools share it, the shape of the input decides. */
  readonly name: string;
  readonly title: string;
  /** The published form of the input. */
  readonly input: z.ZodMiniType<I>;
  /** Earlier forms that are still accepted. */
  readonly older?: z.ZodMiniType<I>;
  readonly examples: readonly I[];
  /** Unknown fields are refused. */
  readonly strict: boolean;
  readonly policy: Partial<Policy>;
  /** The tool's names for the fields of a todo, for refusals. */
  readonly fieldNames?: FieldNames;
  /** Whether an input is meant for this tool, where another one has the same name. */
  readonly fits?: (input: unknown) => boolean;
  /** Fixes what models often get slightly wrong, before the input is validated. */
  readonly repair?: (input: unknown) => unknown;
  /** A refusal is answered with the state of the list, too. */
  readonly answersRefusals?: boolean;
  /** The text is the data as JSON, so nothing may be appended to it. */
  readonly textIsData?: boolean;
  /** A reminder may be appended to the answer. */
  readonly reminds?: boolean;
  /** Whether the call only reads. */
  readonly reads?: (input: I) => boolean;
  readonly decode: (input: I, track: Track) => Intent;
  readonly answer: (outcome: Outcome, input: I, context: AnswerContext) => Answer;
}

/** The definition of a tool, for hosts and models. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly examples: readonly unknown[];
  readonly readOnly: false;
  readonly concurrencySafe: false;
  readonly strict: boolean;
}

export function defineTool<I>(tool: Tool<I>): Tool {
  // Only `runTool` calls `decode` and `answer`, and only with input that passed `input` or `older`.
  return tool as unknown as Tool;
}

export function definitionOf(
  tool: Tool,
  size: Size = "short",
  policy: Partial<Policy> = {},
): ToolDefinition {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input);
  return {
    name: tool.name,
    title: tool.title,
    description: describeTool(tool.id, size, policyFor("agent", policy, tool.policy)),
    inputSchema: withDescriptions(schema, fieldTexts(tool.id)),
    examples: tool.examples,
    readOnly: false,
    concurrencySafe: false,
    strict: tool.strict,
  };
}
