import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { noChange } from "../../src/testing/decisions.ts";
import { type List, trackerOn } from "../../src/tracker.ts";
import { newMachine } from "../cli/machine.ts";
import { FULL } from "../full.ts";
import { quickPlace } from "./quick-place.ts";

const TRACK = { session: "s", agent: "main" };

test("keeps reading, but not writing, a store that a newer program upgraded", {
  tags: ["mixed-versions"],
}, async () => {
  const path = join(quickPlace(), "waymark.db");
  const stores = await Promise.all(
    Array.from({ length: FULL ? 8 : 3 }, () => sqliteStore(path, { createDirectory: true })),
  );
  const tasks = await sqliteTaskStore(path, { createDirectory: true });
  const driver = await loadDriver();
  const newer = driver.open(path);
  onTestFinished(async () => {
    newer.close();
    for (const store of [...stores, tasks]) await store.close();
  });
  const lists = stores.map((store) => trackerOn(store).list(TRACK) as List);
  const sender = { by: "agent", via: "test" } as const;
  const add = (list: List, text: string) => list.submit([{ op: "add", todos: [{ text }] }]);
  let added = 0;
  for (let n = 0; n < (FULL ? 200 : 10); n++)
    for (const list of lists)
      expect((await add(list, `${added++}`.slice(-1))).ok).toBe(added <= 20);
  await tasks.apply({ op: "add", tasks: [{ subject: "One" }] }, sender);
  const before = await lists[0]?.events();
  // As a newer version would: another table, another version number.
  newer.exec("BEGIN IMMEDIATE; CREATE TABLE later (a); PRAGMA user_version = 99; COMMIT");
  for (const [place, list] of lists.entries()) {
    await expect(add(list, `late ${place}`)).rejects.toMatchObject({ code: "newer_store" });
    // Reading continues to work.
    expect(await list.events()).toEqual(before);
  }
  await expect((async () => stores[0]?.commit(TRACK, "k", noChange("k")))()).rejects.toMatchObject({
    code: "newer_store",
  });
  await expect(
    tasks.apply({ op: "add", tasks: [{ subject: "Two" }] }, sender),
  ).rejects.toMatchObject({ code: "newer_store" });
  expect((await tasks.list({})).map(({ subject }) => subject)).toEqual(["One"]);
});

test("asks for an update and leaves a newer list undamaged", {
  tags: ["mixed-versions"],
}, async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  machine.run(["todo", "add", "One", "--session", "s"]);
  const driver = await loadDriver();
  const newer = driver.open(join(machine.home, "waymark.db"));
  newer.exec("PRAGMA user_version = 99");
  newer.close();
  const { status, stderr } = machine.run(["todo", "add", "Two", "--session", "s"]);
  expect([status, stderr]).toEqual([3, expect.stringContaining("Update Waymark")]);
  const back = driver.open(join(machine.home, "waymark.db"));
  back.exec("PRAGMA user_version = 3");
  const rows = back.prepare("SELECT count(*) AS count FROM events").all();
  back.close();
  expect(rows).toEqual([{ count: 1 }]);
});
