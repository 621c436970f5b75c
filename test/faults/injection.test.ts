import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { integrityOf } from "../concurrency/integrity.ts";
import { FULL } from "../full.ts";
import { needs } from "../skipped.ts";
import type { InjectionOrders, InjectionReport } from "./injection-worker.ts";
import { quickPlace } from "./quick-place.ts";
import { type Fault, NO_SHIM, shimIn } from "./shim.ts";
import { shimmed } from "./shimmed.ts";

const TRACK = { session: "s", agent: "main" };

const built = shimmed("test/faults/injection-worker.ts");

type Kind = Omit<Fault, "nth">;
const ERRORS = ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "EACCES"] as const;
const EVERY: readonly Kind[] = [
  ...ERRORS.flatMap((error) => [{ error }, { error, lasting: true }]),
  // An interrupted call is retried; endless interruptions would mean endless retries.
  { error: "EINTR" },
  { error: "short", calls: ["write"] },
  { error: "EIO", calls: ["read"] },
  { error: "EMFILE", calls: ["reading"] },
];
const SOME: readonly Kind[] = [
  { error: "ENOSPC", lasting: true },
  { error: "EIO" },
  { error: "short", calls: ["write"] },
];

const IN_LINE: readonly Kind[] = [{ error: "EIO", calls: ["mkdir", "writing"] }];

function runWorker(orders: Omit<InjectionOrders, "path" | "control">, dir: string) {
  const root = join(dir, "root");
  mkdirSync(root);
  const shim = shimIn(dir, built.library);
  const path = orders.store === "snapshots" ? root : join(root, "store.db");
  const given: InjectionOrders = { ...orders, path, control: shim.controlFile };
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [built.script, JSON.stringify(given)],
    {
      encoding: "utf8",
      env: { PATH: process.env.PATH, ...shim.env(root) },
    },
  );
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: "" });
  return { path, report: JSON.parse(stdout) as InjectionReport };
}

/** The keys that a process without the shim finds. */
async function keysIn(store: InjectionOrders["store"], path: string): Promise<readonly string[]> {
  if (store === "tasks") {
    const tasks = await sqliteTaskStore(path, { createDirectory: true });
    const found = await tasks.list({});
    await tasks.close();
    return found.map((task) => task.subject);
  }
  const tracks =
    store === "sqlite"
      ? await sqliteStore(path, { createDirectory: true })
      : snapshotStore(path, { onWarning() {} });
  const events = await tracks.events(TRACK);
  await tracks.close();
  return events.map((event) => event.key);
}

describe("files that fail", { timeout: 900_000, ...needs(NO_SHIM) }, () => {
  test.each([
    { store: "sqlite", open: true, some: SOME },
    { store: "sqlite", open: false, some: SOME.slice(0, 1) },
    // A ticket that cannot be removed makes the next one wait: only a few of them.
    { store: "sqlite", open: true, inLine: true, some: IN_LINE },
    { store: "tasks", open: true, some: SOME.slice(1, 2) },
    { store: "snapshots", open: true, some: EVERY },
    { store: "snapshots", open: false, some: SOME },
  ] as const)(
    "survives a failure of the Nth call, on $store, open before: $open, queued: $inLine",
    { tags: ["failing-file-call", "lost-answer"] },
    async ({ some, ...orders }) => {
      const { store } = orders;
      const faults = FULL ? EVERY : some;
      const { path, report } = runWorker({ ...orders, faults }, quickPlace());
      expect(report.wrong).toStrictEqual([]);
      expect(report.injections).toBeGreaterThan(faults.length);
      expect((await keysIn(store, path)).toSorted()).toStrictEqual(report.acknowledged.toSorted());
      if (store !== "snapshots") expect(await integrityOf(path)).toBe("ok");
    },
  );
});
