import type { CostBreakdown } from "../../core/cost/breakdown.ts";
import { type CostSum, costOfSum } from "../../core/cost/cost.ts";

/** JSON form of usage with its cost. */
export function usageForm(sum: CostSum) {
  const { input, output, cacheRead, cacheWrite, reasoning, requests } = sum.usage;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
    requests,
    ...costOfSum(sum),
    currency: "USD" as const,
  };
}

/** JSON form of a breakdown. */
export function costForm({ by, total, rows, unattributed, unpricedModels }: CostBreakdown) {
  return {
    by,
    total: usageForm(total),
    rows: rows.map(({ session, todo, text, agent, agentType, project, day, sum }) => ({
      ...(session !== undefined && { session }),
      ...(todo !== undefined && { todo }),
      ...(text !== undefined && { text }),
      ...(agent !== undefined && { agent }),
      ...(agentType !== undefined && { agentType }),
      ...(project !== undefined && { project }),
      ...(day !== undefined && { day }),
      usage: usageForm(sum),
    })),
    unattributed: usageForm(unattributed),
    unpricedModels,
  };
}
