/** In place of `src/stores/sqlite.ts`: the same contract and options, with the store in memory as the file. */
import { trackVersions } from "../../../src/core/evolve.ts";
import { redactedMessage } from "../../../src/engines/storage/warn.ts";
import type { SqliteStoreOptions } from "../../../src/stores/sqlite.ts";
import type { Store } from "../../../src/stores/store.ts";
import { Killed } from "../scheduler.ts";
import { connect } from "./shared-file.ts";

export async function sqliteStore(name: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const { onCommit, onWarning: warn = () => undefined } = options;
  const file = await connect(name, warn);
  const { lists, listLog } = file.database;
  return {
    durable: true,
    read: (id) => file.read("read a track", () => lists.read(id)),
    events: (id, after) => file.read("read events", () => lists.events(id, after)),
    tracks: (filter) => file.read("read tracks", () => lists.tracks(filter)),
    commit: (id, key, decide) =>
      file.write(
        `commit ${key} to ${id.session}/${id.agent}`,
        () => lists.commit(id, key, decide),
        ({ event, duplicate, before, after }) => {
          if (!event || duplicate) return;
          const former = () => trackVersions(id, lists.events(id));
          try {
            onCommit?.(after, after.revision !== before.revision, former, before);
          } catch (error) {
            if (!(error instanceof Killed)) warn(`mirroring failed: ${redactedMessage(error)}`);
          }
        },
      ),
    watch: (listener) => file.follow(listLog, ({ position }) => position, listener),
    close: file.close,
  };
}
