import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { foldEvents } from "../../src/core/evolve.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { noChange } from "../../src/testing/decisions.ts";
import { integrityOf } from "../concurrency/integrity.ts";
import { FULL } from "../full.ts";
import { needs } from "../skipped.ts";
import { type Call, chanceFrom, createDisk, LOSSES, type Loss, readLog } from "./power-cut.ts";
import type { PowerOrders } from "./power-worker.ts";
import { quickPlace } from "./quick-place.ts";
import { NO_SHIM, shimIn } from "./shim.ts";
import { shimmed } from "./shimmed.ts";

const TRACK = { session: "s", agent: "main" };
const IMAGES = FULL ? 1_500 : 100;
const WRITES = FULL ? 60 : 12;
const SEED = Number(process.env.WAYMARK_SEED ?? Date.now() % 100_000);
/** In directories that must be created first: their names can be lost as well. */
const PLACES = { sqlite: "deep/er/store.db", snapshots: "deep/er/todos" } as const;
const TORN_LINE = /^Skipped line \d+ of .*: cannot read it\.$/;

const built = shimmed("test/faults/power-worker.ts");

/** Everything that a writer did to its files, call by call, and its acknowledgements. */
function record(store: PowerOrders["store"], writes: number, failing: boolean): readonly Call[] {
  const dir = quickPlace();
  const root = join(dir, "root");
  mkdirSync(root);
  const shim = shimIn(dir, built.library);
  const log = join(dir, "log");
  const path = join(root, PLACES[store]);
  const control = failing ? { control: shim.controlFile } : {};
  // Another process continues after a failure.
  for (let from = 0; from < writes; ) {
    const orders: PowerOrders = { store, path, from, to: writes, ...control };
    const ran = spawnSync(process.execPath, [built.script, JSON.stringify(orders)], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, ...shim.env(root, log) },
    });
    shim.control.disarm();
    const printed = ran.stdout.split("\n").length - 1;
    if (!failing || printed === 0) expect(ran).toMatchObject({ status: 0, stderr: "" });
    from += printed;
  }
  return readLog(readFileSync(log));
}

/** Violations in the store of a directory, given the acknowledgements of its writer. */
async function faultsIn(store: PowerOrders["store"], dir: string, promised: readonly string[]) {
  const wrong: string[] = [];
  const path = join(dir, PLACES[store]);
  const opened =
    store === "sqlite"
      ? await sqliteStore(path, {
          createDirectory: true,
          onWarning: (message) => wrong.push(message),
        })
      : snapshotStore(path, {
          onWarning: (message) => TORN_LINE.test(message) || wrong.push(message),
        });
  try {
    const events = await opened.events(TRACK);
    const keys = events.map((event) => event.key);
    const lost = promised.filter((key) => !keys.includes(key));
    if (lost.length > 0) wrong.push(`lost: ${lost}`);
    if (keys.length > promised.length + 1) wrong.push(`out of nowhere: ${keys}`);
    expect(await opened.read(TRACK)).toStrictEqual(foldEvents(TRACK, events));
    const next = await opened.commit(TRACK, "next", noChange("next"));
    if (!next.ok) wrong.push("it takes no more writes");
  } finally {
    await opened.close();
  }
  const list = join(path, "s-agent-main.json");
  if (existsSync(list)) JSON.parse(readFileSync(list, "utf8"));
  if (store === "sqlite" && (await integrityOf(path)) !== "ok") wrong.push("a damaged file");
  return wrong;
}

async function cutEverywhere(
  store: PowerOrders["store"],
  calls: readonly Call[],
  failedSync: "waits" | "loses",
  images: number,
) {
  const place = quickPlace();
  const chance = chanceFrom(SEED);
  // Anything not durable at the time of an acknowledgement shows immediately; other moments and
  // losses are random.
  const promises = calls.flatMap(({ what }, place) => (what === "say" ? [place + 1] : []));
  const cuts = [
    ...promises.map((point) => ({ point, loss: "none kept" as Loss })),
    ...Array.from({ length: images }, (_, n) => ({
      point: chance.below(calls.length + 1),
      loss: LOSSES[n % LOSSES.length] ?? "none kept",
    })),
  ].sort((a, b) => a.point - b.point);
  const disk = createDisk(failedSync);
  const promised: string[] = [];
  let played = 0;
  for (const [n, { point, loss }] of cuts.entries()) {
    for (; played < point; played++) {
      const call = calls[played];
      if (call) disk.play(call);
      if (call?.what === "say") promised.push(String(call.data).trim());
    }
    const dir = join(place, String(n));
    mkdirSync(dir);
    disk.writeImage(dir, loss, chance);
    const where = `image ${n} (seed ${SEED}), ${loss}, after ${played} of ${calls.length} calls`;
    const wrong = await faultsIn(store, dir, promised).catch((error) => [String(error)]);
    expect({ where, wrong }).toStrictEqual({ where, wrong: [] });
    rmSync(dir, { recursive: true });
  }
}

describe("a power cut", { timeout: 1_800_000, ...needs(NO_SHIM) }, () => {
  test.each(["snapshots", "sqlite"] as const)(
    `${IMAGES} images of a power cut have every acknowledged write, on %s`,
    { tags: ["power-cut"] },
    async (store) => cutEverywhere(store, record(store, WRITES, false), "waits", IMAGES),
  );

  test.each([
    { store: "snapshots", failedSync: "waits" },
    { store: "snapshots", failedSync: "loses" },
    { store: "sqlite", failedSync: "waits" },
    { store: "sqlite", failedSync: "loses" },
  ] as const)(
    "never acknowledges data that a failed sync $failedSync, on $store",
    { tags: ["failing-sync"] },
    async ({ store, failedSync }) =>
      cutEverywhere(store, record(store, WRITES, true), failedSync, IMAGES / 2),
  );
});
