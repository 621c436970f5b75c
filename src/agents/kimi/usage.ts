import type { Emit } from "../agent.ts";
import { recall } from "../common/memory.ts";
import { type UsageShape, usageOf } from "../common/usage.ts";
import { fields, number, text } from "../common/values.ts";
import type { KimiState } from "./state.ts";

const RECORD: UsageShape = {
  input: ["inputOther"],
  output: ["output"],
  cacheRead: "inputCacheRead",
  cacheWrite: "inputCacheCreation",
};

/** The fields of a line that `readUsage` needs. */
export const USAGE_FIELDS = { type: true, time: true, model: true, usage: true } as const;

/**
 * Reads a usage record: one per request. The messages that repeat a turn at its end and the end of a subagent have the
 * same usage again.
 */
export function readUsage(state: KimiState, record: unknown, emit: Emit): void {
  const given = fields(record);
  const usage = usageOf(fields(given?.usage) ?? {}, RECORD);
  if (given?.type !== "usage.record" || !usage) return;
  const name = text(given.model);
  const model = name && (recall(state.models, name) ?? name);
  emit({ type: "usage", ...(model && { model }), usage }, { at: number(given.time) });
}
