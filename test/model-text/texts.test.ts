import { expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { footer, systemPrompt, taskPrompt } from "../../src/core/guidance/prompts.ts";
import { reminderFor } from "../../src/core/guidance/rules.ts";
import { guidanceFor } from "../../src/core/list/policy.ts";
import type { ReminderMoment, Todo, Track } from "../../src/core/model.ts";
import { formatTime } from "../../src/core/text/clock.ts";
import { PLAN_TOOL, planResult } from "../../src/servers/mcp/plans.ts";
import { continuePrompt, planPrompt } from "../../src/servers/mcp/prompts.ts";
import { historyText } from "../../src/servers/mcp/resources/resources.ts";
import { published } from "../../src/servers/mcp/tools.ts";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { TASK_TOOLS } from "../../src/tools/tasks/index.ts";
import { gatedTask, runTaskTool } from "../../src/tools/tasks/run.ts";
import { type TaskAgent, taskDefinitionOf } from "../../src/tools/tasks/task-tool.ts";
import { definitionOf } from "../../src/tools/tool.ts";
import { todo, trackOf } from "../core/track-of.ts";
import { serveHere } from "../servers/mcp/clients.ts";
import { proofOf, WARNINGS } from "../surfaces/proofs.ts";
import { call, edit, type MemoryList, newList, ops } from "../tools/call.ts";

/**
 * Every text that a model reads, on one page: goldens/model-texts.md. Reviewers read that file; `npx vitest run
 * test/model-text/texts.test.ts -u` writes it.
 */

const page: string[] = [];

function heading(level: 1 | 2 | 3, text: string): void {
  page.push(`${"#".repeat(level)} ${text}`, "");
}

function show(text: string): void {
  page.push("```text", text.replaceAll("```", "` ` `"), "```", "");
}

function named(name: string, text: string): void {
  page.push(`**${name}**`, "");
  show(text);
}

function prompts(): void {
  heading(2, "System prompts");
  named("short", systemPrompt("todos"));
  named("full", systemPrompt("todos", "full"));
  named("footer", footer("todos"));
  named("tasks", taskPrompt("tasks"));
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly description?: string;
}

function fieldRows({ properties = {}, items }: Schema, path = ""): readonly string[] {
  const inner = Object.entries(properties).flatMap(([name, field]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [`| \`${at}\` | ${field.description ?? ""} |`, ...fieldRows(field, at)];
  });
  return [...inner, ...(items ? fieldRows(items, `${path}[]`) : [])];
}

function tools(): void {
  heading(2, "Tools");
  page.push("With the size of name, description and schema, as `tools/list` sends them.", "");
  const all = [
    ...TOOLS.map((tool) => ({ id: tool.id, definition: definitionOf(tool) })),
    ...TASK_TOOLS.map((tool) => ({ id: tool.id, definition: taskDefinitionOf(tool) })),
    { id: PLAN_TOOL.name, definition: PLAN_TOOL },
  ];
  for (const { id, definition } of all) {
    const { name, description, inputSchema } = published(definition, false, false);
    const bytes = Buffer.byteLength(JSON.stringify({ name, description, inputSchema }));
    heading(3, `${id} (${bytes} bytes)`);
    show(description ?? "");
    const rows = fieldRows(inputSchema as Schema);
    if (rows.length > 0) page.push("| field | description |", "|---|---|", ...rows, "");
  }
  heading(3, "Added to full descriptions");
  const [listTool] = TOOLS;
  const [taskTool] = TASK_TOOLS;
  if (!listTool || !taskTool) throw new Error("no tools");
  const added = (full: string, short: string) => full.slice(short.length).trim();
  named(
    "list tools",
    added(definitionOf(listTool, "full").description, definitionOf(listTool).description),
  );
  named(
    "task tools",
    added(taskDefinitionOf(taskTool, "full").description, taskDefinitionOf(taskTool).description),
  );
}

const LIST: readonly Todo[] = [
  todo("1", { text: "Find the slow query", status: "completed" }),
  todo("2", {
    text: "Add the index",
    activeText: "Adding the index",
    status: "in_progress",
    notes: ["Two rows share a key; the newer one wins."],
  }),
  todo("3", { text: "Measure again" }),
  todo("4", { text: "Deploy", status: "blocked", blocker: "release window" }),
  todo("5", { text: "Announce", status: "blocked", blockedBy: ["4"] }),
];

const PLAN = { id: "p1", text: "1. a\n2. b", at: 1, untold: true as const };

function reminders(): void {
  heading(2, "Reminders");
  const remind = (
    name: string,
    moment: ReminderMoment,
    track: Track,
    tool: string | undefined = "todos",
    search = false,
  ) => {
    const policy = guidanceFor({ planEvery: 5 });
    const reminder = reminderFor(track, moment, policy, { mark: "k3m9", tool, search });
    if (!reminder) throw new Error(`no reminder: ${name}`);
    named(`${name} (${reminder.kind})`, reminder.text);
  };
  const steps = { steps: 10, prompts: 2 };
  const done = ["1", "2", "3"].map((id) =>
    todo(id, { text: `Step ${id}`, status: "completed" as const }),
  );
  const why = "todos[0].text is empty.";
  const unseen = [
    { id: "3", knownText: "Measure", knownStatus: "pending" as const, set: { text: "Measure" } },
    { id: "9", knownText: "Write docs", knownStatus: "pending" as const, removed: todo("9") },
    {
      id: "2",
      knownText: "Add the index",
      knownStatus: "pending" as const,
      notes: ["Use CONCURRENTLY."],
    },
  ];
  const loop = (kind: "generic_repeat" | "ping_pong" | "unknown_tool_repeat") => ({
    ...emptyActivity(),
    loop: {
      kind,
      level: "warning" as const,
      label: "npm test",
      count: 10,
      message: "npm test, 10 times, same result",
    },
  });
  const comments = [{ text: "Keep the old endpoint.", at: 1, by: "user" as const, step: 2 }];
  const adopted = [todo("1", { planStep: "p1#1" }), todo("2", { planStep: "p1#2" })];

  remind("start of a session", "start", trackOf([]));
  remind("start of a session, tools are hidden", "start", trackOf([]), "mcp__waymark__todos", true);
  remind("first prompt", "prompt", trackOf([], { prompts: 1 }));
  remind("no list", "step", trackOf([], steps));
  remind("outdated list", "step", trackOf(LIST, steps));
  remind("outdated list of another tool", "step", trackOf(LIST, steps), "TodoWrite");
  remind("outdated tasks", "step", trackOf(LIST, steps), "TaskCreate and TaskUpdate");
  remind("edits", "step", trackOf(LIST, { ...steps, steps: 5, edits: 12 }));
  remind("refused write", "step", trackOf(LIST, { steps: 4, refused: { step: 3, why } }));
  const partial = { step: 3, why: 'ops[2]: Task "Run tests" not found.', partial: true as const };
  remind("partly saved write", "step", trackOf(LIST, { steps: 4, refused: partial }));
  remind("edits of the user", "step", trackOf(LIST, {}, { unseen, unseenOrder: true }));
  remind(
    "edits of the user, other tool",
    "step",
    trackOf(LIST, {}, { unseen, unseenOrder: true }),
    "TodoWrite",
  );
  const approved = { ...PLAN, state: "approved" as const, comment: "Looks right." };
  remind("plan approved", "step", trackOf([], {}, { plan: approved }));
  remind(
    "plan approved, steps adopted",
    "step",
    trackOf(adopted, {}, { plan: { ...approved, adoptedAt: 2 } }),
  );
  const rejected = { ...PLAN, state: "rejected" as const, comments, untoldComments: 1 };
  remind("plan rejected", "step", trackOf([], {}, { plan: rejected, unseen }));
  const { untold: _, ...open } = PLAN;
  const commented = { ...open, state: "proposed" as const, comments, untoldComments: 1 };
  remind("comment on the plan", "step", trackOf([], {}, { plan: commented }));
  const output = "✗ returns the first result on a repeat\n  expected 1 refund, got 2\n1 failing";
  const failed = proofOf(5, { ok: false, exitCode: 1, output });
  remind("failed check", "step", trackOf(done.map((each) => ({ ...each, proof: failed }))));
  const late = proofOf(5, { ok: false, exitCode: null, ended: "timeout" });
  remind(
    "check that timed out, other tool",
    "step",
    trackOf(done.slice(0, 1).map((each) => ({ ...each, proof: late }))),
    "TodoWrite",
  );
  const warned = proofOf(5, { warnings: WARNINGS });
  remind("weakened checks", "step", trackOf(done.map((each) => ({ ...each, proof: warned }))));
  remind("no evidence", "write", trackOf(done));
  remind("no evidence, other tool", "write", trackOf(done), "TodoWrite");
  remind("after compaction", "compacted", trackOf(LIST));
  remind("after compaction, other tool", "compacted", trackOf(LIST), "TodoWrite");
  remind("resumed session", "resume", trackOf(LIST));
  remind("resumed session, all blocked", "resume", trackOf(LIST.slice(3)));
  remind("stop", "stop", trackOf(LIST));
  remind("loop", "step", trackOf([], {}, { activity: loop("generic_repeat") }));
  remind("alternating calls", "step", trackOf([], {}, { activity: loop("ping_pong") }));
  remind("unknown tool", "step", trackOf([], {}, { activity: loop("unknown_tool_repeat") }));
  remind("plan mode", "step", trackOf([], {}, { mode: "plan" }));
}

function threeTodos(): MemoryList {
  const list = newList();
  call(list, "todos", {
    todos: [
      { text: "Add the index", status: "in_progress", activeText: "Adding the index" },
      { text: "Run the tests" },
      { text: "Run the tests again" },
    ],
  });
  return list;
}

function listAnswers(): void {
  heading(2, "Answers of list tools");
  const list = newList();
  named("todos, empty list", call(list, "todos", {}).text);
  const full = threeTodos();
  named("todos, whole list", call(full, "todos", { note: "Slow on CI" }).text);
  named("todos, read", call(full, "todos", {}).text);
  named(
    "todos, changes",
    call(full, "todos", { finish: ["1"], evidence: "npm test", start: "2" }).text,
  );
  named("todos, finished", call(full, "todos", { finish: ["2", "3"] }).text);
  const edited = threeTodos();
  edit(edited, { op: "edit", target: { any: "2" }, set: { text: "Run all tests" } });
  named("todos, after an edit of the user", call(edited, "todos", {}).text);
  const kept = threeTodos();
  edit(kept, { op: "edit", target: { any: "2" }, set: { text: "Run all tests" } });
  named(
    "todos, the call would have undone an edit",
    call(kept, "todos", { todos: ["Add the index", "Run the tests", "Run the tests again"] }).text,
  );
  named(
    "TodoWrite, update_plan, write_todos, todowrite, todo_write (list)",
    call(newList(), "TodoWrite", {
      todos: [
        { content: "Plan", status: "completed", activeForm: "Planning" },
        { content: "Fix it", status: "in_progress", activeForm: "Fixing it" },
      ],
    }).text,
  );
  named(
    "todo",
    call(newList(), "todo", { todos: [{ id: "1", content: "Fix it", status: "pending" }] }).text,
  );
  const batch = newList();
  ops(batch, { op: "init", list: [{ phase: "Build", items: ["Cut", "Sew"] }] });
  named(
    "todo_write (operations)",
    ops(batch, { op: "done", task: "Cut" }, { op: "start", task: "Fly" }).text,
  );
}

function listRefusals(): void {
  heading(2, "Refusals of list tools");
  const refuse = (name: string, input: unknown, tool: Parameters<typeof call>[1] = "todos") => {
    const { ok, text } = call(threeTodos(), tool, input);
    if (ok) throw new Error(`accepted: ${name}`);
    named(name, text);
  };
  refuse("unknown id", { start: "7" });
  refuse("unknown text", { start: "Fly" });
  refuse("ambiguous text", { start: "tests" });
  refuse("two in progress", {
    todos: [
      { text: "A", status: "in_progress" },
      { text: "B", status: "in_progress" },
    ],
  });
  refuse("too many", { todos: Array.from({ length: 21 }, (_, n) => ({ text: `Step ${n}` })) });
  refuse("too many after an addition", { add: Array.from({ length: 18 }, (_, n) => `Step ${n}`) });
  refuse("empty text", { todos: [{ text: " " }] });
  refuse("long text", { todos: [{ text: "x".repeat(501) }] });
  refuse("control character", { todos: [{ text: "a\u001bb" }] });
  refuse("unknown field", { task: "1" });
  refuse("unknown field of a todo", { todos: [{ text: "A", owner: "me" }] });
  refuse("missing field", { todos: [{}] });
  refuse("wrong type", { finish: { id: 1 } });
  refuse("wrong status", { todos: [{ text: "A", status: "doing" }] });
  refuse("list and changes", { todos: [], start: "1" });
  refuse("evidence alone", { evidence: "npm test" });
  refuse("reason alone", { reason: "no key" });
  refuse("wrong input", "read");
  const idle = newList();
  named("note without a todo", call(idle, "todos", { note: "x" }).text);
  const removed = threeTodos();
  edit(removed, { op: "remove", target: { any: "2" } });
  named("removed by the user", call(removed, "todos", { start: "2" }).text);
  for (const state of ["none", "proposed", "rejected"] as const) {
    const planned = newList();
    if (state === "none") edit(planned, { op: "mode", mode: "plan" });
    else planned.plan.propose("1. a", {});
    if (state === "rejected") planned.plan.reject(undefined, { by: "user" });
    named(
      `plan mode, ${state === "none" ? "no plan" : state}`,
      call(planned, "todos", { add: ["A"] }).text,
    );
  }
  named("operation", call(newList(), "todos", { add: ["A"] }, { offIn: "git commit" }).text);
  const qwen = (name: string, todos: readonly object[]) =>
    refuse(
      name,
      { todos: todos.map((entry) => ({ content: "A", status: "pending", ...entry })) },
      "todo_write.qwen",
    );
  qwen("todo_write (list): id used twice", [{ id: "1" }, { id: "1" }]);
  qwen("todo_write (list): cycle", [
    { id: "1", blockedBy: ["2"] },
    { id: "2", blockedBy: ["1"] },
  ]);
  qwen("todo_write (list): unknown blocker", [{ id: "1", blockedBy: ["9"] }]);
}

async function taskTexts(): Promise<void> {
  let now = 1_000_000_000_000;
  const store = memoryTaskStore({ now: () => now });
  const agent = (owner: string): TaskAgent => ({ owner, claims: new Map(), store: () => store });
  const [ann, bob] = [agent("ann"), agent("bob")];
  const hidden = (text: string) =>
    text.replaceAll(formatTime(now + 300_000, now, undefined) ?? "", "14:32");
  const run = async (who: TaskAgent, input: unknown, name = "tasks", planMode = false) => {
    const tool = TASK_TOOLS.find(({ id }) => id === name);
    if (!tool) throw new Error(name);
    return hidden((await runTaskTool(tool, input, { agent: who, planMode })).text);
  };
  const say = async (name: string, who: TaskAgent, input: unknown, tool = "tasks") =>
    named(`${name}: ${JSON.stringify(input)}`, await run(who, input, tool));

  heading(2, "Answers and refusals of tasks");
  await say("nothing to do", ann, {});
  await say("nothing to claim", ann, { claim: "next" });
  await say("add", ann, {
    add: [
      { subject: "Write the parser", priority: 1, description: "Read the grammar first." },
      { subject: "Test the parser" },
      { subject: "Write the notes" },
    ],
  });
  await say("block", ann, { block: { task: "t2", by: ["t1"] } });
  await say("add with an unknown blocker", ann, { add: [{ subject: "A", blockedBy: ["t9"] }] });
  await say("overview", ann, {});
  await say("claim", ann, { claim: "next" });
  await say("claim again", ann, { claim: "t1" });
  await say("claimed by another agent", bob, { claim: "t1" });
  await say("finish of another agent's task", bob, { finish: "t1" });
  await say("blocked", bob, { claim: "t2" });
  await say("unclaimed", bob, { release: "t3" });
  await say("unknown task", bob, { show: "t9" });
  await say("unknown epoch", ann, { finish: "t1", epoch: 7 });
  await say("cycle", ann, { block: { task: "t1", by: ["t2"] } });
  await say("show", ann, { show: "t1" });
  now += 300_001;
  await run(bob, { claim: "t1" });
  await say("expired claim", ann, { finish: "t1" });
  await say("finish", bob, { finish: "t1", evidence: "npm test" });
  await say("expired claim, done since", ann, { finish: "t1" });
  await say("closed", ann, { claim: "t1" });
  await run(bob, { claim: "t2" });
  await say("fail without a reason", bob, { fail: "t2" });
  await say("fail", bob, { fail: "t2", reason: "No grammar" });
  await run(bob, { claim: "t2" });
  await say("release", bob, { release: "t2", reason: "No time" });
  await say("find", bob, { find: "done" });
  await say("nothing found", bob, { find: "claimed" });
  await say("evidence alone", bob, { evidence: "x" });
  await say("partly done", bob, { add: ["One more"], claim: "t9" });
  named("plan mode", await run(bob, { claim: "t2" }, "tasks", true));
  named("operation", gatedTask("git commit").text);

  await say("TaskCreate", ann, { subject: "Paint", description: "All walls" }, "TaskCreate");
  await say("TaskUpdate", ann, { taskId: "t5", status: "in_progress" }, "TaskUpdate");
  await say("TaskUpdate, no change", ann, { taskId: "t5" }, "TaskUpdate");
  await say("TaskUpdate, claimed", bob, { taskId: "t5", status: "in_progress" }, "TaskUpdate");
  await say("TaskUpdate, unknown", bob, { taskId: "t9" }, "TaskUpdate");
  await say("TaskGet", bob, { taskId: "t5" }, "TaskGet");
  await say("TaskList", bob, {}, "TaskList");
}

async function mcpTexts(): Promise<void> {
  heading(2, "MCP");
  const plan = (state: "streaming" | "proposed" | "approved" | "rejected") => {
    const [part] = planResult({
      id: "p",
      text: "1. a",
      at: 1,
      state,
      comment: "Looks right.",
    }).content;
    named(`plan, ${state}`, part?.type === "text" ? part.text : "");
  };
  for (const state of ["streaming", "proposed", "approved", "rejected"] as const) plan(state);
  const texts = (prompt: ReturnType<typeof planPrompt>) =>
    prompt.messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("\n");
  named("prompt plan", texts(planPrompt("Make it fast")));
  named("prompt continue", texts(continuePrompt(LIST)));
  const row = { via: "cli", todo: "1", text: "Add the index" } as const;
  const history = historyText(
    [
      {
        ...row,
        at: 1_000_000_000_000,
        by: "user",
        from: null,
        to: "pending",
        change: "added",
        seq: 1,
      },
      {
        ...row,
        at: 1_000_000_000_000,
        by: "agent",
        from: "pending",
        to: "pending",
        change: "noted",
        detail: "Slow",
        seq: 2,
      },
    ],
    1_000_000_000_000,
  );
  named("resource history", history.replaceAll(/\d\d:\d\d/g, "14:32"));
  const { client } = serveHere({ tasks: { tasks: notUsed }, taskTools: ["tasks"] });
  await client.initialize();
  const list = async (method: string, field: string) => {
    const { result } = await client.ask(method);
    const entries = (result?.[field] ?? []) as {
      name: string;
      title?: string;
      description?: string;
    }[];
    page.push(`**${method}**`, "", "| name | title | description |", "|---|---|---|");
    page.push(
      ...entries.map(
        ({ name, title, description }) => `| ${name} | ${title ?? ""} | ${description ?? ""} |`,
      ),
      "",
    );
  };
  await list("prompts/list", "prompts");
  await list("resources/list", "resources");
  await list("resources/templates/list", "resourceTemplates");
  client.end();
}

function notUsed(): never {
  throw new Error("The store is not needed.");
}

test("every text that a model reads is on the page of goldens/model-texts.md", async () => {
  heading(1, "Texts for models");
  page.push("Generated by `npx vitest run test/model-text/texts.test.ts -u`.", "");
  prompts();
  tools();
  reminders();
  listAnswers();
  listRefusals();
  await taskTexts();
  await mcpTexts();
  await expect(`${page.join("\n").trimEnd()}\n`).toMatchFileSnapshot("goldens/model-texts.md");
});
