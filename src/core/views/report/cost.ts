import { quarterOf, type TrackUsage, type Usage, type UsagePart } from "../../activity/usage.ts";
import { type CostSum, costOfSum, NO_COST, sumCosts } from "../../cost/cost.ts";
import type { Prices } from "../../cost/price.ts";
import type { ReportWindow } from "./model.ts";

/** Without a price list, tokens are counted and no cost is known. */
const NO_PRICES: Prices = { find: () => undefined };

/** The parts in the window. Usage is recorded by quarters of an hour, so the first one counts whole. */
export function partsIn(usage: TrackUsage | undefined, window: ReportWindow): readonly UsagePart[] {
  return usage?.parts.filter(({ at }) => isUsedIn(at, window)) ?? [];
}

/** Whether a quarter of an hour, by its start, belongs to the window. */
export function isUsedIn(at: number, { since, until }: ReportWindow): boolean {
  return at >= quarterOf(since) && at < until;
}

export function costIn(
  usage: TrackUsage | undefined,
  window: ReportWindow,
  prices: Prices = NO_PRICES,
): CostSum {
  return usage ? sumCosts(partsIn(usage, window), prices) : NO_COST;
}

export function costOfParts(parts: readonly UsagePart[], prices: Prices = NO_PRICES): CostSum {
  return sumCosts(parts, prices);
}

/** The models of the parts whose price is unknown; `unknown` if the agent does not name it. */
export function unpricedModels(
  parts: readonly UsagePart[],
  prices: Prices = NO_PRICES,
): readonly string[] {
  const models = parts
    .filter(({ model, at }) => prices.find(model, at) === undefined)
    .map(({ model }) => model ?? "unknown");
  return [...new Set(models)].sort();
}

/** Usage with its cost in dollars; null if it is not known, as without any usage. */
export type CostForm = Omit<Usage, "cacheWriteHour"> & {
  readonly cost: number | null;
  readonly currency: "USD";
};

export function costForm(sum: CostSum): CostForm {
  const { cacheWriteHour: _, ...usage } = sum.usage;
  return { ...usage, cost: dollarsOf(sum), currency: "USD" };
}

/** Dollars; null if no price is known, and if nothing was counted: agents without records cost something too. */
export function dollarsOf(sum: CostSum): number | null {
  return sum.priced === 0 ? null : costOfSum(sum).cost;
}

/** Orders by cost; usage without a price weighs less than any cost. */
export function costWeight(sum: CostSum | undefined): number {
  if (!sum) return 0;
  return sum.nanos + sum.unpriced * 1e-6;
}
