import { SESSION_STATES } from "../../core/activity/session-state.ts";
import type { UsagePart } from "../../core/activity/usage.ts";
import { EVIDENCE_STATES, evidenceStates } from "../../core/checks/evidence-state.ts";
import { type CostSum, costOfSum, sumCosts } from "../../core/cost/cost.ts";
import type { Prices } from "../../core/cost/price.ts";
import { sessionsOf } from "../../core/cost/track-costs.ts";
import { STATUSES } from "../../core/model.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import type { Family, Sample } from "./family.ts";

/**
 * Figures about the sessions of this machine. Sessions that other machines relay are left out: each machine reports its
 * own, so that sums count nothing twice. Archived sessions only count in tokens and cost.
 */
export function sessionFamilies(tracks: readonly MergedTrack[], prices: Prices): readonly Family[] {
  const own = tracks.filter(({ machine }) => machine === undefined);
  const shown = own.filter(({ archived }) => !archived);
  const sessions = sessionsOf(shown).map(({ main }) => main);
  const todos = shown.flatMap((each) => each.track.todos.map((todo) => ({ each, todo })));
  const usage = usageByModel(own, prices);
  return [
    {
      name: "waymark_sessions",
      help: "Sessions by agent and state, without archived ones and those of other machines.",
      open: ["agent"],
      samples: [
        // The states that no session is in have to read 0, not their last value.
        ...withZeros(sessions, "state", SESSION_STATES),
        ...sessions.map((each) => ({
          labels: { agent: agentOf(each), state: each.state },
          value: 1,
        })),
      ],
    },
    {
      name: "waymark_sessions_archived",
      help: "Sessions that the user archived, or that did not change for long.",
      samples: [{ labels: {}, value: sessionsOf(own.filter(({ archived }) => archived)).length }],
    },
    {
      name: "waymark_findings",
      help: "Stalls and loops of agents and subagents, without muted ones.",
      open: ["agent"],
      samples: shown.flatMap((each) =>
        each.findings.map(({ kind, level }) => ({
          labels: { agent: agentOf(each), kind, level },
          value: 1,
        })),
      ),
    },
    {
      name: "waymark_todos",
      help: "Todos of current lists by agent and status.",
      open: ["agent"],
      samples: [
        ...withZeros(shown, "status", STATUSES),
        ...todos.map(({ each, todo }) => ({
          labels: { agent: agentOf(each), status: todo.status },
          value: 1,
        })),
      ],
    },
    {
      name: "waymark_todos_completed",
      help: "Completed todos of current lists by agent and evidence.",
      open: ["agent"],
      samples: [
        ...withZeros(shown, "evidence", EVIDENCE_STATES),
        ...shown.flatMap((each) =>
          Object.entries(evidenceStates(each.track.todos)).map(([evidence, value]) => ({
            labels: { agent: agentOf(each), evidence },
            value,
          })),
        ),
      ],
    },
    {
      name: "waymark_tokens",
      help: "Tokens of all known sessions by agent, model and type; reasoning is part of the output.",
      open: ["agent", "model"],
      samples: usage.flatMap(
        ({
          labels,
          sum: {
            usage: { input, output, cacheRead, cacheWrite },
          },
        }) =>
          Object.entries({
            input,
            output,
            cache_read: cacheRead,
            cache_write: cacheWrite,
          }).map(([type, value]) => ({ labels: { ...labels, type }, value })),
      ),
    },
    {
      name: "waymark_requests",
      help: "Requests to models of all known sessions, as far as agents record them.",
      open: ["agent", "model"],
      samples: usage.map(({ labels, sum }) => ({ labels, value: sum.usage.requests })),
    },
    {
      name: "waymark_cost_dollars",
      help: "Estimated cost of these tokens from list prices, without tokens of unknown price.",
      open: ["agent", "model"],
      samples: usage.map(({ labels, sum }) => ({ labels, value: costOfSum(sum).cost ?? 0 })),
    },
    {
      name: "waymark_tokens_unpriced",
      help: "Tokens of models without a known price.",
      open: ["agent", "model"],
      samples: usage.map(({ labels, sum }) => ({ labels, value: sum.unpriced })),
    },
  ];
}

const UNKNOWN = "unknown";

function agentOf({ track }: MergedTrack): string {
  return track.agentType ?? UNKNOWN;
}

function withZeros(
  tracks: readonly MergedTrack[],
  label: string,
  values: readonly string[],
): readonly Sample[] {
  const agents = [...new Set(tracks.map(agentOf))];
  return agents.flatMap((agent) =>
    values.map((value) => ({ labels: { agent, [label]: value }, value: 0 })),
  );
}

interface ModelCost {
  readonly labels: { readonly agent: string; readonly model: string };
  readonly sum: CostSum;
}

function usageByModel(tracks: readonly MergedTrack[], prices: Prices): readonly ModelCost[] {
  const groups = new Map<string, { labels: ModelCost["labels"]; parts: UsagePart[] }>();
  for (const each of tracks)
    for (const part of each.usage?.parts ?? []) {
      const labels = { agent: agentOf(each), model: part.model ?? UNKNOWN };
      const key = JSON.stringify(labels);
      const group = groups.get(key);
      if (group) group.parts.push(part);
      else groups.set(key, { labels, parts: [part] });
    }
  return [...groups.values()].map(({ labels, parts }) => ({
    labels,
    sum: sumCosts(parts, prices),
  }));
}
