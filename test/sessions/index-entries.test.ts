import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import type { Indexed } from "../../src/sessions/transcripts/fold.ts";
import {
  type Index,
  loadIndex,
  pack,
  saveIndex,
  unpack,
} from "../../src/sessions/transcripts/index-file.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import { fillHome, newUserHome, type UserHome, writeOpencode } from "./home.ts";

let home: UserHome;
const index: Index = new Map();
beforeAll(async () => {
  home = newUserHome();
  fillHome(home);
  await writeOpencode(home);
  const found = discover(DECODERS, home.machine);
  await readSessions(DECODERS, found, index, { driver: await loadDriver() });
});
afterAll(() => home.remove());

/** Everything of an entry, as plain data. */
const plain = (entry: Indexed | undefined): unknown => JSON.parse(JSON.stringify(entry ?? null));
const stored = (): Index => {
  const path = join(home.path, "index");
  saveIndex(path, index);
  return loadIndex(path);
};

describe("an entry of the index", () => {
  test("is the same when it is packed, and when it is stored and loaded", () => {
    const loaded = stored();
    expect([...loaded.keys()]).toEqual([...index.keys()]);
    const entries = [...index.values()];
    expect(entries.length).toBeGreaterThan(8);
    for (const entry of entries) {
      expect(plain(unpack(pack(entry)))).toEqual(plain(entry));
      expect(plain(loaded.get(entry.key))).toEqual(plain(entry));
    }
    const lives = entries.flatMap((entry) => Object.values(entry.lives));
    const used = {
      todos: lives.some(({ track }) => track.todos.length > 0),
      calls: lives.some(({ activity }) => activity.calls.length > 0),
      usage: lives.some(({ usage }) => usage !== undefined),
      plan: lives.some(({ plan }) => (plan?.text ?? "") !== ""),
    };
    expect(used).toEqual({ todos: true, calls: true, usage: true, plan: true });
  });

  test("has what is rarely needed in its second line", () => {
    for (const entry of index.values()) {
      const { lives, rest } = pack(entry);
      for (const [key, live] of Object.entries(JSON.parse(lives) as Indexed["lives"])) {
        expect(live.track).not.toHaveProperty("todos");
        expect(live.activity).not.toHaveProperty("calls");
        expect(live.activity).not.toHaveProperty("recent");
        expect(live.plan ?? {}).not.toHaveProperty("text");
        expect(live.track.session).toBe(entry.lives[key]?.session);
      }
      expect(Object.keys(JSON.parse(rest).lives)).toEqual(Object.keys(entry.lives));
    }
  });

  test("is stored again as it was, with the changes of what was read", () => {
    for (const entry of stored().values()) {
      const before = pack(entry);
      expect(pack(unpack(before))).toEqual(before);
      const [live] = Object.values(entry.lives);
      if (!live) continue;
      Object.assign(live, { prompt: "Changed" });
      expect(plain(unpack(pack(entry)))).toEqual(plain(entry));
      expect(pack(entry).rest).toBe(before.rest);
      expect(pack(entry).lives).toContain('"Changed"');
    }
  });

  test("whose file could not be read keeps the problem", () => {
    const [entry] = index.values();
    if (!entry) throw new Error("no entry");
    const failed = { ...entry, problem: "EACCES" };
    expect(plain(unpack(pack(failed)))).toEqual(plain(failed));
    expect(plain(unpack(pack(entry)))).not.toHaveProperty("problem");
  });
});
