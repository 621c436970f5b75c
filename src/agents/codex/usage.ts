import type { Usage } from "../../core/activity/usage.ts";
import { countTotal, type UsageShape, usageOf } from "../common/usage.ts";
import { type Fields, fields } from "../common/values.ts";
import type { CodexState, Thread, ThreadEmit } from "./state.ts";

/** Input includes cached tokens, output includes reasoning. */
const TOTAL: UsageShape = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cacheRead: "cached_input_tokens",
  cacheWrite: "cache_write_input_tokens",
  reasoning: "reasoning_output_tokens",
  inputHasCache: true,
};

const APP_SERVER_TOTAL: UsageShape = {
  input: ["inputTokens"],
  output: ["outputTokens"],
  cacheRead: "cachedInputTokens",
  cacheWrite: "cacheWriteInputTokens",
  reasoning: "reasoningOutputTokens",
  inputHasCache: true,
};

/** The fields of a line of a session file that `readTokenCount` needs. */
export const USAGE_FIELDS = {
  type: true,
  timestamp: true,
  payload: { type: true, info: { total_token_usage: true } },
} as const;

/** Reads the total of a thread after a request. The same total may be repeated with new rate limits. */
export function readTokenCount(state: CodexState, payload: Fields, send: ThreadEmit) {
  const given = fields(fields(payload.info)?.total_token_usage);
  if (given) emitTotal(state.self, usageOf(given, TOTAL), isInherited(state), send);
}

/**
 * Reads the total of a thread in `turn.completed` of `codex exec --json`. A turn adds to the total, so the same total
 * is that of another process that started from 0. The number of requests is unknown.
 */
export function readTurnUsage(thread: Thread, given: Fields | undefined, send: ThreadEmit) {
  const total = given && usageOf(given, TOTAL);
  if (total && thread.used && total.output === thread.used.output) delete thread.used;
  emitTotal(thread, total, false, send, 0);
}

export function readAppServerUsage(thread: Thread, params: Fields, send: ThreadEmit) {
  const given = fields(fields(params.tokenUsage)?.total);
  if (given) emitTotal(thread, usageOf(given, APP_SERVER_TOTAL), false, send);
}

function emitTotal(
  thread: Thread,
  total: Usage | undefined,
  isInherited: boolean,
  send: ThreadEmit,
  requests = 1,
) {
  if (!total) return;
  const tokens = { ...total, requests: 0 };
  const added = countTotal(thread.used, tokens);
  thread.used = tokens;
  if (!added || isInherited) return;
  const { model } = thread;
  send({ type: "usage", ...(model !== undefined && { model }), usage: { ...added, requests } });
}

/**
 * Whether the lines are those of another thread: the file of a fork begins with them. Ids contain their time, and own
 * turns are later than the thread.
 */
function isInherited({ self, fork }: CodexState): boolean {
  return fork !== undefined && (self.turn?.id === undefined || self.turn.id < fork);
}
