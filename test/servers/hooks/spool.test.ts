import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { spoolEvent, takeBatch, trimSpool } from "../../../src/home/spool.ts";
import { sqliteStore } from "../../../src/stores/sqlite.ts";
import { waymark } from "../../cli/running.ts";
import { FULL } from "../../full.ts";
import { pause } from "../../until.ts";

let home: string;
let spool: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-spool-"));
  spool = join(home, "spool");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(count: number, from = 0): void {
  for (let index = from; index < from + count; index++) {
    const call = {
      session_id: "s",
      tool_name: "Bash",
      tool_use_id: `c${index}`,
      tool_input: { index },
    };
    spoolEvent(home, { session: "s", agent: "claude", event: "PreToolUse" }, JSON.stringify(call));
  }
}

const env = () => ({ WAYMARK_HOME: home, HOME: home });

async function toolsSeen(): Promise<number> {
  const store = await sqliteStore(join(home, "waymark.db"), { createDirectory: true });
  const { activity } = await store.read({ session: "s", agent: "main" });
  await store.close();
  return activity?.counts.tools ?? 0;
}

describe("exactly once", () => {
  test("with eight concurrent processes", async () => {
    put(400);
    const all = Array.from({ length: 8 }, () =>
      waymark(["todos", "--session", "s", "--json"], "", env()),
    );
    for (const { code, stderr } of await Promise.all(all))
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(await toolsSeen()).toBe(400);
    expect(readdirSync(spool)).toEqual([]);
  }, 60_000);

  test("with processes that are killed at any time", async () => {
    const rounds = FULL ? 100 : 14;
    let total = 0;
    for (let round = 0; round < rounds; round++) {
      put(30, total);
      total += 30;
      const child = spawn(
        process.execPath,
        ["bin/waymark.js", "todos", "--session", "s", "--json"],
        {
          env: { ...process.env, ...env() },
          stdio: "ignore",
        },
      );
      const ended = new Promise((resolve) => child.once("close", resolve));
      // Spread over the run time of a process, so that every part of it is hit.
      await pause(40 + (round * 160) / rounds, "killed at any moment");
      child.kill("SIGKILL");
      await ended;
    }
    const last = await waymark(["todos", "--session", "s", "--json"], "", env());
    expect(last.code).toBe(0);
    expect(await toolsSeen()).toBe(total);
    expect(readdirSync(spool)).toEqual([]);
  }, 120_000);

  test("when a committed batch was not removed", async () => {
    put(5);
    const batch = takeBatch(home);
    expect(batch?.events.map(({ event }) => event)).toEqual(Array(5).fill("PreToolUse"));
    const [sealed = ""] = readdirSync(spool);
    // As if one process died before the commit, and another after it.
    const abandoned = sealed.replace(`-${process.pid}-`, "-999999999-");
    const { cpSync } = await import("node:fs");
    cpSync(join(spool, sealed), join(spool, abandoned), { recursive: true });
    batch?.remove();
    cpSync(join(spool, abandoned), join(home, "copy"), { recursive: true });
    await waymark(["todos", "--session", "s", "--json"], "", env());
    expect(await toolsSeen()).toBe(5);
    cpSync(join(home, "copy"), join(spool, abandoned), { recursive: true });
    await waymark(["todos", "--session", "s", "--json"], "", env());
    expect(await toolsSeen()).toBe(5);
    expect(existsSync(join(spool, abandoned))).toBe(false);
  });
});

describe("batches", () => {
  test("of live processes are left alone, those of dead ones are finished", () => {
    put(2);
    const first = takeBatch(home);
    expect(first?.events).toHaveLength(2);
    expect(takeBatch(home)).toBeUndefined();
    const open = join(spool, ".open-999999999-x");
    mkdirSync(open);
    writeFileSync(join(open, "s.PreToolUse.claude.1"), '{"session_id":"s"}');
    const second = takeBatch(home);
    expect(second?.key).toBe("spool:999999999-x");
    expect(second?.events).toHaveLength(1);
    second?.remove();
    first?.remove();
    expect(readdirSync(spool)).toEqual([]);
  });

  test("exclude partial files and unknown names", () => {
    mkdirSync(spool);
    writeFileSync(join(spool, ".part.12.Stop"), '{"sess');
    expect(takeBatch(home)).toBeUndefined();
    expect(readdirSync(spool)).toEqual([".part.12.Stop"]);
    writeFileSync(join(spool, "note.txt"), "hello");
    const batch = takeBatch(home);
    expect(batch?.events).toEqual([]);
    expect(batch?.unread).toEqual([
      { who: "spool", why: "skipped a file whose name is not that of an event" },
    ]);
  });

  test("report oversized and unreadable events", () => {
    put(1);
    const large = join(spool, "s.PostToolUse.claude.2");
    writeFileSync(large, "");
    truncateSync(large, 32 * 1024 * 1024 + 1);
    mkdirSync(join(spool, "s.Stop.codex.3"));
    const batch = takeBatch(home);
    expect(batch?.events.map(({ event }) => event)).toEqual(["PreToolUse"]);
    expect(batch?.unread.map(({ who, why }) => `${who}: ${why}`).sort()).toEqual([
      "claude PostToolUse: skipped an event of more than 33554432 bytes",
      "codex Stop: skipped an event that is not a regular file",
    ]);
  });

  test("remove leftovers of killed processes", () => {
    const names = [".part.12.Stop", `.part.sealed-${process.ppid}-x`, ".part.sealed-999999999-x"];
    const left = names.map((name) => join(spool, name));
    const [part = "", ...abandoned] = left;
    for (const folder of abandoned) mkdirSync(folder, { recursive: true });
    for (const file of [part, ...abandoned.map((folder) => join(folder, "s.PreToolUse.claude.1"))])
      writeFileSync(file, "{}");
    // A live process may still use its files, and other names are not ours.
    expect(takeBatch(home)).toBeUndefined();
    expect(readdirSync(spool).toSorted()).toEqual(names.slice(0, 2).toSorted());
    for (const path of left.slice(0, 2)) utimesSync(path, 1, 1);
    expect(takeBatch(home)).toBeUndefined();
    expect(readdirSync(spool)).toEqual([]);
  });

  test("have private files, whatever the umask", { tags: ["secret-leak"] }, () => {
    const old = process.umask(0);
    try {
      put(1);
    } finally {
      process.umask(old);
    }
    const [file = ""] = readdirSync(spool);
    expect(statSync(spool).mode & 0o777).toBe(0o700);
    expect(statSync(join(spool, file)).mode & 0o777).toBe(0o600);
  });
});

describe("a spool that is never ingested", () => {
  test("drops its oldest events, by number and by size", () => {
    put(10);
    for (const [index, name] of readdirSync(spool).sort().entries())
      utimesSync(join(spool, name), 1_000 + index, 1_000 + index);
    const names = readdirSync(spool).sort();
    expect(trimSpool(home, { files: 4, bytes: 1_000_000 })).toBe(6);
    expect(readdirSync(spool).sort()).toEqual(names.slice(6));
    expect(trimSpool(home, { files: 4, bytes: 1_000_000 })).toBe(0);
    const size = statSync(join(spool, names[9] ?? "")).size;
    expect(trimSpool(home, { files: 4, bytes: 2 * size })).toBe(2);
    expect(readdirSync(spool).sort()).toEqual(names.slice(8));
  });
});
