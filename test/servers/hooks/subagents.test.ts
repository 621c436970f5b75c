import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AgentProcess,
  type AgentStep,
  listsIn,
  runAgentProcess,
  toolCall,
} from "../agent-process.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-subagents-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Programs whose hooks send no subagent id, with the tool that runs subagents. */
interface Program extends AgentProcess {
  readonly tools: readonly [before: string, after: string];
  readonly runs: string;
  readonly todos: string;
  readonly native: (texts: readonly string[]) => Readonly<Record<string, unknown>>;
  readonly prompt: string;
  readonly stop: string;
  readonly hasIds: boolean;
}

const items = (texts: readonly string[], field: string) =>
  texts.map((text, index) => ({
    id: `${index}`,
    [field]: text,
    status: "pending",
    activeForm: text,
  }));

const PROGRAMS: readonly Program[] = [
  {
    agent: "gemini",
    client: "gemini-cli-mcp-client-waymark",
    session: "g1",
    tools: ["BeforeTool", "AfterTool"],
    runs: "invoke_agent",
    todos: "mcp_waymark_todos",
    native: (texts) => ({
      tool_name: "write_todos",
      tool_input: { todos: items(texts, "description") },
    }),
    prompt: "BeforeAgent",
    stop: "AfterAgent",
    hasIds: false,
  },
  {
    agent: "qwen",
    client: "qwen-code",
    session: "q1",
    tools: ["PreToolUse", "PostToolUse"],
    runs: "agent",
    todos: "mcp__waymark__todos",
    native: (texts) => ({
      tool_name: "todo_write",
      tool_input: { todos: items(texts, "content") },
    }),
    prompt: "UserPromptSubmit",
    stop: "Stop",
    hasIds: true,
  },
  {
    agent: "kimi",
    client: "kimi-code",
    session: "k1",
    tools: ["PreToolUse", "PostToolUse"],
    runs: "Agent",
    todos: "mcp__waymark__todos",
    native: (texts) => ({ tool_name: "TodoList", tool_input: { todos: items(texts, "title") } }),
    prompt: "UserPromptSubmit",
    stop: "Stop",
    hasIds: true,
  },
  {
    agent: "claude",
    client: "claude-code",
    session: "c1",
    tools: ["PreToolUse", "PostToolUse"],
    runs: "Task",
    todos: "mcp__waymark__todos",
    native: (texts) => ({ tool_name: "TodoWrite", tool_input: { todos: items(texts, "content") } }),
    prompt: "UserPromptSubmit",
    stop: "Stop",
    hasIds: true,
  },
];

let calls = 0;
function call(
  { tools, hasIds }: Program,
  input: Readonly<Record<string, unknown>>,
  within: readonly AgentStep[] = [],
): readonly AgentStep[] {
  const id = hasIds ? { tool_use_id: `call-${calls++}` } : {};
  return toolCall(tools, { ...input, ...id }, within);
}
const todos = (program: Program, input: unknown) =>
  call(program, { tool_name: program.todos, tool_input: input }, [{ call: input }]);
const subagent = (program: Program, within: readonly AgentStep[]) =>
  call(program, { tool_name: program.runs, tool_input: { prompt: "Look" } }, within);
const prompt = (program: Program): AgentStep => ({
  hook: program.prompt,
  input: { prompt: "Do the work" },
});

const OWN = { todos: [{ text: "Plan it", status: "in_progress" }, { text: "Ship it" }] };
const THEIRS = { todos: [{ text: "Read the logs", status: "in_progress" }] };

describe.each(PROGRAMS)("a subagent of $agent", (program) => {
  test("writes its own list over MCP, and the parent keeps its list", async () => {
    const answers = await runAgentProcess(home, program, [
      prompt(program),
      ...todos(program, OWN),
      ...subagent(program, todos(program, THEIRS)),
      ...todos(program, { finish: ["1", "2"] }),
      { hook: program.stop, input: { prompt_response: "Done.", last_assistant_message: "Done." } },
    ]);
    const [main, child, ...more] = [...(await listsIn(home))].sort((a, b) =>
      a.agent.localeCompare(b.agent),
    );
    expect(more).toEqual([]);
    expect(main).toMatchObject({
      agent: "main",
      todos: ["Plan it: completed", "Ship it: completed"],
    });
    expect(child).toMatchObject({
      session: program.session,
      todos: ["Read the logs: in_progress"],
    });
    // The parent gets no stop reminder for todos of the child.
    expect(answers.at(-1)).toBe("");
  }, 60_000);

  test("writes its own list with the native tool", async () => {
    await runAgentProcess(home, program, [
      prompt(program),
      ...call(program, program.native(["Plan it"])),
      ...subagent(program, call(program, program.native(["Read the logs"]))),
    ]);
    const lists = await listsIn(home);
    expect(lists.find(({ agent }) => agent === "main")?.todos).toEqual(["Plan it: pending"]);
    expect(lists.find(({ agent }) => agent !== "main")?.todos).toEqual(["Read the logs: pending"]);
  }, 60_000);

  test("shares a list with concurrent subagents, never with the parent", async () => {
    const input = (id: string) => ({
      tool_name: program.runs,
      tool_input: { prompt: id },
      ...(program.hasIds && { tool_use_id: id }),
    });
    const [before, after] = program.tools;
    await runAgentProcess(home, program, [
      prompt(program),
      ...todos(program, OWN),
      { hook: before, input: input("one") },
      { hook: before, input: input("two") },
      ...todos(program, THEIRS),
      { hook: after, input: input("one") },
      ...todos(program, { add: ["Read the code"] }),
      { hook: after, input: input("two") },
      // The next subagent starts with an empty list.
      ...subagent(program, todos(program, { add: ["Ask around"] })),
    ]);
    const lists = await listsIn(home);
    const ofMain = lists.find(({ agent }) => agent === "main")?.todos;
    expect(ofMain).toEqual(["Plan it: in_progress", "Ship it: pending"]);
    const others = lists.filter(({ agent }) => agent !== "main").map((each) => each.todos);
    expect(others.sort((a, b) => a.length - b.length)).toEqual([
      ["Ask around: pending"],
      ["Read the logs: in_progress", "Read the code: pending"],
    ]);
  }, 60_000);

  test("does not get later writes of the parent after an interruption", async () => {
    const [before] = program.tools;
    await runAgentProcess(home, program, [
      prompt(program),
      ...todos(program, OWN),
      { hook: before, input: { tool_name: program.runs, tool_input: {} } },
      prompt(program),
      ...todos(program, { finish: ["1"] }),
    ]);
    expect(await listsIn(home)).toMatchObject([
      { agent: "main", todos: ["Plan it: completed", "Ship it: pending"] },
    ]);
  }, 60_000);
});

test("ignores a subagent that is known only by its stop", async () => {
  const claude = { agent: "claude", client: "claude-code", session: "c1" };
  await runAgentProcess(home, claude, [
    { hook: "SubagentStop", input: { agent_id: "a91fad6" } },
    { hook: "UserPromptSubmit", input: { prompt: "Go" } },
  ]);
  expect((await listsIn(home)).map(({ agent }) => agent)).toEqual(["main"]);
}, 30_000);
