import type { Track } from "../model.ts";
import { MAIN_AGENT } from "../text/ids.ts";
import {
  addUsage,
  focusAt,
  NO_USAGE,
  type TrackUsage,
  type Usage,
  type UsagePart,
} from "./usage.ts";

/** Usage of one model; `model` is absent if the agent does not name it. */
export interface ModelUsage {
  readonly model?: string;
  readonly usage: Usage;
}

/** Usage of one todo of a session. */
export interface TodoUsage {
  /** The agent that has the todo in its list. */
  readonly agent: string;
  readonly todo: string;
  readonly text: string;
  readonly usage: Usage;
  readonly models: readonly ModelUsage[];
  /** When the first and the last part of it was used, in quarters of an hour. */
  readonly from: number;
  readonly to: number;
}

/** Usage of a session. `rows` and `unattributed` add up to `total`. */
export interface SessionUsage {
  readonly total: Usage;
  readonly models: readonly ModelUsage[];
  /** In the order in which the todos were first worked on. */
  readonly rows: readonly TodoUsage[];
  readonly unattributed: Usage;
  readonly unattributedModels: readonly ModelUsage[];
}

/** An agent of a session. */
export interface UsedTrack {
  readonly track: Pick<Track, "agent" | "parentAgent" | "openedAt">;
  readonly usage?: TrackUsage;
}

/** A part of the usage of a session, with the todo that it counts for. */
export interface AttributedPart extends UsagePart {
  /** The agent that has the todo in its list; absent without a todo. */
  readonly agent?: string;
  readonly text?: string;
}

/**
 * The usage of a session by todo. The usage of a subagent counts for the todo that its parent had in progress when the
 * subagent started, and the usage of its own subagents likewise.
 *
 * @param tracks all agents of one session
 */
export function sessionUsage(tracks: readonly UsedTrack[]): SessionUsage {
  const rows = new Map<string, Sum>();
  const total = newSum();
  const unattributed = newSum();
  for (const part of attributedParts(tracks)) {
    addTo(total, part);
    if (part.todo === undefined) addTo(unattributed, part);
    else {
      const key = JSON.stringify([part.agent, part.todo]);
      const row = rows.get(key) ?? newSum();
      rows.set(key, row);
      addTo(row, part);
    }
  }
  return {
    total: total.usage,
    models: modelsOf(total),
    rows: [...rows.values()]
      .flatMap((sum) => todoUsage(sum) ?? [])
      .sort((a, b) => a.from - b.from || Number(a.todo) - Number(b.todo)),
    unattributed: unattributed.usage,
    unattributedModels: modelsOf(unattributed),
  };
}

/** The parts of all agents of one session, each with the todo that it counts for. */
export function attributedParts(tracks: readonly UsedTrack[]): readonly AttributedPart[] {
  const agents = new Map(tracks.map((each) => [each.track.agent, each]));
  return tracks.flatMap((each) => {
    const { usage } = each;
    if (!usage) return [];
    const owner = parentOf(each, agents);
    if (!owner) return usage.parts.map((part) => withText(part, each, part.todo));
    const { holder, todo } = focusOfParent(each, owner, agents);
    return usage.parts.map((part) => withText(part, holder, todo));
  });
}

function withText(
  { at, model, usage }: UsagePart,
  holder: UsedTrack,
  todo: string | undefined,
): AttributedPart {
  return {
    at,
    ...(model !== undefined && { model }),
    usage,
    ...(todo !== undefined && {
      todo,
      agent: holder.track.agent,
      text: holder.usage?.texts[todo] ?? "",
    }),
  };
}

type Agents = ReadonlyMap<string, UsedTrack>;

function parentOf({ track }: UsedTrack, agents: Agents): UsedTrack | undefined {
  const { agent, parentAgent } = track;
  if (agent === MAIN_AGENT || parentAgent === agent) return undefined;
  if (parentAgent === undefined) return undefined;
  return agents.get(parentAgent) ?? agents.get(MAIN_AGENT);
}

/** The todo of the topmost agent that was in progress when the branch with this subagent started. */
function focusOfParent(
  child: UsedTrack,
  parent: UsedTrack,
  agents: Agents,
): { readonly holder: UsedTrack; readonly todo: string | undefined } {
  let [below, above] = [child, parent];
  const seen = new Set([child, parent]);
  for (
    let next = parentOf(above, agents);
    next && !seen.has(next);
    next = parentOf(above, agents)
  ) {
    seen.add(next);
    [below, above] = [above, next];
  }
  const todo = above.usage && focusAt(above.usage, below.track.openedAt);
  return { holder: above, todo };
}

interface Sum {
  usage: Usage;
  readonly models: Map<string | undefined, Usage>;
  first?: AttributedPart;
  to: number;
}

function newSum(): Sum {
  return { usage: NO_USAGE, models: new Map(), to: 0 };
}

function addTo(sum: Sum, part: AttributedPart): void {
  const { at, model, usage } = part;
  sum.usage = addUsage(sum.usage, usage);
  sum.models.set(model, addUsage(sum.models.get(model) ?? NO_USAGE, usage));
  if (!sum.first || at < sum.first.at) sum.first = part;
  sum.to = Math.max(sum.to, at);
}

function modelsOf({ models }: Sum): readonly ModelUsage[] {
  return [...models]
    .map(([model, usage]) => ({ ...(model !== undefined && { model }), usage }))
    .sort((a, b) => ((a.model ?? "") < (b.model ?? "") ? -1 : 1));
}

function todoUsage(sum: Sum): TodoUsage | undefined {
  const { agent, todo, text = "", at } = sum.first ?? {};
  if (agent === undefined || todo === undefined || at === undefined) return undefined;
  return { agent, todo, text, usage: sum.usage, models: modelsOf(sum), from: at, to: sum.to };
}
