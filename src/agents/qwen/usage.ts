import type { Emit, EventContext } from "../agent.ts";
import { countTotal, type UsageShape, usageOf } from "../common/usage.ts";
import { type Fields, fields, text } from "../common/values.ts";
import { enterSession, type QwenState } from "./state.ts";

/** Input includes cached tokens. Thoughts are part of the candidates or beside them, which the total shows. */
const RECORD: UsageShape = {
  input: ["promptTokenCount", "toolUsePromptTokenCount"],
  output: ["candidatesTokenCount"],
  cacheRead: "cachedContentTokenCount",
  reasoning: "thoughtsTokenCount",
  total: "totalTokenCount",
  inputHasCache: true,
};

const RUN: UsageShape = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cacheRead: "cache_read_input_tokens",
  inputHasCache: true,
};

/** The fields of a line of a session file that `readUsage` needs. */
export const USAGE_FIELDS = {
  type: true,
  session_id: true,
  sessionId: true,
  agentId: true,
  timestamp: true,
  uuid: true,
  model: true,
  usageMetadata: true,
} as const;

/** Reads the usage of a record of a session file: one per request. */
export function readUsage(state: QwenState, given: unknown, emit: Emit): void {
  const record = fields(given);
  const metadata = fields(record?.usageMetadata);
  const usage = metadata && usageOf(metadata, RECORD);
  if (!record || !usage || record.type !== "assistant" || record.session_id !== undefined) return;
  enterSession(state, text(record.sessionId));
  const context: EventContext = { agentId: text(record.agentId), at: text(record.timestamp) };
  const model = text(record.model);
  emit(
    { type: "usage", ...(model !== undefined && { model }), usage },
    { ...context, key: text(record.uuid) },
  );
}

/** Reads the totals of the process at the end of a run. The number of requests is unknown. */
export function readRunUsage(state: QwenState, record: Fields, emit: Emit): void {
  const given = usageOf(fields(record.usage) ?? {}, RUN);
  if (!given) return;
  const total = { ...given, requests: 0 };
  const usage = countTotal(state.used, total);
  state.used = total;
  const { model } = state;
  if (usage)
    emit(
      { type: "usage", ...(model !== undefined && { model }), usage },
      { key: text(record.uuid) },
    );
}
