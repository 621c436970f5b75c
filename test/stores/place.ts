import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Awaitable, Store } from "../../src/stores/store.ts";

export function makePlace(): string {
  return mkdtempSync(join(tmpdir(), "waymark-test-"));
}

/** A directory that goes when the test has ended. */
export function temporaryPlace(): string {
  const dir = makePlace();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Closes the store when the test has ended. */
export function closing<S extends Store>(store: S): S {
  onTestFinished(() => store.close());
  return store;
}

interface Closable {
  close(): Awaitable<void>;
}

/** What a contract needs of stores that are opened on one place, which is removed in the end. */
export async function openedOn<S extends Closable>(
  open: () => Awaitable<S>,
  remove: () => void = () => {},
) {
  const stores: S[] = [];
  const another = async () => {
    const store = await open();
    stores.push(store);
    return store;
  };
  const closeAll = async () => {
    for (const store of stores) await store.close();
  };
  return {
    store: await another(),
    another,
    async reopen() {
      await closeAll();
      return another();
    },
    async cleanup() {
      await closeAll();
      remove();
    },
  };
}

/** The same for a store that lives in a directory. */
export function openedIn<S extends Closable>(open: (dir: string) => Awaitable<S>) {
  const dir = makePlace();
  return openedOn(
    () => open(dir),
    () => rmSync(dir, { recursive: true, force: true }),
  );
}
