import { identityOf } from "../../agents/identities.ts";
import { isActive } from "../../core/activity/session-state.ts";
import { attributedParts } from "../../core/activity/session-usage.ts";
import { quarterOf, type UsagePart } from "../../core/activity/usage.ts";
import { evidenceStateOf } from "../../core/checks/evidence-state.ts";
import { costOfSum, sumCosts } from "../../core/cost/cost.ts";
import type { Prices } from "../../core/cost/price.ts";
import { sessionsOf } from "../../core/cost/track-costs.ts";
import type { Todo } from "../../core/model.ts";
import { MINUTE } from "../../core/text/duration.ts";
import { trackKey } from "../../core/text/ids.ts";
import { lastActive, type MergedTrack, parentKey } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { isOpen, progressOf } from "../../core/views/view.ts";
import { type AnyValue, double, int, text } from "./encode.ts";

/** An agent or a todo, which becomes a span when it ends. */
export interface SpanSource {
  readonly session: string;
  /** Identifies it among all sources. */
  readonly key: string;
  /** The key of the span that contains it. */
  readonly parent?: string;
  readonly isOpen: boolean;
  readonly start: number;
  readonly end: number;
  /** When it was last started: where a span begins that continues an ended one. */
  readonly restart: number;
  /** When the agent last changed something: whatever is older cannot have reopened it. */
  readonly changedAt: number;
  /** `after` is the end of the span that it continues. */
  describe(after: number | undefined): SpanText;
}

/** Name, attributes and status of a span. */
export interface SpanText {
  readonly name: string;
  readonly attributes: Readonly<Record<string, AnyValue>>;
  /** A low-cardinality reason, if it failed. */
  readonly error?: string;
}

export interface SpanOptions {
  readonly prices: Prices;
  readonly now: number;
  /** Includes titles of sessions and texts of todos. */
  readonly content: boolean;
}

/** Most agents never report that a session ended. */
const ENDED_AFTER = 30 * MINUTE;

/** The agents of this machine with their todos; an agent comes before its todos. */
export function spanSources(
  tracks: readonly MergedTrack[],
  options: SpanOptions,
): readonly SpanSource[] {
  const own = tracks.filter(({ machine }) => machine === undefined);
  return sessionsOf(own).flatMap(({ members }) => {
    const agents = new Map(members.map((each) => [trackKey(each.track), each]));
    return [...agents].flatMap(([key, each]) => [
      agentSource(each, { key, parent: parentKey(each.track, agents) }, options),
      ...each.track.todos.map((todo) => todoSource(each, todo, { key, members }, options)),
    ]);
  });
}

function agentSource(
  merged: MergedTrack,
  { key, parent }: { readonly key: string; readonly parent: string | undefined },
  { prices, now, content }: SpanOptions,
): SpanSource {
  const { track, state, archived, activity, usage } = merged;
  const end = lastActive(merged);
  // A subagent has one turn; a session may get another prompt.
  const isOver =
    state === "ended" || archived !== undefined || parent !== undefined || now - end >= ENDED_AFTER;
  return {
    session: track.session,
    key,
    ...(parent !== undefined && { parent }),
    isOpen: isActive(state) || !isOver,
    start: track.openedAt,
    end,
    restart: activity?.turnStartedAt || end,
    changedAt: end,
    describe(after) {
      const first = after === undefined ? Number.NEGATIVE_INFINITY : quarterOf(after);
      const parts = usage?.parts.filter(({ at }) => at > first) ?? [];
      const { completed, verified } = progressOf(track.todos);
      const { name, attributes } = agentText(merged);
      return {
        name,
        attributes: {
          "gen_ai.operation.name": text("invoke_agent"),
          ...attributes,
          ...usageText(parts, prices),
          "waymark.todos.open": int(track.todos.filter(isOpen).length),
          "waymark.todos.completed": int(completed),
          "waymark.todos.proven": int(verified),
          ...(content && { "waymark.session.title": text(titleOf(merged)) }),
        },
      };
    },
  };
}

function todoSource(
  merged: MergedTrack,
  todo: Todo,
  agent: { readonly key: string; readonly members: readonly MergedTrack[] },
  { prices, content }: SpanOptions,
): SpanSource {
  const { track } = merged;
  const { id, status, createdAt, startedAt, finishedAt = track.updatedAt } = todo;
  return {
    session: track.session,
    key: `${agent.key} ${id}`,
    parent: agent.key,
    isOpen: isOpen(todo),
    start: startedAt ?? createdAt,
    end: finishedAt,
    restart: startedAt ?? track.updatedAt,
    changedAt: track.updatedAt,
    describe(after) {
      const first = after === undefined ? Number.NEGATIVE_INFINITY : quarterOf(after);
      const parts = attributedParts(agent.members).filter(
        (part) => part.agent === track.agent && part.todo === id && part.at > first,
      );
      const evidence = status === "completed" ? evidenceStateOf(todo) : undefined;
      return {
        name: content ? todo.text : "todo",
        attributes: {
          ...agentText(merged).attributes,
          ...usageText(parts, prices),
          "waymark.todo.id": text(id),
          "waymark.todo.status": text(status),
          ...(evidence && { "waymark.todo.evidence": text(evidence) }),
          ...(content && { "waymark.todo.text": text(todo.text) }),
        },
        ...(evidence === "failed" && { error: "check_failed" }),
      };
    },
  };
}

function agentText({ track }: MergedTrack): Pick<SpanText, "name" | "attributes"> {
  const { session, agent, agentType } = track;
  const name = identityOf(agentType)?.name ?? agentType;
  return {
    name: name === undefined ? "invoke_agent" : `invoke_agent ${name}`,
    attributes: {
      ...(name !== undefined && { "gen_ai.agent.name": text(name) }),
      "gen_ai.agent.id": text(agent),
      "gen_ai.conversation.id": text(session),
    },
  };
}

/** Tokens and cost, with the model that wrote most. Without usage, nothing: it may be unknown. */
function usageText(
  parts: readonly UsagePart[],
  prices: Prices,
): Readonly<Record<string, AnyValue>> {
  if (parts.length === 0) return {};
  const sum = sumCosts(parts, prices);
  const { input, output, cacheRead, cacheWrite, reasoning } = sum.usage;
  const { cost, unpriced } = costOfSum(sum);
  const written = new Map<string, number>();
  for (const { model, usage } of parts)
    if (model !== undefined) written.set(model, (written.get(model) ?? 0) + usage.output);
  const [model] = [...written].sort(([, a], [, b]) => b - a)[0] ?? [];
  return {
    ...(model !== undefined && { "gen_ai.request.model": text(model) }),
    // The conventions count cached tokens as input.
    "gen_ai.usage.input_tokens": int(input + cacheRead + cacheWrite),
    "gen_ai.usage.cache_read.input_tokens": int(cacheRead),
    "gen_ai.usage.cache_creation.input_tokens": int(cacheWrite),
    "gen_ai.usage.output_tokens": int(output),
    "gen_ai.usage.reasoning.output_tokens": int(reasoning),
    ...(cost !== null && { "waymark.cost.dollars": double(cost) }),
    ...(unpriced > 0 && { "waymark.tokens.unpriced": int(unpriced) }),
  };
}
