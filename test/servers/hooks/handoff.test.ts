import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findHookAgent, HOOK_AGENTS } from "../../../src/agents/hooks.ts";
import { handoffOf } from "../../../src/core/handoff/handoff.ts";
import type { Todo } from "../../../src/core/model.ts";
import { offerHandoff } from "../../../src/home/handoff/offers.ts";
import { runHook } from "../../../src/servers/hooks/run.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-handoff-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Step = readonly [text: string, status: "pending" | "in_progress" | "completed"];

function todowrite(steps: readonly Step[]) {
  const todos = steps.map(([content, status], index) => ({
    content,
    status,
    priority: "high",
    id: `${index}`,
  }));
  return { tool_name: "todowrite", tool_input: { todos }, tool_response: { metadata: { todos } } };
}

/** A list write in the format of each agent, as its hook reports it. */
const WRITES: Readonly<Record<string, (steps: readonly Step[]) => Record<string, unknown>>> = {
  claude: (steps) => {
    const todos = steps.map(([content, status]) => ({ content, status, activeForm: content }));
    return { tool_name: "TodoWrite", tool_input: { todos }, tool_response: { newTodos: todos } };
  },
  codex: (steps) => ({
    tool_name: "update_plan",
    tool_input: { plan: steps.map(([step, status]) => ({ step, status })) },
    tool_response: "Plan updated",
  }),
  copilot: (steps) => {
    const rows = steps.map(
      ([title, status], index) =>
        `('${index}', '${title}', '${status === "completed" ? "done" : status}')`,
    );
    const last = `Last inserted row ID: ${rows.length}.`;
    return {
      tool_name: "sql",
      tool_input: {
        query: `INSERT OR REPLACE INTO todos (id, title, status) VALUES ${rows.join(", ")}`,
      },
      tool_result: { text_result_for_llm: `${rows.length} row(s) inserted. ${last}` },
    };
  },
  gemini: (steps) => {
    const todos = steps.map(([description, status]) => ({ description, status }));
    return {
      tool_name: "write_todos",
      tool_input: { todos },
      tool_response: { returnDisplay: { todos } },
    };
  },
  opencode: todowrite,
  kilo: todowrite,
  kimi: (steps) => ({
    tool_name: "TodoList",
    tool_input: {
      todos: steps.map(([title, status]) => ({ title, status: STATUSES[status] ?? status })),
    },
    tool_output: "Todo list updated.",
  }),
  omp: (steps) => ({
    tool_name: "todo",
    tool_input: { op: "init" },
    tool_response: {
      content: [],
      details: {
        op: "init",
        phases: [
          {
            name: "Tasks",
            tasks: steps.map(([content, status]) => ({ content, status })),
          },
        ],
      },
    },
  }),
  openclaw: (steps) => ({
    tool_name: "progress_card",
    tool_input: { plan: steps.map(([step, status]) => ({ step, status })) },
    tool_response: { content: [], details: { revision: 1 } },
  }),
  qwen: (steps) => {
    const todos = steps.map(([content, status], index) => ({ content, status, id: `${index}` }));
    return {
      tool_name: "todo_write",
      tool_input: { todos },
      tool_response: { returnDisplay: { type: "todo_list", todos } },
    };
  },
};

const STATUSES: Readonly<Record<string, string>> = { completed: "done" };

const TEXTS = ["Read the code", "Write the fix", "Run the tests", "Describe it"];

/** The list after some turns: each turn completes one todo and starts the next. */
const stepsAt = (turn: number): readonly Step[] =>
  TEXTS.map((text, index) => [
    text,
    index < turn ? "completed" : index === turn ? "in_progress" : "pending",
  ]);

const after: Readonly<Record<string, string>> = { gemini: "AfterTool" };
let calls = 0;

async function send(tracker: Tracker, agent: string, session: string, event: string, more: object) {
  const answer = await runHook({
    agent,
    event,
    json: JSON.stringify({ session_id: session, cwd: root, tool_use_id: `c${++calls}`, ...more }),
    native: true,
    home: join(root, "home"),
    env: {},
    tracker: async () => tracker,
    onProblem: (_, problem) => expect.unreachable(String(problem)),
  });
  return JSON.stringify(answer ?? "");
}

/** Starts a session. Some agents read no answer to that event, but one to the first prompt. */
async function start(tracker: Tracker, agent: string, session: string) {
  const answer = await send(tracker, agent, session, "SessionStart", { source: "startup" });
  if (findHookAgent(agent)?.events.SessionStart?.answer) return answer;
  return send(tracker, agent, session, "UserPromptSubmit", { prompt: "Go on" });
}

const shown = (todos: readonly Todo[]) => todos.map(({ id, text, status }) => [id, text, status]);

const PAIRS = HOOK_AGENTS.flatMap((from) => HOOK_AGENTS.map((to) => [from, to] as const));

test.each(PAIRS.map(([from, to]) => [from.name, to.name, to.agentType] as const))(
  "%s hands its list to %s after every turn: nothing done is repeated, nothing open is lost",
  async (from, to, agentType) => {
    const tracker = trackerOn(memoryStore()) as unknown as Tracker;
    const write = (agent: string, session: string, turn: number) =>
      send(
        tracker,
        agent,
        session,
        after[agent] ?? "PostToolUse",
        WRITES[agent]?.(stepsAt(turn)) ?? {},
      );
    mkdirSync(join(root, "home"));
    for (let turn = 0; turn <= TEXTS.length; turn++) {
      const [first, second] = [`first-${turn}`, `second-${turn}`];
      await send(tracker, from, first, "SessionStart", { source: "startup" });
      for (let done = 0; done <= turn; done++) await write(from, first, done);
      const old = tracker.list({ session: first, agent: "main" });
      await old.submit([{ op: "note", target: { any: "2" }, text: "Mind the empty file" }], {
        by: "user",
      });
      const before = await old.read();
      expect(before.todos[1]?.notes).toEqual(["Mind the empty file"]);
      const handoff = handoffOf({
        track: before,
        events: await old.events(),
        files: ["src/a.ts"],
        name: "Agent",
      });
      offerHandoff(join(root, "home"), {
        to: agentType,
        cwd: root,
        expiresAt: Date.now() + 60_000,
        handoff,
      });

      const answer = await start(tracker, to, second);
      const next = tracker.list({ session: second, agent: "main" });
      const taken = await next.read();
      expect(taken.todos).toEqual(before.todos);
      expect(taken.nextId).toBe(before.nextId);
      expect(taken.takenFrom).toEqual({ session: first, agent: "main" });
      expect((await old.read()).passedTo).toEqual({ session: second, agent: "main" });
      for (const { id, text, status } of before.todos) {
        const line = `${id} [${status === "in_progress" ? ">" : " "}] ${JSON.stringify(JSON.stringify(text)).slice(1, -1)}`;
        expect(answer.includes(line)).toBe(status !== "completed");
      }
      if (turn > 0) expect(answer).toContain("Done: 1");
      expect(answer).toContain("src/a.ts");
      expect(answer.includes("Mind the empty file")).toBe(turn <= 1);

      // The next agent continues with its own tool: the same ids, and done todos stay done.
      const known = shown(taken.todos);
      for (let done = turn; done <= TEXTS.length; done++) {
        await write(to, second, done);
        const now = await next.read();
        expect(now.todos.map(({ id }) => id)).toEqual(known.map(([id]) => id));
        expect(shown(now.todos).filter(([, , status]) => status === "completed")).toHaveLength(
          done,
        );
      }
      // An offer is taken once.
      expect(await start(tracker, to, `third-${turn}`)).not.toContain("taking over");
    }
  },
);

test("an offer is only for its agent, its directory and its time, and not for a session with todos", async () => {
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const home = join(root, "home");
  const list = tracker.list({ session: "old", agent: "main" });
  await list.set([{ text: "Write the fix" }]);
  const handoff = handoffOf({ track: await list.read(), events: [], files: [] });
  const start = (agent: string, session: string) =>
    send(tracker, agent, session, "SessionStart", { source: "startup" });
  const offer = { to: "codex", cwd: root, expiresAt: Date.now() + 60_000, handoff };
  offerHandoff(home, { ...offer, cwd: tmpdir() });
  expect(await start("codex", "s1")).not.toContain("taking over");
  offerHandoff(home, { ...offer, expiresAt: Date.now() - 1 });
  expect(await start("codex", "s2")).not.toContain("taking over");
  offerHandoff(home, offer);
  expect(await start("claude", "s3")).not.toContain("taking over");
  await tracker.list({ session: "s4", agent: "main" }).set([{ text: "Own work" }]);
  expect(await start("codex", "s4")).not.toContain("taking over");
  expect(await start("codex", "s5")).toContain("taking over");
});

test.each(HOOK_AGENTS.map(({ name, events }) => [name, events] as const))(
  "%s without a start event accepts an offer at the first prompt only",
  async (agent, { Notification }) => {
    const tracker = trackerOn(memoryStore()) as unknown as Tracker;
    const home = join(root, "home");
    const list = tracker.list({ session: "old", agent: "main" });
    await list.set([{ text: "Write the fix" }]);
    const handoff = handoffOf({ track: await list.read(), events: [], files: [] });
    const offer = { cwd: root, expiresAt: Date.now() + 60_000, handoff };
    const event = agent === "gemini" ? "BeforeAgent" : "UserPromptSubmit";
    const prompt = (session: string) =>
      send(tracker, agent, session, event, { prompt: "Fix the parser." });
    expect(await prompt("early")).not.toContain("taking over");
    offerHandoff(home, offer);
    expect(await prompt("early")).not.toContain("taking over");
    // Qwen Code reports its sign-in before the first prompt.
    const message = "Successfully authenticated";
    if (Notification) await send(tracker, agent, "next", "Notification", { message });
    expect(await prompt("next")).toContain("taking over");
    const { todos, takenFrom } = await tracker.list({ session: "next", agent: "main" }).read();
    expect(todos.map(({ id, text }) => [id, text])).toEqual([["1", "Write the fix"]]);
    expect(takenFrom).toEqual({ session: "old", agent: "main" });
  },
);
