import type { Cost } from "./cost.ts";

/** `950`, `3.1k`, `180k`, `4.0M` */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  const [amount, unit] = tokens < 999_500 ? [tokens / 1_000, "k"] : [tokens / 1_000_000, "M"];
  return `${amount < 9.95 ? amount.toFixed(1) : Math.round(amount)}${unit}`;
}

/**
 * `≈$3.84`: estimated from tokens. `≈$3.84+` if some tokens have no known price, and `12k tok` if none has one.
 * With ASCII only, `~` replaces `≈`.
 */
export function formatCost({ cost, unpriced }: Cost, unicode = true): string {
  if (cost === null) return `${formatTokens(unpriced)} tok`;
  const amount = formatDollars(cost);
  const about = amount.startsWith("<") ? "" : unicode ? "≈" : "~";
  return `${about}${amount}${unpriced > 0 ? "+" : ""}`;
}

/** `$3.84`, `<$0.01`, `$1,234` */
export function formatDollars(amount: number): string {
  if (amount > 0 && amount < 0.005) return "<$0.01";
  return amount < 999.995
    ? `$${amount.toFixed(2)}`
    : `$${String(Math.round(amount)).replace(/\B(?=(?:\d{3})+$)/g, ",")}`;
}
