import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changeArchive, readArchive } from "../../src/sessions/archive.ts";
import { openFeed } from "../../src/sessions/feed.ts";
import { endWithTest } from "../child-processes.ts";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { until } from "../until.ts";
import { newContext } from "./context.ts";

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "waymark-archive-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test("keeps every decision of concurrent writers", async () => {
  const home = newHome();
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  await Promise.all(
    names.map((session) => changeArchive(home, [{ session, archived: true, seen: 5 }], 10)),
  );
  expect([...readArchive(home).keys()].sort()).toEqual(names.toSorted());
  expect(readdirSync(home)).toEqual(["archive.json"]);
});

test("survives writers that are killed at any moment", async () => {
  const home = newHome();
  await changeArchive(home, [{ session: "first", archived: true, seen: 1 }], 1);
  const worker = await bundleWorker("test/sessions/archive-worker.ts");
  onTestFinished(() => removeBundle(worker));
  for (let round = 0; round < 3; round++) {
    const child = endWithTest(spawn(process.execPath, [worker, home], { stdio: "pipe" }));
    let written = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      written += text;
    });
    await until(() => written.length > 3 * round, "some writes");
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    expect(readArchive(home).get("first")).toEqual({ at: 1, seen: 1 });
    JSON.parse(readFileSync(join(home, "archive.json"), "utf8"));
  }
  await changeArchive(home, [{ session: "last", archived: true, seen: 2 }], 2);
  expect(readArchive(home).get("last")).toEqual({ at: 2, seen: 2 });
});

test("skips entries that it cannot read and keeps the others", async () => {
  const home = newHome();
  const sessions = { good: { at: 1, seen: 2 }, bad: { at: "x" }, worse: 7 };
  writeFileSync(join(home, "archive.json"), JSON.stringify({ version: 9, sessions }));
  expect([...readArchive(home)]).toEqual([["good", { at: 1, seen: 2 }]]);
  writeFileSync(join(home, "archive.json"), "not json");
  expect(readArchive(home).size).toBe(0);
});

test("publishes that a session was archived by another process, and its return when it changes", async () => {
  const { call, host } = newContext();
  await host({ session: "demo" }, [{ text: "One" }]);
  const feed = await openFeed(call);
  onTestFinished(() => feed.stop());
  await feed.ready;
  const shown = () => feed.tracks().map(({ track, archived }) => `${track.session} ${!archived}`);
  const published: string[] = [];
  feed.subscribe(({ type }) => void published.push(type));
  expect(shown()).toEqual(["demo true"]);
  const seen = feed.tracks()[0]?.updatedAt ?? 0;
  await changeArchive(call.home.path, [{ session: "demo", archived: true, seen }], Date.now());
  await until(() => published.includes("status"), "the change is published");
  expect(shown()).toEqual(["demo false"]);
  await host({ session: "demo" }, [{ text: "One" }, { text: "Two" }]);
  await until(() => shown()[0] === "demo true", "the session comes back");
});
