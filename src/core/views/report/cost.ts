import {
  addUsage,
  NO_USAGE,
  type TrackUsage,
  type Usage,
  type UsagePart,
} from "../../activity/usage.ts";
import type { Price, PricedUsage, ReportWindow } from "./model.ts";

const QUARTER = 15 * 60_000;

/** No usage. Its cost is unknown, not zero: agents without records of usage cost something too. */
export const NO_COST: PricedUsage = { ...NO_USAGE, cost: null, currency: "USD" };

/** The sum. An unknown cost adds nothing; the sum is unknown if both are. */
export function addCost(a: PricedUsage, b: PricedUsage): PricedUsage {
  const cost = a.cost === null ? b.cost : a.cost + (b.cost ?? 0);
  return { ...addUsage(a, b), cost, currency: "USD" };
}

/** The parts in the window. Usage is recorded by quarters of an hour, so the first one counts whole. */
export function partsIn(
  usage: TrackUsage | undefined,
  { since, until }: ReportWindow,
): readonly UsagePart[] {
  const from = Math.floor(since / QUARTER) * QUARTER;
  return usage?.parts.filter(({ at }) => at >= from && at < until) ?? [];
}

export function costOfParts(parts: readonly UsagePart[], price: Price | undefined): PricedUsage {
  return parts.reduce(
    (sum, { usage, model }) => addCost(sum, priced(usage, model, price)),
    NO_COST,
  );
}

function priced(usage: Usage, model: string | undefined, price: Price | undefined): PricedUsage {
  return { ...usage, cost: price?.(usage, model) ?? null, currency: "USD" };
}

/** The models of the parts whose price is unknown; `unknown` if the agent does not name it. */
export function unpricedModels(
  parts: readonly UsagePart[],
  price: Price | undefined,
): readonly string[] {
  const models = parts
    .filter(({ usage, model }) => price?.(usage, model) === undefined)
    .map(({ model }) => model ?? "unknown");
  return [...new Set(models)].sort();
}

/** Every token of a usage. */
export function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
