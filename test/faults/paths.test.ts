import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  isSymlink,
  replaceFile,
  replaceWithoutSync,
  TEMPORARY_SUFFIX,
} from "../../src/engines/storage/files.ts";
import { appendLine } from "../../src/engines/storage/log-file.ts";
import { createQueue } from "../../src/engines/storage/queue.ts";
import { openOnce } from "../../src/servers/notify/once.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { addTodo, noChange } from "../../src/testing/decisions.ts";
import { start, waymark } from "../cli/running.ts";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import { hostileIds } from "./hostile-ids.ts";
import type { IdOrders } from "./ids-worker.ts";
import { quickPlace } from "./quick-place.ts";
import { treeOf } from "./tree.ts";

const ROUNDS = FULL ? 10_000 : 500;
const IDS = FULL ? 5_000 : 150;
const SEED = Number(process.env.WAYMARK_SEED ?? 7);
/** Names that Waymark uses for its own files. */
const PLAIN = /^[A-Za-z0-9._-]{1,255}$/;

let script: string;
beforeAll(async () => {
  script = await bundleWorker("test/faults/ids-worker.ts");
  return () => removeBundle(script);
});

describe("ids that are paths", { timeout: 1_800_000 }, () => {
  test(`${IDS} ids through every API change nothing outside the home`, {
    tags: ["path-as-id"],
  }, () => {
    const place = quickPlace();
    const outside = join(place, "outside");
    const home = join(place, "home");
    for (const dir of [outside, home, join(place, "project"), join(home, "due")])
      mkdirSync(dir, { recursive: true });
    writeFileSync(join(outside, "canary"), "alive");
    writeFileSync(join(outside, "canary.json"), '[{"content":"theirs","status":"pending"}]');
    const ids = join(place, "ids.json");
    writeFileSync(ids, JSON.stringify(hostileIds(IDS, outside, SEED)));
    const others = () =>
      Object.entries(treeOf(place)).filter(([name]) => !/^home(?:\/|$)/.test(name));
    const before = others();
    const orders: IdOrders = { ids, home, commandsEvery: FULL ? 5 : 15 };
    const { status, signal } = spawnSync(process.execPath, [script, JSON.stringify(orders)], {
      cwd: join(place, "project"),
      stdio: "ignore",
      env: { PATH: process.env.PATH, HOME: place, WAYMARK_HOME: home },
    });
    expect({ status, signal }).toStrictEqual({ status: 0, signal: null });
    expect(others()).toStrictEqual(before);
    const names = Object.keys(treeOf(home));
    expect(names.filter((name) => !PLAIN.test(basename(name)))).toStrictEqual([]);
    // The same APIs accepted valid ids.
    expect(names).toContain("snapshots/constructor-agent-main.json");
    expect(names).toContain("todos/constructor-agent-main.json");
    expect(names).toContain("due/constructor");
  });
});

describe("links in place of our files", { timeout: 600_000 }, () => {
  /** A home in which the named entries are links to files outside. */
  function trapped(names: Readonly<Record<string, string>>) {
    const place = quickPlace();
    const outside = join(place, "outside");
    const home = join(place, "home");
    for (const dir of [join(outside, "dir"), join(home, "todos"), join(home, "snapshots")])
      mkdirSync(dir, { recursive: true });
    writeFileSync(join(outside, "canary"), "alive\n");
    writeFileSync(join(outside, "dir", "canary"), "alive\n");
    for (const [name, target] of Object.entries(names))
      symlinkSync(join(outside, target), join(home, name));
    return { home, tree: () => treeOf(outside) };
  }

  const env = (home: string) => ({ WAYMARK_HOME: home, HOME: home });

  test("are safe at the log, the status, the list and the marks of the program", {
    tags: ["symbolic-link"],
  }, async () => {
    const { home, tree } = trapped({
      "hook.log": "canary",
      "status.json": "canary",
      "todos/s-agent-main.json": "canary",
      due: "dir",
    });
    const before = tree();
    const add = ["todo", "add", "One", "--session", "s"];
    expect(await waymark(add, "", env(home))).toMatchObject({ code: 0 });
    await waymark(["hook", "claude", "NoSuchEvent"], "{}", env(home));
    await waymark(["hook", "claude", "Stop"], "no JSON", env(home));
    await waymark(["hook", "claude", "PreToolUse"], '{"session_id":"s"}', env(home));
    expect(await waymark(["todos", "--session", "s"], "", env(home))).toMatchObject({ code: 0 });
    expect(tree()).toStrictEqual(before);
  });

  test("are not followed in place of folders: their targets are neither moved nor removed", {
    tags: ["symbolic-link"],
  }, async () => {
    const folders = ["spool", "due", "alerted", "waymark.db-queue", "sessions"];
    const { home, tree } = trapped(
      Object.fromEntries(
        [...folders, "serve.json", "refusals.log"].map((name) => [
          name,
          /\./.test(name) && !name.includes("queue") ? "canary" : "dir",
        ]),
      ),
    );
    const old = new Date(0);
    for (const name of ["old", "s.PostToolUse.claude.1-1", "1-1-1"]) {
      const path = join(home, "..", "outside", "dir", name);
      writeFileSync(path, '{"session_id":"s","tool_name":"Bash"}');
      utimesSync(path, old, old);
    }
    const before = tree();
    const input = '{"session_id":"s","tool_name":"Bash","tool_use_id":"c","tool_input":{}}';
    for (const event of ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]) {
      const hook = ["hook", "claude", event];
      expect(await waymark(hook, input, env(home))).toMatchObject({ code: 0, stderr: "" });
      const script = start(
        "sh",
        ["bin/waymark-hook", process.execPath, "bin/waymark.js", ...hook],
        env(home),
      );
      script.child.stdin?.end(input);
      expect(await script.finished).toMatchObject({ code: 0, stderr: "" });
    }
    await waymark(["todo", "add", "One", "--session", "s"], "", env(home));
    const serving = start(
      process.execPath,
      ["bin/waymark.js", "serve", "--port", "0", "--no-open", "--json"],
      env(home),
    );
    await serving.untilPrinted("\n");
    serving.child.kill("SIGINT");
    await serving.finished;
    expect(() => openOnce(home, Date.now())).toThrow("is a symlink");
    const queue = createQueue(join(home, "waymark.db-queue"), { limit: 1_000, always: true });
    await expect(queue.turn(() => 1)).rejects.toMatchObject({ code: "link_in_place" });
    expect(tree()).toStrictEqual(before);
  });

  test("are safe at the store, at a journal and at a new file", {
    tags: ["symbolic-link"],
  }, async () => {
    const { home, tree } = trapped({
      "waymark.db": "canary",
      "snapshots/s-agent-main.events.jsonl": "canary",
      [`.x.${process.pid}.part`]: "canary",
    });
    const before = tree();
    const add = ["todo", "add", "One", "--session", "s"];
    expect(await waymark(add, "", env(home))).toMatchObject({ code: 3 });
    const store = snapshotStore(join(home, "snapshots"), { onWarning() {} });
    await expect(
      (async () => store.commit({ session: "s", agent: "main" }, "k", noChange("k")))(),
    ).rejects.toMatchObject({ code: "store_failed" });
    replaceWithoutSync(join(home, "x"), "text");
    await store.close();
    expect(tree()).toStrictEqual(before);
  });

  test(`links that come and go while files are written, ${ROUNDS} rounds`, {
    tags: ["symbolic-link"],
  }, async () => {
    const { home, tree } = trapped({});
    const canary = join(home, "..", "outside", "canary");
    const before = tree();
    const [log, small, whole] = ["log", "small", "whole"].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    const snapshots = join(home, "snapshots");
    const track = join(snapshots, "s-agent-main");
    const beside = (name: string, ending: string) => join(home, `.${name}.${process.pid}${ending}`);
    const files = [
      ...[log, small, whole, `${track}.json`, `${track}.events.jsonl`],
      ...[beside("small", ".part"), beside("whole", TEMPORARY_SUFFIX)],
    ];
    const swapper = start(process.execPath, ["test/faults/swapper.mjs", canary, ...files], {});
    await swapper.untilPrinted("swapping");
    const store = snapshotStore(snapshots, { onWarning() {} });
    const done = { met: 0, written: 0, refused: 0 };
    const attempt = async (work: () => unknown) => {
      if (files.some(isSymlink)) done.met += 1;
      try {
        await work();
        done.written += 1;
      } catch {
        done.refused += 1;
      }
    };
    for (let round = 0; round < ROUNDS; round++) {
      await attempt(() => appendLine(log, `line ${round}`));
      await attempt(() => replaceWithoutSync(small, `small ${round}`));
      await attempt(() => replaceFile(whole, `whole ${round}`));
      const key = `k${round}`;
      if (round % 10 === 0)
        await attempt(() => store.commit({ session: "s", agent: "main" }, key, addTodo(key, key)));
    }
    swapper.child.kill("SIGTERM");
    const { stdout } = await swapper.finished;
    expect(Number(stdout.toString().split("\n")[1])).toBeGreaterThan(ROUNDS);
    expect(done.met).toBeGreaterThan(0);
    expect(done.written).toBeGreaterThan(0);
    expect(tree()).toStrictEqual(before);
    await store.close();
  });
});
