import type { Emit, EventContext, UsageLines } from "../agent.ts";
import { type UsageShape, usageOf } from "../common/usage.ts";
import { fields, text } from "../common/values.ts";
import type { CopilotState } from "./state.ts";

/** Input includes the cached tokens, and output the reasoning. */
const RECORD: UsageShape = {
  input: ["inputTokens"],
  output: ["outputTokens"],
  cacheRead: "cacheReadTokens",
  cacheWrite: "cacheWriteTokens",
  reasoning: "reasoningTokens",
  inputHasCache: true,
};

/** Session files have one record per request; live output has none. */
export const usageLines: UsageLines<CopilotState> = {
  needle: '"session.usage_record"',
  fields: { type: true, agentId: true, id: true, timestamp: true, data: { usage: true } },
  read(state, given, emit) {
    readUsage(state, given, emit);
  },
};

export function readUsage(_: CopilotState, given: unknown, emit: Emit): void {
  const record = fields(given);
  const data = fields(fields(record?.data)?.usage);
  if (record?.type !== "session.usage_record" || !data) return;
  const usage = usageOf(data, RECORD);
  if (!usage) return;
  const model = text(data.model);
  const context: EventContext = {
    agentId: text(record.agentId),
    at: text(record.timestamp),
    key: text(record.id),
  };
  emit({ type: "usage", ...(model !== undefined && { model }), usage }, context);
}
