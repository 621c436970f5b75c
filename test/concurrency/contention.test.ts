import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { transitionsOf } from "../../src/core/views/history.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { FULL, sized } from "../full.ts";
import { closing, temporaryDirectory } from "../stores/temporary-directory.ts";
import { integrityOf } from "./integrity.ts";
import { bundleWorker, fairness, race, removeBundle } from "./processes.ts";
import type { Report } from "./worker.ts";

/** Per process. */
const COMMITS = sized(50, 200);
const TRACK = { session: "shared", agent: "main" };

let script: string;
beforeAll(async () => {
  script = await bundleWorker();
  return () => removeBundle(script);
});

function orders(store: "sqlite" | "snapshots", path: string, processes: number, commits: number) {
  return Array.from({ length: processes }, (_, n) => ({ store, path, name: `p${n}`, commits }));
}

/** On a busy machine, only starvation can be detected. Stricter bounds apply at full size. */
const [MAX_WAIT, MAX_RATIO] = FULL ? [2_000, 3] : [20_000, 6];

async function expectAllKept(store: Store, reports: readonly Report[], count: number) {
  const acknowledged = reports.flatMap((report) => report.acknowledged);
  const events = await store.events(TRACK);
  expect(acknowledged).toHaveLength(count);
  expect(events.map((event) => event.key).toSorted()).toStrictEqual(acknowledged.toSorted());
  const written = transitionsOf(events).flatMap(({ change, text }) =>
    change === "added" || change === "reworded" ? [text] : [],
  );
  expect(written.toSorted()).toStrictEqual(acknowledged.toSorted());
  expect(events.map((event) => event.seq)).toStrictEqual(events.map((_, n) => n + 1));
  for (const { name, acknowledged: own } of reports)
    expect(
      events.map((event) => event.key).filter((key) => key.startsWith(`${name}:`)),
    ).toStrictEqual(own);
}

describe("concurrent processes on one list", { timeout: 120_000 }, () => {
  it("lose nothing on sqlite, and no process waits long", {
    tags: ["starvation", "concurrent-writers"],
  }, async () => {
    const dir = temporaryDirectory();
    const path = join(dir, "store.db");
    const reports = await race(script, orders("sqlite", path, 16, COMMITS));
    await expectAllKept(
      closing(await sqliteStore(path, { createDirectory: true })),
      reports,
      16 * COMMITS,
    );
    expect(await integrityOf(path)).toBe("ok");
    expect(readdirSync(dir).toSorted()).toStrictEqual(["store.db", "store.db-journal"]);
    const { worstWait, ratio } = fairness(reports);
    expect(worstWait).toBeLessThan(MAX_WAIT);
    expect(ratio).toBeLessThanOrEqual(MAX_RATIO);
  });

  it("lose nothing on snapshots, and no process waits long", {
    tags: ["starvation", "concurrent-writers"],
  }, async () => {
    const dir = temporaryDirectory();
    const reports = await race(script, orders("snapshots", dir, 8, 50));
    await expectAllKept(closing(snapshotStore(dir)), reports, 400);
    expect(readdirSync(dir).toSorted()).toStrictEqual([
      "shared-agent-main.events.jsonl",
      "shared-agent-main.json",
    ]);
    const { worstWait, ratio } = fairness(reports);
    expect(worstWait).toBeLessThan(MAX_WAIT);
    expect(ratio).toBeLessThanOrEqual(MAX_RATIO);
  });

  it("create a new store at the same time", async () => {
    for (let round = 0; round < sized(1, 3); round++) {
      const path = join(temporaryDirectory(), "deep", "er", "store.db");
      const reports = await race(script, orders("sqlite", path, 16, 1));
      await expectAllKept(closing(await sqliteStore(path, { createDirectory: true })), reports, 16);
      expect(await integrityOf(path)).toBe("ok");
    }
  });
});
