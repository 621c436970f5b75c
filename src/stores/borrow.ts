import { closedError } from "../engines/storage/failure.ts";
import type { Store } from "./store.ts";

/**
 * Wraps a store so that `close` ends only the subscriptions made through the wrapper. The store itself
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
    commit: (id, key, decide) => open().commit(id, key, decide),
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
