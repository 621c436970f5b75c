import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runHook } from "../../../src/servers/hooks/run.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";

let home: string;
let tracker: Tracker;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-tool-names-"));
  tracker = trackerOn(memoryStore()) as unknown as Tracker;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Setting {
  readonly agent?: string;
  readonly native?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** The reminder that an event gives the model. */
async function reminder(event: string, input: object, setting: Setting = {}): Promise<string> {
  const { agent = "claude", native = false, env = {} } = setting;
  const json = JSON.stringify({ session_id: "s", ...input });
  const onProblem = (who: string, what: unknown) => {
    throw new Error(`${who}: ${what}`);
  };
  const call = { agent, event, json, native, env, home, tracker: async () => tracker, onProblem };
  return JSON.stringify((await runHook(call)) ?? "");
}

const todos = [{ content: "Read", status: "in_progress", activeForm: "Reading" }];
const writes = {
  TodoWrite: {
    tool_name: "TodoWrite",
    tool_input: { todos },
    tool_response: { oldTodos: [], newTodos: todos },
  },
  TaskCreate: {
    tool_name: "TaskCreate",
    tool_input: { subject: "Read", description: "Read" },
    tool_response: { task: { id: "1", subject: "Read" } },
  },
};

describe("with --native", () => {
  test.each([
    ["TodoWrite", "`TodoWrite`", "TaskUpdate"],
    ["TaskCreate", "`TaskCreate` and `TaskUpdate`", "TodoWrite"],
  ] as const)("reminds a session that writes with %s of %s", async (used, named, other) => {
    await reminder("PostToolUse", { tool_use_id: "c", ...writes[used] }, { native: true });
    const text = await reminder("Stop", { last_assistant_message: "So far." }, { native: true });
    expect(text).toContain(named);
    expect(text).not.toContain(other);
    expect(text).not.toContain("mcp__waymark");
  });

  test("names the task tools in a session with tasks", async () => {
    await reminder("PostToolUse", { tool_use_id: "c", ...writes.TaskCreate }, { native: true });
    const texts: string[] = [];
    for (let step = 0; step < 12; step++) {
      const read = {
        tool_name: "Read",
        tool_use_id: `r${step}`,
        tool_input: { file_path: `/${step}` },
      };
      await reminder("PreToolUse", read, { native: true });
      texts.push(await reminder("PostToolUse", { ...read, tool_response: "ok" }, { native: true }));
    }
    const [text, ...more] = texts.filter((each) => each.includes("turns"));
    expect(text).toContain("You haven't updated your tasks in 10 turns.");
    expect(text).toContain("update them with `TaskCreate` and `TaskUpdate`");
    expect(more).toEqual([]);
  });

  test("chooses the tool by the environment before the first write", async () => {
    const begin = (env: Record<string, string>) =>
      reminder("SessionStart", { source: "startup" }, { native: true, env });
    expect(await begin({ CLAUDE_CODE_ENABLE_TASKS: "0" })).toContain("`TodoWrite`");
    tracker = trackerOn(memoryStore()) as unknown as Tracker;
    expect(await begin({})).toContain("`TaskCreate` and `TaskUpdate`");
  });

  test("does not ask for evidence in a field that TodoWrite lacks", async () => {
    const done = ["a", "b", "c"].map((content) => ({ ...todos[0], content, status: "completed" }));
    const write = {
      tool_name: "TodoWrite",
      tool_use_id: "c",
      tool_input: { todos: done },
      tool_response: { oldTodos: [], newTodos: done },
    };
    const text = await reminder("PostToolUse", write, { native: true });
    expect(text).toContain("3 todos are completed, but none is verified:");
    expect(text).not.toContain("evidence");
  });
});

test("names no tool with WAYMARK_TOOLS=off", async () => {
  const off = { env: { WAYMARK_TOOLS: "off" } };
  expect(await reminder("SessionStart", { source: "startup" }, off)).toBe('""');
  await tracker.list({ session: "s", agent: "main" }).set([{ text: "Read" }]);
  const text = await reminder("SessionStart", { source: "resume" }, off);
  expect(text).toContain('[ ] \\"Read\\"');
  expect(text).not.toMatch(/`|waymark__/);
});

test.each([
  ["claude", "mcp__waymark__todos"],
  ["codex", "mcp__waymark__todos"],
  ["copilot", "waymark-todos"],
  ["gemini", "mcp_waymark_todos"],
  ["opencode", "waymark_todos"],
  ["qwen", "mcp__waymark__todos"],
])("%s: names %s", async (agent, tool) => {
  expect(await reminder("SessionStart", { source: "startup" }, { agent })).toContain(`\`${tool}\``);
});
