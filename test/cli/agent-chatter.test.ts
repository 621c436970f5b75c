import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const AT = Date.UTC(2026, 10, 17, 10, 0, 0);
let count = 0;

const event = (agentId: string, agentType: string, items: unknown, more: object = {}) => ({
  type: "todo_list",
  eventId: `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
  agentId,
  agentType,
  timestamp: AT + count,
  todoId: `todo_${agentId}`,
  items,
  ...more,
});
const lines = (...events: object[]) => events.map((each) => `${JSON.stringify(each)}\n`).join("");
const pipe = (input: string, ...args: string[]) =>
  machine.run(["pipe", ...args], { input, env: { COLUMNS: "80" } });
const MAX = event("max", "claude-code", [
  { text: "Research metrics", status: "completed" },
  { text: "Design", status: "in_progress" },
]);
const SARAH = event("sarah", "google-gemini", [{ text: "Review", status: "cancelled" }]);

describe("the JSONL of agent-chatter", () => {
  test.each([[[]], [["--from", "agent-chatter"]]])("is read by pipe %j", (args) => {
    const { status, stdout, stderr } = pipe(lines(MAX), ...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("Research metrics");
    expect(stdout).toContain("max");
    expect(stdout).toContain("Claude Code");
  });

  test("keeps its members apart and names each agent's program", () => {
    const { stdout } = pipe(lines(MAX, SARAH), "--json");
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([
      { agentId: "max", agentType: "claude-code", todoId: "todo_max", timestamp: MAX.timestamp },
      { agentId: "sarah", agentType: "gemini", sessionId: "agent-chatter" },
    ]);
  });

  test("skips an item without text or status, warns, and clears on an empty list", () => {
    const mixed = event("max", "openai-codex", [
      { text: "", status: "pending" },
      { text: "Odd", status: "later" },
      { text: "Good", status: "pending" },
    ]);
    const some = pipe(lines(mixed, { type: "todo_list", agentId: "max" }));
    expect(some.status).toBe(0);
    expect(some.stdout).toContain("Good");
    expect(some.stdout).not.toContain("Odd");
    expect(some.stdout).toContain("without a valid eventId");
    expect(pipe(lines(mixed, event("max", "openai-codex", []))).stdout).toContain("list cleared");
  });

  test("reads a time in seconds", () => {
    const { stdout } = pipe(lines({ ...MAX, timestamp: 1_234_567_890 }), "--json");
    expect(JSON.parse(stdout).timestamp).toBe(1_234_567_890_000);
  });

  test.each([
    ["codex/exec/simple.jsonl", "openai-codex"],
    ["gemini/0.61/stream-rejected.jsonl", "google-gemini"],
  ])("is written from %s, and read back as the same lists", (file, agentType) => {
    const input = readFileSync(join("test/fixtures", file), "utf8");
    const written = pipe(input, "--json", "--format", "agent-chatter").stdout;
    const events = written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.length).toBeGreaterThan(0);
    for (const each of events) {
      expect(Object.keys(each)).toEqual([
        "type",
        "eventId",
        "agentId",
        "agentType",
        "timestamp",
        "todoId",
        "items",
      ]);
      expect(each).toMatchObject({ type: "todo_list", agentType });
      expect(each.eventId).toMatch(UUID);
      for (const item of each.items) expect(Object.keys(item)).toEqual(["text", "status"]);
    }
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
    const again = pipe(input, "--json", "--format", "agent-chatter").stdout.trim().split("\n");
    expect(again.map((line) => JSON.parse(line).eventId)).toEqual(
      events.map(({ eventId }) => eventId),
    );
    expect(pipe(written, "--json", "--format", "agent-chatter").stdout).toBe(written);
  });

  test("--format needs --json and a known name", () => {
    expect(pipe("", "--format", "agent-chatter").status).toBe(2);
    expect(pipe("", "--json", "--format", "csv").stderr).toContain("--format");
  });
});

describe("pipe --members", () => {
  const team = (value: unknown) => {
    const path = join(machine.root, "team.json");
    writeFileSync(path, JSON.stringify(value));
    return ["--members", path];
  };
  const colored = (input: string, ...args: string[]) =>
    machine.run(["pipe", ...args], { input, env: { COLUMNS: "80", FORCE_COLOR: "1" } }).stdout;

  test.each([
    [{ max: { name: "Max", color: "magenta" } }],
    [{ max: { displayName: "Max", themeColor: "magenta" } }],
    [{ members: [{ id: "max", displayName: "Max", themeColor: "magenta" }] }],
  ])("names and colors a member by %j", (map) => {
    expect(pipe(lines(MAX), ...team(map)).stdout).toContain("Plan (Max):\n");
    expect(colored(lines(MAX), ...team(map))).toMatch(/\x1b\[1;35m[^\n]*Plan \(Max\):/);
  });

  test("a member that is not in the map is shown by its id, in cyan", () => {
    const map = team({ max: "Max" });
    expect(colored(lines(SARAH), ...map)).toMatch(/\x1b\[1;36m[^\n]*Plan \(sarah\):/);
    expect(colored(lines(SARAH), "--style", "plan")).toMatch(/\x1b\[1;36m[^\n]*Plan \(sarah\):/);
    expect(colored(lines(MAX), ...map)).toMatch(/\x1b\[1;36m[^\n]*Plan \(Max\):/);
  });

  test("shows the list of each member with --all-agents", () => {
    const map = team({ max: { name: "Max" }, sarah: { name: "Sarah", color: "#ff8800" } });
    const { stdout } = pipe(lines(MAX, SARAH), "--all-agents", ...map);
    expect(stdout).toContain("Plan (Max):");
    expect(stdout).toContain("Plan (Sarah):");
  });

  test.each([
    [[1], "is not a team map"],
    [{ max: 1 }, 'Member "max"'],
    [{ max: { name: "Max", color: "plaid" } }, "valid color"],
  ])("refuses %j with the reason", (map, says) => {
    const { status, stderr } = pipe(lines(MAX), ...team(map));
    expect(status).toBe(2);
    expect(stderr).toContain(says);
  });

  test("rejects a missing file as a usage error", () => {
    expect(pipe(lines(MAX), "--members", join(machine.root, "none.json")).status).toBe(2);
  });
});
