import { existsSync, renameSync } from "node:fs";
import { CommandError, WaymarkError } from "../core/error.ts";
import type { TrackId } from "../core/model.ts";
import { mirroredLists, mirrorOf, removeTasksRecord } from "../engines/storage/lost-store.ts";
import type { Warn } from "../engines/storage/warn.ts";
import { startEvent } from "../stores/snapshot-file.ts";
import { trackOfName } from "../stores/snapshot-name.ts";
import { sqliteStore } from "../stores/sqlite.ts";
import type { Store } from "../stores/store.ts";

export interface Restored {
  readonly store: string;
  readonly lists: readonly TrackId[];
  readonly todos: number;
  /** The new path of a damaged store. */
  readonly setAside: string | null;
}

/** Adds the mirrored lists that the store does not have. */
export async function restoreStore(file: string, warn: Warn): Promise<Restored> {
  const ids = mirroredLists(file).flatMap((name) => trackOfName(name)?.id ?? []);
  if (ids.length === 0)
    throw new CommandError(
      `${mirrorOf(file)} has no lists. Put a backup at ${file}, or run \`waymark doctor --start-empty\` to start over.`,
    );
  const { store, setAside } = await openIntact(file, warn);
  try {
    const lists: TrackId[] = [];
    let todos = 0;
    for (const id of ids) {
      const event = startEvent(mirrorOf(file), id, warn);
      if (!event) continue;
      const { ok, duplicate } = await store.commit(id, event.key, ({ version }) =>
        version === 0 ? { ok: true, event } : { ok: false, rejected: [] },
      );
      if (!ok || duplicate) continue;
      lists.push(id);
      todos += event.changes.length - 1;
    }
    removeTasksRecord(file);
    return { store: file, lists, todos, setAside };
  } finally {
    await store.close();
  }
}

export interface Emptied {
  readonly store: string;
  /** The new path of the mirror of the lost store. */
  readonly mirror: string | null;
  readonly setAside: string | null;
}

/** Starts over with an empty store. The remains of the lost one are renamed, not deleted. */
export async function startEmpty(file: string, warn: Warn): Promise<Emptied> {
  const { store, setAside } = await openIntact(file, warn);
  try {
    const { length } = await store.tracks();
    if (length > 0)
      throw new CommandError(
        `The store ${file} is not empty: it has ${length === 1 ? "1 list" : `${length} lists`}. Nothing was changed.`,
      );
    const mirror = mirrorOf(file);
    const aside = mirroredLists(file).length > 0 ? freeName(`${mirror}.before`) : null;
    if (aside !== null) renameSync(mirror, aside);
    removeTasksRecord(file);
    return { store: file, mirror: aside, setAside };
  } finally {
    await store.close();
  }
}

/** Lists of the mirror that the store does not have. */
export async function unknownLists(file: string, store: Pick<Store, "read">): Promise<number> {
  let unknown = 0;
  for (const name of mirroredLists(file)) {
    const id = trackOfName(name)?.id;
    if (id && (await store.read(id)).version === 0) unknown += 1;
  }
  return unknown;
}

/** Opens the store. A damaged one is moved aside first, with its journal. */
async function openIntact(
  file: string,
  warn: Warn,
): Promise<{ readonly store: Store; readonly setAside: string | null }> {
  const open = async (): Promise<Store> => {
    const store = await sqliteStore(file, {
      startEmpty: true,
      createDirectory: true,
      onWarning: warn,
    });
    try {
      await store.tracks();
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  };
  try {
    return { store: await open(), setAside: null };
  } catch (error) {
    if (!(error instanceof WaymarkError) || error.code !== "store_corrupt") throw error;
    const setAside = freeName(`${file}.damaged`);
    renameSync(file, setAside);
    if (existsSync(`${file}-journal`)) renameSync(`${file}-journal`, `${setAside}-journal`);
    return { store: await open(), setAside };
  }
}

function freeName(path: string): string {
  for (let n = 1; ; n++) if (!existsSync(`${path}-${n}`)) return `${path}-${n}`;
}
