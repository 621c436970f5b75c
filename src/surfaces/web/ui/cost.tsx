import type { Usage } from "../../../core/activity/usage.ts";
import { addCosts, type CostSum, costOfSum } from "../../../core/cost/cost.ts";
import { formatCost, formatTokens } from "../../../core/cost/format.ts";

/** `≈$3.84`, with the tokens on hover; nothing if the agent records no usage. */
export function Cost({ sum }: { readonly sum: CostSum | undefined }) {
  if (!sum) return null;
  return (
    <span class="cost num" title={`${basisOf(sum)} ${tokensText(sum.usage)}.`}>
      {formatCost(costOfSum(sum))}
    </span>
  );
}

/** The cost and its tokens in a sentence. */
export function CostLine({ sum }: { readonly sum: CostSum | undefined }) {
  if (!sum) return null;
  return (
    <p class="proof-facts num">
      <span>
        Cost <b>{formatCost(costOfSum(sum))}</b>
      </span>
      <span>{basisOf(sum)}</span>
      <span>{tokensText(sum.usage)}.</span>
    </p>
  );
}

function basisOf({ priced, unpriced }: CostSum): string {
  if (unpriced === 0) return "Estimated from tokens.";
  return priced === 0
    ? "The price of the model is not known."
    : `Estimated from tokens; ${formatTokens(unpriced)} tokens have no known price.`;
}

/** `12k input, 3.1k output, 180k cache read, 14 requests`. */
export function tokensText(usage: Usage): string {
  const { input, output, cacheRead, cacheWrite, reasoning, requests } = usage;
  const facts: readonly (readonly [number, string])[] = [
    [input, "input"],
    [output, "output"],
    [reasoning, "of it reasoning"],
    [cacheRead, "cache read"],
    [cacheWrite, "cache write"],
  ];
  return [
    ...facts.flatMap(([count, name]) => (count > 0 ? [`${formatTokens(count)} ${name}`] : [])),
    ...(requests > 0 ? [`${requests} ${requests === 1 ? "request" : "requests"}`] : []),
  ].join(", ");
}

/** The sum of rows; undefined if none has a cost. */
export function sumOf(
  rows: readonly { readonly cost?: { readonly sum: CostSum } | undefined }[],
): CostSum | undefined {
  const sums = rows.flatMap(({ cost }) => (cost ? [cost.sum] : []));
  return sums.length === 0 ? undefined : sums.reduce(addCosts);
}
