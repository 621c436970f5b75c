import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Author, createTracker, PRESETS, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { postgresStore } from "../../src/stores/postgres.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { op } from "../core/arbitrary.ts";
import { FULL } from "../full.ts";
import { NO_POSTGRES, serverForFile } from "../postgres/server.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

const RUNS = FULL ? 1_000 : 15;

const server = serverForFile({ fsync: "off" });
let dir: string;
let stores: readonly Store[];
beforeAll(async () => {
  if (NO_POSTGRES !== "") return;
  dir = makeTemporaryDirectory();
  stores = [
    memoryStore(),
    await sqliteStore(join(dir, "store.db")),
    snapshotStore(join(dir, "todos")),
    await postgresStore(server.url),
  ];
}, 60_000);
afterAll(async () => {
  if (NO_POSTGRES !== "") return;
  for (const store of stores) await store.close();
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

const step = fc.record({
  ops: fc.array(op, { maxLength: 3 }),
  by: fc.constantFrom<Author>("agent", "user"),
  key: fc.constantFrom("k1", "k2", "k3", "k4", "k5", "k6"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function play(store: Store, session: string, steps: readonly Step[]) {
  let now = 1_000;
  const clock = () => {
    now += 1_000;
    return now;
  };
  const list = createTracker({ store, clock, policy: PRESETS.repair }).list({
    session,
    agent: "main",
  });
  const outcomes = [];
  for (const { ops, by, key } of steps) outcomes.push(await list.submit(ops, { by, key }));
  return { outcomes, track: await list.read(), events: await list.events() };
}

test("gives the same results and the same list on every store", {
  tags: ["engine-difference"],
  timeout: 600_000,
}, async () => {
  let session = 0;
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      session += 1;
      const [first, ...others] = stores;
      if (!first) throw new Error("no store");
      const expected = await play(first, `s${session}`, steps);
      for (const store of others)
        expect(await play(store, `s${session}`, steps)).toStrictEqual(expected);
      changes += expected.events.length;
    }),
    { numRuns: RUNS },
  );
  expect(changes).toBeGreaterThan(RUNS);
});
