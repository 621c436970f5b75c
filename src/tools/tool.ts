/**
 * tools: what a model can call. `tool` is the contract, `todos` and its siblings define the tools,
 * `input` reads and checks arguments, `run` performs a call on a tracker, `render` words the answer.
 * Hosts differ only in how they hand these tools to a model.
 */
import * as z from "zod/mini";
import { describeTool, type Size, type ToolId } from "../core/guidance/prompts.ts";
import type { Intent } from "../core/list/intent.ts";
import { type Policy, policyFor } from "../core/list/policy.ts";
import type { Words } from "../core/list/target.ts";
import type { Outcome, Track } from "../core/model.ts";
import type { ModelText } from "../core/text/model-text.ts";

export interface Answer {
  /** What the model reads. */
  readonly text: ModelText;
  readonly data: unknown;
}

export interface AnswerContext {
  /** The list outlives the process. */
  readonly durable: boolean;
}

/** What a model can call: a definition, a decoding into ops, and the words of the answer. */
export interface Tool<I = unknown> {
  readonly id: ToolId;
  /** What the model calls it. Two tools may share a name: the shape of the input decides. */
  readonly name: string;
  readonly title: string;
  /** The form that is published. */
  readonly input: z.ZodMiniType<I>;
  /** Former forms that are still understood. */
  readonly older?: z.ZodMiniType<I>;
  readonly examples: readonly I[];
  /** Unknown fields are refused. */
  readonly strict: boolean;
  readonly policy: Partial<Policy>;
  readonly words?: Words;
  /** Whether an input is meant for this tool rather than for another of the same name. */
  readonly fits?: (input: unknown) => boolean;
  /** Puts right what models often get slightly wrong, before the input is checked. */
  readonly repair?: (input: unknown) => unknown;
  /** A refusal, too, is answered with the state of the list. */
  readonly answersRefusals?: boolean;
  /** The text is the data as JSON: nothing may be put behind it. */
  readonly textIsData?: boolean;
  /** A reminder may be put behind the answer. */
  readonly nudges?: boolean;
  /** Whether the call only reads. */
  readonly reads?: (input: I) => boolean;
  readonly decode: (input: I, track: Track) => Intent;
  readonly answer: (outcome: Outcome, input: I, context: AnswerContext) => Answer;
}

/** A definition as models and hosts are given it. */
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
  // Only `run` calls decode and answer, and only with what `input` or `older` has let through.
  return tool as unknown as Tool;
}

export function definitionOf(
  tool: Tool,
  size: Size = "short",
  policy: Partial<Policy> = {},
): ToolDefinition {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input);
  return {
    name: tool.name,
    title: tool.title,
    description: describeTool(tool.id, size, policyFor("agent", policy, tool.policy)),
    inputSchema,
    examples: tool.examples,
    readOnly: false,
    concurrencySafe: false,
    strict: tool.strict,
  };
}
