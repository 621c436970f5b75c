import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Awaitable, Store } from "../../src/stores/store.ts";
import type { OpenedStore } from "../../src/testing/index.ts";

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

/** What the contract needs of a store that lives in a directory. */
export async function openedIn(open: (dir: string) => Awaitable<Store>): Promise<OpenedStore> {
  const dir = makePlace();
  const stores: Store[] = [];
  const another = async () => {
    const store = await open(dir);
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
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
