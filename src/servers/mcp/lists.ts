import type { Awaitable } from "../../core/awaitable.ts";
import { type Situation, situationOf } from "../../core/guidance/situation.ts";
import type { ListAccess } from "../../core/list/access.ts";
import type { Policy } from "../../core/list/policy.ts";
import type { Origin, TrackId } from "../../core/model.ts";
import type { Session } from "../../sessions/caller/session.ts";
import type { List, SyncStore, Tracker } from "../../tracker.ts";
import type { ServerParts } from "./server.ts";

/** The tracker, opened on first use. */
export interface Lists {
  reading(): Awaitable<Tracker>;
  writing(): Awaitable<Tracker>;
}

export function listsOf(source: Tracker | Tracker<SyncStore> | Lists): Lists {
  if ("reading" in source) return source;
  // All its results are awaited, so a synchronous tracker works, too.
  const tracker = source as Tracker;
  return { reading: () => tracker, writing: () => tracker };
}

/** The list that a tool call works on. Reading creates no store. */
export function accessTo(
  lists: Lists,
  id: TrackId,
  origin: Origin,
  policy: Partial<Policy> = {},
): ListAccess {
  return {
    durable: true,
    read: async () => (await lists.reading()).list(id).read(),
    write: async (request) =>
      (await lists.writing())
        .list(id, origin)
        .write({ ...request, policy: { ...policy, ...request.policy } }),
    // Through the reading side: a refused call must not create a store.
    refused: async (rejected, key) =>
      (await lists.reading()).list(id, origin).refused?.(rejected, key),
  };
}

export async function listOf(lists: Lists, { session, agent }: TrackId): Promise<List> {
  return (await lists.reading()).list({ session, agent });
}

/** The operation that the agent is in, if the list is read-only during it. */
export async function readOnlySituation(
  { lists, offIn = [] }: ServerParts,
  { session, agent }: Session,
): Promise<Situation | undefined> {
  if (offIn.length === 0) return undefined;
  const { activity } = await (await lists.reading()).list({ session, agent }).read();
  const situation = situationOf(activity);
  return situation && offIn.includes(situation) ? situation : undefined;
}
