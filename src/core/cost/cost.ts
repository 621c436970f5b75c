import { addUsage, NO_USAGE, type Usage } from "../activity/usage.ts";
import type { Writable } from "../writable.ts";
import type { Prices } from "./price.ts";

/** The cost of tokens in US dollars, estimated from list prices. */
export interface Cost {
  /** The cost of the tokens with a known price; null if there are tokens and none of them has one. */
  readonly cost: number | null;
  /** Number of tokens without a known price. */
  readonly unpriced: number;
}

/** Usage of one model. */
export interface ModelUsage {
  readonly model?: string;
  /** When the tokens were used, because prices change (default: the latest price). */
  readonly at?: number;
  readonly usage: Usage;
}

/** Usage with its cost. Costs are whole billionths of a dollar, so that parts add up to their total exactly. */
export interface CostSum {
  readonly usage: Usage;
  readonly nanos: number;
  /** Number of tokens with a known price. */
  readonly priced: number;
  readonly unpriced: number;
}

export const NO_COST: CostSum = { usage: NO_USAGE, nanos: 0, priced: 0, unpriced: 0 };

export function addCosts(a: CostSum, b: CostSum): CostSum {
  return {
    usage: addUsage(a.usage, b.usage),
    nanos: a.nanos + b.nanos,
    priced: a.priced + b.priced,
    unpriced: a.unpriced + b.unpriced,
  };
}

/** The usage and cost of some parts. */
export function sumCosts(parts: Iterable<ModelUsage>, prices: Prices): CostSum {
  const sum = { usage: NO_USAGE, nanos: 0, priced: 0, unpriced: 0 };
  for (const part of parts) addPart(sum, part, prices);
  return sum;
}

/** The cost of some usage. */
export function costOf(parts: Iterable<ModelUsage>, prices: Prices): Cost {
  return costOfSum(sumCosts(parts, prices));
}

export function costOfSum({ nanos, priced, unpriced }: CostSum): Cost {
  return { cost: priced === 0 && unpriced > 0 ? null : nanos / NANOS, unpriced };
}

const NANOS = 1_000_000_000;
/** A price of one dollar per million tokens, in billionths of a dollar per token. */
const NANOS_PER_TOKEN = 1_000;

/** Changes `sum`, because sessions have thousands of parts. */
function addPart(
  sum: Writable<CostSum>,
  { model, at = Number.POSITIVE_INFINITY, usage }: ModelUsage,
  prices: Prices,
): void {
  const price = prices.find(model, at);
  let nanos = 0;
  const count = (tokens: number, rate: number | undefined) => {
    if (rate === undefined) sum.unpriced += tokens;
    else {
      sum.priced += tokens;
      nanos += tokens * rate * NANOS_PER_TOKEN;
    }
  };
  const { input, output, cacheRead, cacheWrite, cacheWriteHour = 0 } = usage;
  // Reasoning tokens are part of the output.
  count(input, price?.input);
  count(output, price?.output);
  count(cacheRead, price?.cacheRead);
  count(cacheWrite - cacheWriteHour, price?.cacheWrite);
  count(cacheWriteHour, price?.cacheWriteHour ?? price?.cacheWrite);
  // Rounded for each part, so that parts add up however they are grouped.
  sum.nanos += Math.round(nanos);
  sum.usage = addUsage(sum.usage, usage);
}
