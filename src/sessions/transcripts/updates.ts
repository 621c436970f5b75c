import { emptyTrack } from "../../core/evolve.ts";
import { diff } from "../../core/list/diff.ts";
import type { Todo, Track } from "../../core/model.ts";
import type { StreamEvent, StreamItem } from "../../core/stream/events.ts";
import { itemOf } from "../../core/stream/from-track.ts";
import { type Catalog, catalogKey } from "./catalog.ts";
import type { TranscriptUpdate } from "./follow.ts";

type ListEvent = StreamEvent & { readonly type: "todo_list" };

/** The merged lists before a source is read, by key of the roster. */
export function listsBefore(
  updates: readonly TranscriptUpdate[],
  roster: Catalog,
): ReadonlyMap<string, Track> {
  return new Map(
    updates.flatMap(({ event }) => {
      const key = catalogKey(event.agentType, event.sessionId, event.agentId);
      const track = event.type === "todo_list" && roster.track(key)?.live.track;
      return track ? [[key, track] as const] : [];
    }),
  );
}

/**
 * Reports the merged list where several sources hold parts of one: a session file has the steps of
 * its own agent, the task files have those of subagents too. Reported as each source has it, the list
 * would change back and forth. Lists that an agent wrote whole are reported as they are.
 */
export function mergedUpdates(
  updates: readonly TranscriptUpdate[],
  isDocument: boolean,
  before: ReadonlyMap<string, Track>,
  roster: Catalog,
): readonly TranscriptUpdate[] {
  const last = new Map<string, TranscriptUpdate>();
  for (const each of updates) if (isPart(each.event, isDocument)) last.set(keyOf(each), each);
  if (last.size === 0) return updates;
  return updates.flatMap((each): readonly TranscriptUpdate[] => {
    const { event, change } = each;
    if (!isPart(event, isDocument) || !change) return [each];
    const key = keyOf(each);
    const found = roster.track(key);
    if (!found || found.units.length === 1) return [each];
    // Within one reading only the outcome counts: the other sources have only that.
    if (last.get(key) !== each) return [];
    const { live } = found;
    const was = before.get(key) ?? emptyTrack(live);
    const changes = diff(was, live.track);
    if (changes.length === 0) return [];
    const { stepwise: _, ...list } = event;
    return [
      {
        event: { ...list, items: itemsOf(live.track) },
        live,
        change: { ...change, changes },
        before: was,
        after: live.track,
      },
    ];
  });
}

function isPart(event: StreamEvent, isDocument: boolean): event is ListEvent {
  return event.type === "todo_list" && (isDocument || event.stepwise === true);
}

function keyOf({ event }: TranscriptUpdate): string {
  return catalogKey(event.agentType, event.sessionId, event.agentId);
}

/** With the agent's own ids, as its own sources have them. */
function itemsOf({ todos }: Track): readonly StreamItem[] {
  const refs = new Map(todos.map(({ id, ref = id }: Todo) => [id, ref]));
  return todos.map((todo) => ({
    ...itemOf(todo),
    id: todo.ref ?? todo.id,
    ...(todo.blockedBy && { blockedBy: todo.blockedBy.map((id) => refs.get(id) ?? id) }),
  }));
}
