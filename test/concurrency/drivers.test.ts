import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { NO_NEWER_NODE, newerNode } from "../newer-node.ts";
import { needs } from "../skipped.ts";
import { closing, temporaryDirectory } from "../stores/temporary-directory.ts";
import { integrityOf } from "./integrity.ts";
import { bundleWorker, race, removeBundle } from "./processes.ts";
import type { Orders } from "./worker.ts";

let script: string;
beforeAll(async () => {
  script = await bundleWorker();
  return () => removeBundle(script);
}, 300_000);

describe("both drivers", { timeout: 120_000, ...needs(NO_NEWER_NODE) }, () => {
  it("share one file at the same time", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const of = (driver: "node" | "libsql"): Orders[] =>
      Array.from({ length: 4 }, (_, n) => ({
        store: "sqlite",
        path,
        driver,
        name: `${driver}${n}`,
        commits: 100,
      }));
    const nodes = [...Array(4).fill(newerNode), ...Array(4).fill(process.execPath)];
    const reports = await race(script, [...of("node"), ...of("libsql")], nodes);
    const acknowledged = reports.flatMap((report) => report.acknowledged);
    expect(acknowledged).toHaveLength(800);
    const store = closing(await sqliteStore(path, { createDirectory: true, driver: "libsql" }));
    const events = await store.events({ session: "shared", agent: "main" });
    expect(events.map((event) => event.key).toSorted()).toStrictEqual(acknowledged.toSorted());
    expect(await integrityOf(path, "libsql")).toBe("ok");
  });

  it("print no experimental warning", () => {
    const orders: Orders = {
      store: "sqlite",
      path: join(temporaryDirectory(), "store.db"),
      name: "quiet",
      commits: 1,
    };
    const { stderr, stdout, status } = spawnSync(newerNode, [script, JSON.stringify(orders)], {
      input: "go\n",
      encoding: "utf8",
    });
    expect({ stderr, status }).toStrictEqual({ stderr: "", status: 0 });
    expect(stdout).toContain('"acknowledged":["quiet:0"]');
  });
});
