import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTracker, type TrackId, todoTools } from "../../src/index.ts";
import {
  migrateSnapshot,
  readSnapshot,
  snapshotStore,
  writeSnapshot,
} from "../../src/stores/snapshots.ts";
import { ID, newList } from "../tools/call.ts";

function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "waymark-claude-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function item(content: string, status = "pending") {
  return { content, status, activeForm: `${content}, now` };
}

function trackWith(...texts: readonly string[]) {
  const list = newList();
  list.set(texts.map((text) => ({ text, activeText: `${text}, now` })));
  return list.read();
}

const unexpected = (message: string) => {
  throw new Error(message);
};

describe("Claude Code, path", () => {
  it.each([
    [{ session: "abc123", agent: "main" }, "abc123-agent-main.json"],
    [{ session: "abc123", agent: "subagent-1" }, "abc123-agent-subagent-1.json"],
  ] as readonly (readonly [TrackId, string])[])("Claude Code: %j -> %s", (id, name) => {
    const dir = join(newFolder(), "todos");
    writeSnapshot(dir, { ...trackWith("Read"), ...id }, unexpected);
    expect(readdirSync(dir)).toEqual([name]);
  });

  it("Claude Code, safe: an id never leads out of the directory", () => {
    const dir = newFolder();
    const track = { ...trackWith("Read"), session: "../../escape" };
    expect(() => writeSnapshot(dir, track, unexpected)).toThrow(
      expect.objectContaining({ code: "bad_id" }),
    );
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe("Claude Code, reading", () => {
  it("Claude Code: a missing file reads as empty, without a warning", () => {
    expect(readSnapshot(newFolder(), ID, unexpected)).toEqual([]);
  });

  it.each([
    ["no JSON", "{ not json"],
    ["cut off", '[{"content": "Re'],
    ["no array", '{"content": "Read"}'],
    ["an entry without content", '[{"status": "pending"}]'],
    ["empty", ""],
  ])("Claude Code: a broken file (%s) reads as empty with a warning that names it", (_, text) => {
    const dir = newFolder();
    const path = join(dir, "s-agent-main.json");
    writeFileSync(path, text);
    const warnings: string[] = [];
    expect(readSnapshot(dir, ID, (message) => warnings.push(message))).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(path);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("sets a broken file aside before a write", () => {
    const dir = newFolder();
    const path = join(dir, "s-agent-main.json");
    writeFileSync(path, "{ precious");
    const warnings: string[] = [];
    writeSnapshot(dir, trackWith("Read"), (message) => warnings.push(message));
    expect(readFileSync(`${path}.broken-1`, "utf8")).toBe("{ precious");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual([item("Read")]);
    expect(warnings).toHaveLength(1);
  });

  it("Claude Code: what was written reads back", () => {
    const dir = newFolder();
    writeSnapshot(dir, trackWith("Read", "Write"), unexpected);
    expect(readSnapshot(dir, ID, unexpected)).toEqual([
      { text: "Read", status: "pending", activeText: "Read, now" },
      { text: "Write", status: "pending", activeText: "Write, now" },
    ]);
  });
});

describe("Claude Code, writing", () => {
  it("Claude Code: the file is an array in two-space JSON", () => {
    const dir = newFolder();
    writeSnapshot(dir, trackWith("Read"), unexpected);
    expect(readFileSync(join(dir, "s-agent-main.json"), "utf8")).toBe(
      `${JSON.stringify([item("Read")], null, 2)}\n`,
    );
  });

  it("rewrites atomically: an open reader sees the whole old list, and no temporary file remains", () => {
    const dir = newFolder();
    writeSnapshot(dir, trackWith("Read"), unexpected);
    const reader = openSync(join(dir, "s-agent-main.json"), "r");
    onTestFinished(() => closeSync(reader));
    writeSnapshot(dir, trackWith("Write"), unexpected);
    expect(JSON.parse(readFileSync(reader, "utf8"))).toEqual([item("Read")]);
    expect(readSnapshot(dir, ID, unexpected)).toMatchObject([{ text: "Write" }]);
    expect(readdirSync(dir)).toEqual(["s-agent-main.json"]);
  });

  it("unlike Claude Code: a failed write is an error with the file and a solution", () => {
    const dir = newFolder();
    const blocked = join(dir, "todos");
    writeFileSync(blocked, "a file where the directory should be");
    expect(() => writeSnapshot(blocked, trackWith("Read"), unexpected)).toThrow(
      expect.objectContaining({
        name: "WaymarkError",
        message: expect.stringContaining(join(blocked, "s-agent-main.json")),
      }),
    );
    expect(readFileSync(blocked, "utf8")).toBe("a file where the directory should be");
  });
});

describe("Claude Code, every change is kept", () => {
  it("Claude Code: each agent's write is in its own file when the call returns", async () => {
    const dir = newFolder();
    const store = snapshotStore(dir);
    const tracker = createTracker({ store });
    for (const agent of ["main", "helper-1"]) {
      const [tool] = todoTools(tracker.list({ session: "s", agent }), { tools: ["TodoWrite"] });
      for (const status of ["pending", "in_progress"]) {
        await tool?.execute({ todos: [item(`For ${agent}`, status)] });
        const kept = readFileSync(join(dir, `s-agent-${agent}.json`), "utf8");
        expect(JSON.parse(kept)).toEqual([item(`For ${agent}`, status)]);
      }
    }
    await store.close();
  });

  it("Claude Code: an all-completed list is kept as an empty file", async () => {
    const dir = newFolder();
    const store = snapshotStore(dir);
    const tracker = createTracker({ store });
    const [tool] = todoTools(tracker.list(ID), { tools: ["TodoWrite"] });
    await tool?.execute({ todos: [item("Read", "completed")] });
    await store.close();
    expect(JSON.parse(readFileSync(join(dir, "s-agent-main.json"), "utf8"))).toEqual([]);
  });

  it("Claude Code: a file that another program wrote is the list the session starts with", async () => {
    const dir = newFolder();
    writeFileSync(join(dir, "s-agent-main.json"), JSON.stringify([item("Read", "in_progress")]));
    const store = snapshotStore(dir);
    const tracker = createTracker({ store });
    const [tool] = todoTools(tracker.list(ID), { tools: ["TodoWrite"] });
    const result = await tool?.execute({ todos: [item("Read", "completed"), item("Write")] });
    await store.close();
    expect(result?.data).toEqual({
      oldTodos: [item("Read", "in_progress")],
      newTodos: [item("Read", "completed"), item("Write")],
    });
  });
});

describe("Claude Code, migration", () => {
  it("Claude Code: copies the list of the old session to the new one and keeps the old", () => {
    const dir = newFolder();
    writeSnapshot(dir, { ...trackWith("Read"), session: "old" }, unexpected);
    expect(migrateSnapshot(dir, "old", "new", unexpected)).toBe(true);
    const read = (name: string) => JSON.parse(readFileSync(join(dir, name), "utf8"));
    expect(read("new-agent-main.json")).toEqual([item("Read")]);
    expect(read("old-agent-main.json")).toEqual([item("Read")]);
  });

  it("Claude Code: the agent's name may be the session's", () => {
    const dir = newFolder();
    writeSnapshot(dir, { ...trackWith("Read"), session: "old", agent: "old" }, unexpected);
    expect(migrateSnapshot(dir, "old", "new", unexpected, { from: "old", to: "new" })).toBe(true);
    expect(existsSync(join(dir, "new-agent-new.json"))).toBe(true);
  });

  it("Claude Code: nothing to copy answers false and writes nothing", () => {
    const dir = newFolder();
    expect(migrateSnapshot(dir, "old", "new", unexpected)).toBe(false);
    writeSnapshot(dir, { ...newList().read(), session: "old" }, unexpected);
    expect(migrateSnapshot(dir, "old", "new", unexpected)).toBe(false);
    expect(readdirSync(dir)).toEqual(["old-agent-main.json"]);
  });

  it("Claude Code: a broken source answers false, with a warning", () => {
    const dir = newFolder();
    writeFileSync(join(dir, "old-agent-main.json"), "broken");
    const warnings: string[] = [];
    expect(migrateSnapshot(dir, "old", "new", (message) => warnings.push(message))).toBe(false);
    expect(warnings).toHaveLength(1);
    expect(existsSync(join(dir, "new-agent-main.json"))).toBe(false);
  });

  it("unlike Claude Code: a failed copy is an error that names the target", () => {
    const dir = newFolder();
    writeSnapshot(dir, { ...trackWith("Read"), session: "old" }, unexpected);
    // A directory of that name can be read neither as a list nor as a missing one.
    mkdirSync(join(dir, "new-agent-main.json", "in-the-way"), { recursive: true });
    const warnings: string[] = [];
    let failure: unknown;
    try {
      migrateSnapshot(dir, "old", "new", (message) => warnings.push(message));
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({
      name: "WaymarkError",
      message: expect.stringContaining("new-agent-main.json"),
    });
  });
});
