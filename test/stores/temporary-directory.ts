import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Awaitable, Store } from "../../src/stores/store.ts";

export function makeTemporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), "waymark-test-"));
}

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const dir = makeTemporaryDirectory();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Closes the store after the test. */
export function closing<S extends Store>(store: S): S {
  onTestFinished(() => store.close());
  return store;
}

interface Closable {
  close(): Awaitable<void>;
}

/** Opens stores on one location for a contract suite, which removes it at the end. */
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

/** The same for a store in a directory. */
export function openedIn<S extends Closable>(open: (dir: string) => Awaitable<S>) {
  const dir = makeTemporaryDirectory();
  return openedOn(
    () => open(dir),
    () => rmSync(dir, { recursive: true, force: true }),
  );
}
