import { closedError } from "../engines/storage/failure.ts";
import type { Store } from "./store.ts";

/**
 * A store whose `close` ends only the subscriptions that were made through it. The store behind it
 * stays open for its owner.
 */
export function borrowStore(store: Store): Store {
  const subscriptions = new Set<() => void>();
  let isClosed = false;

  function open(): Store {
    if (isClosed) throw closedError("The tracker");
    return store;
  }

  return {
    get durable() {
      return store.durable;
    },
    read: (id) => open().read(id),
    commit: (id, key, judge) => open().commit(id, key, judge),
    events: (id, after) => open().events(id, after),
    tracks: (filter) => open().tracks(filter),
    watch(listener, replaced) {
      const end = open().watch(listener, replaced);
      const stop = () => {
        subscriptions.delete(stop);
        end();
      };
      subscriptions.add(stop);
      return stop;
    },
    close() {
      isClosed = true;
      for (const stop of subscriptions) stop();
    },
  };
}
