import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { foldEvents } from "../../src/core/evolve.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { sized } from "../full.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { pause, until } from "../until.ts";
import { integrityOf } from "./integrity.ts";
import { bundleWorker, removeBundle, startWorker, type Worker } from "./processes.ts";
import type { Orders } from "./worker.ts";

const TRACK = { session: "shared", agent: "main" };
/** Kills per store. A longer history would only cost time. */
const KILLS_PER_STORE = 20;

let script: string;
beforeAll(async () => {
  script = await bundleWorker();
  return () => removeBundle(script);
});

interface Lane {
  readonly kills: number;
  readonly store: Orders["store"];
  newPath(): string;
  open(path: string): Promise<Store> | Store;
  check(path: string): Promise<void> | void;
}

/** Kills writers one after the other and checks each time that all their acknowledged writes are there. */
async function killAll(lane: Lane): Promise<number> {
  const running = new Set<Worker>();
  onTestFinished(() => {
    for (const worker of running) worker.kill();
  });
  const paths = Array.from({ length: Math.ceil(lane.kills / KILLS_PER_STORE) }, lane.newPath);
  const pathFor = (n: number) => paths[Math.floor(n / KILLS_PER_STORE)] ?? "";
  const launch = (n: number) => {
    const path = pathFor(n);
    const worker = startWorker(script, { store: lane.store, path, name: `k${n}`, late: true });
    running.add(worker);
    return worker;
  };
  let acknowledged = 0;
  let seen = 0;
  let next = launch(0);
  for (let n = 0; n < lane.kills; n++) {
    const path = pathFor(n);
    if (n % KILLS_PER_STORE === 0) seen = 0;
    const worker = next;
    await worker.ready;
    worker.go();
    // Starting a process takes longest, so the next one starts meanwhile.
    if (n + 1 < lane.kills) next = launch(n + 1);
    // Every other writer has an acknowledged write by then, however slow the machine is.
    if (n % 2 === 1) await until(() => worker.lines.length > 0, "an acknowledged commit");
    await pause(Math.random() * 80, "killed at any moment");
    worker.kill();
    await worker.ended;
    running.delete(worker);

    const store = await lane.open(path);
    const events = await store.events(TRACK, seen);
    const track = await store.read(TRACK);
    const kept = new Set(events.map((event) => event.key));
    expect(worker.lines.filter((key) => !kept.has(key))).toStrictEqual([]);
    // At most the write whose acknowledgment was in flight.
    expect(kept.size - worker.lines.length).toBeLessThanOrEqual(1);
    expect(track).toStrictEqual(foldEvents(TRACK, await store.events(TRACK)));
    await store.close();
    await lane.check(path);
    seen += events.length;
    acknowledged += worker.lines.length;
  }
  return acknowledged;
}

describe("a writer killed at a random moment", { timeout: 300_000 }, () => {
  it("loses no acknowledged write on sqlite", { tags: ["killed-writer"] }, async () => {
    const dir = temporaryDirectory();
    let files = 0;
    const lane: Lane = {
      kills: sized(10, 250),
      store: "sqlite",
      newPath: () => join(dir, `store-${files++}.db`),
      open: (path) => sqliteStore(path, { createDirectory: true }),
      check: async (path) => expect(await integrityOf(path)).toBe("ok"),
    };
    const acknowledged = await Promise.all([killAll(lane), killAll(lane)]);
    expect(Math.min(...acknowledged)).toBeGreaterThanOrEqual(lane.kills / 2 - 1);
  });

  it("loses no acknowledged write on snapshots", { tags: ["killed-writer"] }, async () => {
    const dir = temporaryDirectory();
    let places = 0;
    const lane: Lane = {
      kills: sized(5, 50),
      store: "snapshots",
      newPath: () => join(dir, `todos-${places++}`),
      // The only acceptable warning is about an incomplete line.
      open: (path) =>
        snapshotStore(path, {
          onWarning: (message) =>
            expect(message).toMatch(/^Skipped line \d+ of .*: cannot read it\.$/),
        }),
      check(path) {
        const snapshot = join(path, "shared-agent-main.json");
        // The first writer may have been killed before its first list.
        if (existsSync(snapshot))
          expect(Array.isArray(JSON.parse(readFileSync(snapshot, "utf8")))).toBe(true);
      },
    };
    const acknowledged = await Promise.all([killAll(lane), killAll(lane)]);
    expect(Math.min(...acknowledged)).toBeGreaterThanOrEqual(lane.kills / 2 - 1);
  });
});
