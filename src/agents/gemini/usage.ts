import type { Emit } from "../agent.ts";
import { countOnce, keyOf, type UsageShape, usageOf } from "../common/usage.ts";
import { type Fields, fields, number, text } from "../common/values.ts";
import type { GeminiState } from "./state.ts";

/** Input includes cached tokens. Thoughts and the prompts of built-in tools come on top. */
const MESSAGE: UsageShape = {
  input: ["input", "tool"],
  output: ["output"],
  cacheRead: "cached",
  reasoning: "thoughts",
  total: "total",
  inputHasCache: true,
};

/** The totals of a run do not list thought tokens; they are the remainder of `total_tokens`. */
const RUN: UsageShape = {
  input: ["input_tokens"],
  output: ["output_tokens", "rest"],
  cacheRead: "cached",
  inputHasCache: true,
};

/** The fields of a line of a chat file that `readUsage` needs. */
export const USAGE_FIELDS = {
  id: true,
  timestamp: true,
  type: true,
  tokens: true,
  model: true,
} as const;

/** Reads the usage of a message, which is written again once its calls are done. */
export function readUsage(state: GeminiState, record: unknown, emit: Emit): void {
  const message = fields(record);
  const tokens = fields(message?.tokens);
  const usage = tokens && usageOf(tokens, MESSAGE);
  if (!message || !usage || message.type !== "gemini") return;
  const id = text(message.id);
  const added = id === undefined ? usage : countOnce(state.counted, id, usage);
  const model = text(message.model);
  if (added)
    emit(
      { type: "usage", ...(model !== undefined && { model }), usage: added },
      { key: id && keyOf(id, usage, added), at: text(message.timestamp) },
    );
}

/** Reads the totals at the end of a run. The number of requests is unknown. */
export function readRunUsage(record: Fields, emit: Emit): void {
  const at = text(record.timestamp);
  for (const [model, value] of Object.entries(fields(fields(record.stats)?.models) ?? {})) {
    const given = fields(value) ?? {};
    const shown = (number(given.input_tokens) ?? 0) + (number(given.output_tokens) ?? 0);
    const rest = Math.max(0, (number(given.total_tokens) ?? 0) - shown);
    const total = usageOf({ ...given, rest }, RUN);
    if (!total) continue;
    const usage = { ...total, requests: 0 };
    emit({ type: "usage", model, usage }, { key: at && `${at}.${model}`, at });
  }
}
