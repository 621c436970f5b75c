import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyTrack, foldEvents } from "../../src/core/evolve.ts";
import type { Status, Track } from "../../src/core/model.ts";
import {
  migrateSnapshot,
  readSnapshot,
  snapshotStore,
  writeSnapshot,
} from "../../src/stores/snapshots.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { storeContract } from "../../src/testing/index.ts";
import { closing, openedIn, temporaryDirectory } from "./temporary-directory.ts";

storeContract(
  "snapshotStore",
  () => openedIn((dir) => snapshotStore(join(dir, "todos"), { onWarning: () => {} })),
  { durable: true, shared: true, anyId: false },
);

const ID = { session: "s", agent: "main" };
const NAME = "s-agent-main.json";
const JOURNAL = "s-agent-main.events.jsonl";

function trackWith(...todos: readonly [string, Status, string?][]): Track {
  return {
    ...emptyTrack(ID),
    version: 1,
    todos: todos.map(([text, status, activeText], n) => ({
      id: String(n + 1),
      text,
      status,
      createdAt: 1,
      movedBy: "agent",
      ...(activeText && { activeText }),
    })),
  };
}

function noWarning(message: string): never {
  throw new Error(`there was nothing to warn of: ${message}`);
}

function collect() {
  const warnings: string[] = [];
  return { warnings, warn: (message: string) => void warnings.push(message) };
}

describe("a snapshot", () => {
  it("contains the list in its format", () => {
    const dir = join(temporaryDirectory(), "todos");
    const { warn, warnings } = collect();
    const track = trackWith(
      ["write", "completed"],
      ["test", "in_progress", "testing"],
      ["ship", "blocked"],
      ["sing", "cancelled"],
      ["rest", "pending"],
    );
    writeSnapshot(dir, track, warn);
    expect(readFileSync(join(dir, NAME), "utf8")).toBe(
      `${JSON.stringify(
        [
          { content: "write", status: "completed", activeForm: "write" },
          { content: "test", status: "in_progress", activeForm: "testing" },
          { content: "ship", status: "pending", activeForm: "ship" },
          { content: "rest", status: "pending", activeForm: "rest" },
        ],
        null,
        2,
      )}\n`,
    );
    expect(readSnapshot(dir, ID, warn)).toStrictEqual([
      { text: "write", status: "completed" },
      { text: "test", status: "in_progress", activeText: "testing" },
      { text: "ship", status: "pending" },
      { text: "rest", status: "pending" },
    ]);
    expect((statSync(dir).mode & 0o777).toString(8)).toBe("700");
    expect((statSync(join(dir, NAME)).mode & 0o777).toString(8)).toBe("600");
    expect(readdirSync(dir)).toStrictEqual([NAME]);
    expect(warnings).toStrictEqual([]);
  });

  it("is empty once the list is finished", () => {
    const dir = temporaryDirectory();
    writeSnapshot(dir, trackWith(["done", "completed"], ["not", "cancelled"]), noWarning);
    expect(readFileSync(join(dir, NAME), "utf8")).toBe("[]\n");
  });

  it("keeps an unknown status, and reads a missing file as empty", () => {
    const dir = temporaryDirectory();
    const items = [{ content: "a", status: "not-started", id: "7", priority: "high" }];
    writeFileSync(join(dir, NAME), JSON.stringify(items));
    const { warn, warnings } = collect();
    expect(readSnapshot(dir, ID, warn)).toStrictEqual([
      { text: "a", status: "pending", rawStatus: "not-started", ref: "7", priority: "high" },
    ]);
    expect(readSnapshot(dir, { session: "none", agent: "main" }, warn)).toStrictEqual([]);
    expect(warnings).toStrictEqual([]);
  });

  it.each([
    ["half an array", '[{"content":"a"'],
    ["no array", '{"todos":[]}'],
    ["an item without content", '[{"status":"pending"}]'],
    ["nothing", ""],
    ["zeros", "\u0000".repeat(64)],
  ])("with %s reads as empty and is renamed, never lost", (_, broken) => {
    const dir = temporaryDirectory();
    const { warn, warnings } = collect();
    for (const n of [1, 2]) {
      writeFileSync(join(dir, NAME), broken);
      expect(readSnapshot(dir, ID, warn)).toStrictEqual([]);
      writeSnapshot(dir, trackWith(["new", "pending"]), warn);
      expect(readFileSync(join(dir, `${NAME}.broken-${n}`), "utf8")).toBe(broken);
    }
    expect(readSnapshot(dir, ID, warn)).toStrictEqual([{ text: "new", status: "pending" }]);
    expect(warnings).toHaveLength(4);
    for (const warning of warnings) expect(warning).toContain(join(dir, NAME));
    expect(warnings[1]).toContain(`${NAME}.broken-1`);
  });

  it("refuses ids that are unsafe or ambiguous as file names", () => {
    const dir = temporaryDirectory();
    for (const session of ["../up", "a/b", "", "x-agent", "x-agent-y", "nul\u0000"])
      expect(() => writeSnapshot(dir, { ...emptyTrack(ID), session }, noWarning)).toThrow(
        expect.objectContaining({ code: "bad_id" }),
      );
    expect(readdirSync(dir)).toStrictEqual([]);
  });
});

describe("migrateSnapshot", () => {
  it("copies the list to the other session", () => {
    const dir = temporaryDirectory();
    const { warn, warnings } = collect();
    expect(migrateSnapshot(dir, "s", "next", warn)).toBe(false);
    writeSnapshot(dir, trackWith(["go on", "pending"]), warn);
    expect(migrateSnapshot(dir, "s", "next", warn)).toBe(true);
    expect(readSnapshot(dir, { session: "next", agent: "main" }, warn)).toStrictEqual(
      readSnapshot(dir, ID, warn),
    );
    expect(warnings).toStrictEqual([]);
  });

  it("renames another list of the target", () => {
    const dir = temporaryDirectory();
    const { warn, warnings } = collect();
    writeSnapshot(dir, trackWith(["go on", "pending"]), warn);
    writeSnapshot(dir, { ...trackWith(["other", "pending"]), session: "next" }, warn);
    expect(migrateSnapshot(dir, "s", "next", warn)).toBe(true);
    expect(readFileSync(join(dir, "next-agent-main.json.replaced-1"), "utf8")).toContain("other");
    expect(warnings).toHaveLength(1);
    expect(migrateSnapshot(dir, "s", "next", warn)).toBe(true);
    expect(warnings).toHaveLength(1);
  });
});

describe("snapshotStore", () => {
  it("writes the list beside the journal", async () => {
    const dir = temporaryDirectory();
    const store = closing(snapshotStore(dir));
    await store.commit(ID, "k", addTodo("k", "todo"));
    expect(readdirSync(dir).toSorted()).toStrictEqual([JOURNAL, NAME]);
    expect(readSnapshot(dir, ID, noWarning)).toStrictEqual([{ text: "todo", status: "pending" }]);
    const [header] = readFileSync(join(dir, JOURNAL), "utf8").split("\n");
    expect(JSON.parse(header ?? "")).toStrictEqual({
      sum: expect.stringMatching(/^[0-9a-f]{8}$/),
      waymark: 1,
      ...ID,
    });
  });

  it("starts with an existing snapshot", async () => {
    const dir = temporaryDirectory();
    writeSnapshot(dir, trackWith(["found", "in_progress", "finding"]), noWarning);
    const store = closing(snapshotStore(dir));
    const found = await store.read(ID);
    expect([
      found.version,
      found.todos.map(({ id, text, status }) => [id, text, status]),
    ]).toStrictEqual([1, [["1", "found", "in_progress"]]]);
    expect(existsSync(join(dir, JOURNAL))).toBe(false);
    expect(await store.tracks()).toStrictEqual([found]);
    const outcome = await store.commit(ID, "k", addTodo("k", "more"));
    expect(outcome.before).toStrictEqual(found);
    const events = await store.events(ID);
    expect(events.map(({ seq, by, via }) => [seq, by, via])).toStrictEqual([
      [1, "system", "snapshot"],
      [2, "agent", "suite"],
    ]);
    expect(foldEvents(ID, events)).toStrictEqual(await store.read(ID));
  });

  it("skips incomplete and unknown lines with a warning and never rewrites them", {
    tags: ["damaged-store"],
  }, async () => {
    const dir = temporaryDirectory();
    const { warn, warnings } = collect();
    const store = closing(snapshotStore(dir, { onWarning: warn }));
    await store.commit(ID, "k1", addTodo("k1", "first"));
    appendFileSync(join(dir, JOURNAL), '{"foreign":true}\n{"nonce":"x","event":{"seq":2,"ke');
    await store.commit(ID, "k2", addTodo("k2", "second"));
    const events = await closing(snapshotStore(dir, { onWarning: warn })).events(ID);
    expect(events.map((event) => event.key)).toStrictEqual(["k1", "k2"]);
    expect(readFileSync(join(dir, JOURNAL), "utf8")).toContain('"seq":2,"ke\n');
    const skipped = [3, 4].map(
      (n) => `Skipped line ${n} of ${join(dir, JOURNAL)}: cannot read it.`,
    );
    expect(warnings).toStrictEqual([...skipped, ...skipped]);
  });

  it("accepts only the first of two lines with the same number", async () => {
    const dir = temporaryDirectory();
    const store = closing(snapshotStore(dir));
    await store.commit(ID, "k1", addTodo("k1", "first"));
    const event = { seq: 1, key: "late", at: 1, by: "agent", via: "x", changes: [] };
    appendFileSync(join(dir, JOURNAL), `${JSON.stringify({ nonce: "n", event })}\n`);
    const again = { ...event, seq: 2, key: "k1" };
    appendFileSync(join(dir, JOURNAL), `${JSON.stringify({ nonce: "n", event: again })}\n`);
    expect((await store.events(ID)).map(({ key }) => key)).toStrictEqual(["k1"]);
    expect((await store.commit(ID, "k2", addTodo("k2", "second"))).event?.seq).toBe(2);
  });

  it("refuses a journal that belongs to another track", async () => {
    const dir = temporaryDirectory();
    const store = closing(snapshotStore(dir));
    await store.commit(ID, "k", addTodo("k", "todo"));
    renameSync(join(dir, JOURNAL), join(dir, "S-agent-main.events.jsonl"));
    await expect((async () => store.read({ session: "S", agent: "main" }))()).rejects.toMatchObject(
      { name: "WaymarkError", code: "bad_id" },
    );
  });

  it("reports a directory that cannot be created", () => {
    const place = temporaryDirectory();
    writeFileSync(join(place, "todos"), "a file");
    expect(() => snapshotStore(join(place, "todos"))).toThrow(
      expect.objectContaining({ name: "WaymarkError", code: "store_failed" }),
    );
    mkdirSync(join(place, "free"));
    expect(snapshotStore(join(place, "free")).durable).toBe(true);
  });
});
