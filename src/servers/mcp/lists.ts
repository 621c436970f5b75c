import type { Awaitable } from "../../core/awaitable.ts";
import type { Door } from "../../core/list/intent.ts";
import type { Policy } from "../../core/list/policy.ts";
import type { Origin, TrackId } from "../../core/model.ts";
import type { List, SyncStore, Tracker } from "../../tracker.ts";

/** Where the lists are kept; opened when they are needed and not before. */
export interface Lists {
  reading(): Awaitable<Tracker>;
  writing(): Awaitable<Tracker>;
}

export function listsOf(source: Tracker | Tracker<SyncStore> | Lists): Lists {
  if ("reading" in source) return source;
  // Everything that it returns is awaited here.
  const tracker = source as Tracker;
  return { reading: () => tracker, writing: () => tracker };
}

/** One list for a tool. Reading it creates no store. */
export function doorTo(
  lists: Lists,
  id: TrackId,
  origin: Origin,
  policy: Partial<Policy> = {},
): Door {
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
