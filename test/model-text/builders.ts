import { failureText } from "../../src/core/checks/failure-text.ts";
import { tamperNotice } from "../../src/core/checks/tamper.ts";
import { footer, systemPrompt, taskPrompt } from "../../src/core/guidance/prompts.ts";
import { reminderFor } from "../../src/core/guidance/rules.ts";
import { handoffText } from "../../src/core/handoff/text.ts";
import { decide } from "../../src/core/list/decide.ts";
import { modelChecklist } from "../../src/core/list/markdown.ts";
import { guidanceFor, PRESETS, policyFor } from "../../src/core/list/policy.ts";
import {
  type Op,
  type Outcome,
  REMINDER_KINDS,
  type Rejection,
  type Todo,
  type Track,
} from "../../src/core/model.ts";
import type { Plan } from "../../src/core/plan/plan.ts";
import { oneLine } from "../../src/core/text/escape.ts";
import type { Transition } from "../../src/core/views/history.ts";
import { decidePrompt, planResult } from "../../src/servers/mcp/plans.ts";
import { continuePrompt, planPrompt } from "../../src/servers/mcp/prompts.ts";
import { historyText, unknownResource } from "../../src/servers/mcp/resources/resources.ts";
import { callResult, taskResult } from "../../src/servers/mcp/result.ts";
import { boardText, taskText } from "../../src/servers/mcp/tasks/resources.ts";
import { progressText } from "../../src/servers/verify/task-proof.ts";
import type { Task } from "../../src/tasks/model.ts";
import * as refusals from "../../src/tasks/rules/refusals.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { checkValue, parseInput } from "../../src/tools/input.ts";
import { renderRefusal, renderUserEdits } from "../../src/tools/render.ts";
import { gated, type ToolResult } from "../../src/tools/run.ts";
import { TASK_TOOLS } from "../../src/tools/tasks/index.ts";
import { refusalText, TASKS_HINTS, unprovenText } from "../../src/tools/tasks/refusals.ts";
import { gatedTask, runTaskTool } from "../../src/tools/tasks/run.ts";
import type { List } from "../../src/tracker.ts";
import { dueTrack } from "../core/due-track.ts";
import { MARK, todo, trackOf } from "../core/track-of.ts";

/** An external text for a field, by its name. */
export type Put = (field: string) => string;

export interface Builder {
  readonly name: string;
  /** The source files whose texts it contains. */
  readonly covers: readonly string[];
  /** The text is data that a client hands to its model as JSON. */
  readonly isData?: boolean;
  readonly build: (put: Put) => string | Promise<string>;
}

const CORE = ["core/views/todo-line.ts", "core/list/target.ts"];

/** Every function that builds text for a model. A source file that uses the encoder and is in no row fails a test. */
export const BUILDERS: readonly Builder[] = [
  {
    name: "failed check",
    covers: ["core/checks/failure-text.ts"],
    build: (put) =>
      failureText(
        {
          check: put("check"),
          exitCode: 1,
          lines: put("lines"),
          warnings: [{ kind: "test_skipped", file: put("file"), line: 3, text: put("sign") }],
        },
        ["a", "b", "c", "d"].map((name) => ({ text: put(`todo ${name}`) })),
      ),
  },
  {
    name: "failed check of a task",
    covers: ["tools/tasks/refusals.ts", "tools/tasks/text.ts"],
    build: (put) =>
      unprovenText(
        refusals.unproven({ ...(tasksOf(put)[0] as Task), check: put("check") }),
        put("why"),
        put("output"),
      ),
  },
  {
    name: "progress of a check",
    covers: ["servers/verify/task-proof.ts", "servers/mcp/task-agents.ts"],
    build: (put) =>
      progressText({ step: "started", check: put("check"), command: "", timeoutMs: 1 }) ?? "",
  },
  {
    name: "tamper notice",
    covers: ["core/checks/tamper/texts.ts"],
    build: (put) =>
      tamperNotice([
        { kind: "test_skipped", file: put("file"), line: 3, text: put("line") },
        { kind: "test_removed", file: put("removed file"), line: null, text: put("test") },
      ]),
  },
  {
    name: "handoff",
    covers: ["core/handoff/text.ts"],
    build: (put) =>
      handoffText(
        {
          from: { session: put("session"), agent: "main", name: "Codex" },
          stoppedAt: 1,
          list: 1,
          nextId: 9,
          todos: [
            todo("1", { text: put("done"), status: "completed" }),
            todo("2", { text: put("text"), notes: [put("note")], status: "in_progress" }),
            todo("3", { text: put("other"), status: "blocked", blocker: put("blocker") }),
          ],
          failing: { command: put("command"), exitCode: 1, output: put("output") },
          files: [put("path")],
          decisions: [put("decision")],
        },
        true,
      ),
  },
  ...REMINDER_KINDS.map(
    (kind): Builder => ({
      name: `reminder ${kind}`,
      covers: [
        "core/guidance/rules.ts",
        "core/guidance/check-finding.ts",
        "core/guidance/collision-notice.ts",
        "core/guidance/stall-message.ts",
        "core/guidance/block.ts",
        "core/guidance/reminder-texts.ts",
        "core/guidance/todo-text.ts",
        "core/guidance/user-edits.ts",
      ],
      build: (put) => {
        const [moment, track] = dueTrack(kind, (field) => put(field));
        const caps = Object.fromEntries(REMINDER_KINDS.map((each) => [each, 1_000_000]));
        const guidance = guidanceFor({ planEvery: 5, caps: caps as never });
        const words = { mark: MARK, tool: put("tool"), search: true };
        return reminderFor(track, moment, guidance, words)?.text ?? "";
      },
    }),
  ),
  {
    name: "prompts for the system",
    covers: ["core/guidance/prompts.ts", "servers/mcp/server.ts"],
    build: (put) =>
      [
        systemPrompt(put("tool")),
        systemPrompt(put("tool"), "full"),
        footer(put("tool")),
        taskPrompt(put("tool")),
      ].join("\n"),
  },
  ...TOOLS.flatMap((tool): Builder[] => {
    const answer = (put: Put, call: unknown) =>
      tool.answer(outcomeOf(put), call, { durable: true });
    const calls = [tool.examples[0], ...(tool.id === "todos" ? [{ finish: ["1"] }] : [])];
    const covers = [
      "core/views/todo-line.ts",
      "tools/render.ts",
      "tools/todos.ts",
      "agents/oh-my-pi/tool.ts",
      "agents/hermes/tool.ts",
      "agents/claude-code/tools/todo-write.ts",
      "agents/qwen/tool.ts",
      "agents/opencode/tool.ts",
      "agents/codex/tool.ts",
      "agents/gemini/tool.ts",
      "tools/tool.ts",
    ];
    return [
      {
        name: `result of ${tool.id}`,
        covers,
        build: (put) => calls.map((call) => answer(put, call).text).join("\n\n"),
      },
      {
        name: `MCP data of ${tool.id}`,
        covers: ["servers/mcp/result.ts", "servers/mcp/tools.ts"],
        isData: true,
        build: (put) => {
          const notice = renderUserEdits(outcomeOf(put));
          const result: ToolResult = {
            ok: true,
            rejected: [],
            notice,
            ...tool.answer(outcomeOf(put), calls[0], { durable: true }),
          };
          const { structuredContent } = callResult(tool, result, {
            list: { id: "l", inText: true },
          });
          return dataOf(structuredContent);
        },
      },
    ];
  }),
  {
    name: "notice in a tool result",
    covers: ["core/guidance/user-edits.ts", "tools/render.ts", "tools/run.ts"],
    build: (put) => renderUserEdits(outcomeOf(put)),
  },
  {
    name: "refusals of list writes",
    covers: [
      ...CORE,
      "core/guidance/refusal-texts.ts",
      "core/list/apply.ts",
      "core/list/validate.ts",
      "core/list/decide.ts",
      "tools/render.ts",
    ],
    build: (put) => renderRefusal(listRefusals(put), 100),
  },
  {
    name: "refusals of the input",
    covers: ["tools/input.ts", "tools/run.ts", "tools/tasks/run.ts", "cli/commands/tool.ts"],
    build: (put) => renderRefusal(inputRefusals(put), 100),
  },
  {
    name: "refusals of tasks",
    covers: ["tasks/rules/refusals.ts", "tasks/model.ts"],
    build: (put) =>
      taskRefusals(put)
        .map(({ message, short }) => `${message}\n${short ?? ""}`)
        .join("\n"),
  },
  {
    name: "refusals of task tools",
    covers: ["tools/tasks/refusals.ts", "tools/tasks/claims.ts"],
    build: async (put) => {
      const context = { owner: "me", store: storeOf(put), hints: TASKS_HINTS };
      const held = [{ id: "t1", epoch: 1 }] as const;
      const op = { op: "finish", owner: "me", held } as const;
      const texts: string[] = [];
      for (const refusal of taskRefusals(put))
        texts.push(await refusalText(refusal, { ...context, op }));
      return texts.join("\n");
    },
  },
  ...taskCalls().map(
    ([name, input]): Builder => ({
      name: `result of ${name} ${JSON.stringify(input)}`,
      covers: [
        "tools/tasks/text.ts",
        "tools/tasks/tasks.ts",
        "agents/claude-code/tools/tasks.ts",
        "tools/tasks/task-tool.ts",
        "servers/mcp/tasks/index.ts",
      ],
      build: async (put) => (await runTask(name, input, put)).text,
    }),
  ),
  {
    name: "MCP data of TaskGet",
    covers: ["servers/mcp/result.ts"],
    isData: true,
    build: async (put) => {
      const result = await runTask("TaskGet", { taskId: "t1" }, put);
      const { structuredContent } = taskResult(result, { id: undefined, inText: false });
      return dataOf(structuredContent);
    },
  },
  {
    name: "MCP plan",
    covers: ["servers/mcp/plans.ts", "core/plan/decide.ts"],
    build: (put) =>
      (["approved", "rejected"] as const)
        .map((state) => textOf(planResult(planOf(put, state))))
        .join("\n"),
  },
  {
    name: "MCP data of the plan",
    covers: ["servers/mcp/plans.ts"],
    isData: true,
    build: (put) => dataOf(planResult(planOf(put, "approved")).structuredContent),
  },
  {
    name: "MCP prompts",
    covers: ["servers/mcp/prompts.ts", "servers/mcp/plans.ts"],
    build: async (put) => {
      const accept = async () => ({ ok: true, rejected: [] });
      const list = { plan: { approve: accept, reject: accept, comment: accept } };
      const decisions: string[] = [];
      for (const name of ["approve", "reject", "comment"]) {
        // A comment of white space only is none.
        const decided = await decidePrompt(list as unknown as List, name, `c${put("comment")}`);
        decisions.push(decided && "message" in decided ? decided.message : "");
      }
      const prompts = [planPrompt(`g${put("goal")}`), continuePrompt(todosOf(put))];
      const texts = prompts.flatMap(({ messages }) =>
        messages.map(({ content }) => (content.type === "text" ? content.text : "")),
      );
      return [...decisions, ...texts].join("\n");
    },
  },
  {
    name: "MCP resource list",
    covers: ["core/list/markdown.ts", "servers/mcp/resources/resources.ts"],
    build: (put) => modelChecklist(todosOf(put)),
  },
  {
    name: "MCP resource history",
    covers: ["servers/mcp/resources/resources.ts"],
    build: (put) => {
      const row = { at: 0, by: "user", via: "cli", todo: "1", from: null, to: "pending" } as const;
      const rows = [
        { ...row, change: "added", text: put("text") },
        { ...row, change: "noted", text: put("text"), detail: put("detail") },
      ];
      return historyText(rows as unknown as readonly Transition[], 0);
    },
  },
  {
    name: "MCP resource that does not exist",
    covers: ["servers/mcp/resources/resources.ts"],
    build: (put) => unknownResource(put("uri")).message,
  },
  {
    name: "MCP resource tasks",
    covers: ["servers/mcp/tasks/resources.ts"],
    build: async (put) => {
      const rows = tasksOf(put).map((task) => ({ ...task, waitsFor: task.blockedBy }));
      const [first] = rows;
      if (!first) return "";
      const groups = { ready: rows, claimed: rows, waiting: [], failed: rows };
      const event = { seq: 1, at: 0, task: "t1", by: "agent", via: "x", set: {} } as const;
      const events = [{ ...event, type: "added", actor: put("actor") } as const];
      return [
        await boardText(storeOf(put), groups),
        ...rows.map((row) => taskText(row, { blocks: ["t2"], children: [] }, events, 0)),
      ].join("\n");
    },
  },
  {
    name: "operations that are switched off",
    covers: ["tools/run.ts", "tools/tasks/run.ts"],
    build: (put) => [gated(put("operation")).message, gatedTask(put("operation")).text].join("\n"),
  },
];

/** Files that build text for models out of constants and numbers only, or only hand it on. */
export const WITHOUT_EXTERNAL_TEXT: readonly string[] = [
  "core/model.ts",
  "core/text/model-text.ts",
  "agents/common/waymark-tool.ts",
  "agents/common/hooks/events.ts",
  "servers/board/apply-change.ts",
  "servers/mcp/app/tool.ts",
  "servers/user-edits.ts",
  "servers/mcp/frames.ts",
  "servers/mcp/introduction.ts",
  "cli/commands/mcp.ts",
  "sdk/langchain.ts",
  "sdk/thread.ts",
  "index.ts",
  "testing/decisions.ts",
  "tracker.ts",
];

function textOf({ content }: ReturnType<typeof planResult>): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The data without the text, which another row covers. */
function dataOf(content: unknown): string {
  const { text: _, notice: __, ...data } = content as Record<string, unknown>;
  return JSON.stringify(data);
}

function todosOf(put: Put): readonly Todo[] {
  const rest = {
    text: put("text"),
    activeText: put("activeText"),
    notes: [put("note")],
    owner: put("owner"),
    phase: put("phase"),
    ref: put("ref"),
    priority: put("priority"),
  };
  return [
    todo("1", { ...rest, status: "in_progress" }),
    todo("2", { ...rest, status: "blocked", blocker: put("blocker") }),
    todo("3", { ...rest, evidence: [put("evidence")] }),
    todo("4", { ...rest, status: "completed" }),
  ];
}

const outcomes = new WeakMap<Put, Outcome>();

/** Made once for each text: many rows show the same outcome. */
function outcomeOf(put: Put): Outcome {
  const outcome = outcomes.get(put) ?? newOutcome(put);
  outcomes.set(put, outcome);
  return outcome;
}

function newOutcome(put: Put): Outcome {
  const todos = todosOf(put);
  const edit = { knownText: put("knownText"), knownStatus: "pending" } as const;
  const before = trackOf(
    todos,
    {},
    {
      unseen: [
        { ...edit, id: "1", status: "pending", set: { text: "x" }, notes: [put("note")] },
        { ...edit, id: "2", added: true },
        { ...edit, id: "9", removed: todo("9") },
        { ...edit, id: "3", set: { priority: "x" } },
      ],
      plan: { ...planOf(put, "approved"), untold: true, untoldComments: 1 },
    },
  );
  return {
    ok: false,
    duplicate: false,
    rejected: listRefusals(put),
    before,
    after: before,
    event: {
      seq: 1,
      key: "k",
      at: 1,
      by: "agent",
      via: "test",
      changes: [
        { type: "todo.moved", id: "1", from: "pending", to: "in_progress" },
        { type: "todo.moved", id: "4", from: "pending", to: "completed" },
      ],
      kept: [{ ...edit, id: "7", added: true }],
    },
  };
}

function planOf(put: Put, state: "approved" | "rejected"): Plan {
  return {
    id: "p1",
    text: put("plan"),
    state,
    at: 1,
    comment: put("comment"),
    comments: [{ text: put("remark"), at: 1, by: "user" }],
  } as Plan;
}

/** Refusals of `decide`, with the text in every field that they name. */
function listRefusals(put: Put): readonly Rejection[] {
  const two = [
    todo("1", { text: `same ${put("text")} one`, phase: put("phase"), status: "in_progress" }),
    todo("2", { text: `same ${put("text")} two`, status: "in_progress", notes: ["n"] }),
  ];
  const gone: Partial<Track> = {
    unseen: [{ id: "9", knownText: "zz gone", knownStatus: "pending", removed: todo("9") }],
  };
  // A refusal lists as many names as fit.
  const one = { todos: two.slice(0, 1) };
  const refuse = (op: Op, rest: Partial<Track> = {}, policy = {}) => {
    const submission = { key: "k", at: 1, by: "agent", via: "t", ops: [op] } as const;
    const decision = decide(
      trackOf(two, {}, rest),
      submission,
      policyFor("agent", PRESETS.external, policy),
    );
    if (decision.ok) throw new Error(`not refused: ${JSON.stringify(op)}`);
    return decision.rejected;
  };
  const unknown = `zz ${put("unknown")}`;
  const text = oneLine(`a ${put("text")}`);
  return [
    ...refuse({ op: "finish", target: { any: unknown } }),
    ...refuse({ op: "finish", target: { text: unknown } }, one),
    ...refuse({ op: "finish", target: { phase: unknown } }, one),
    ...refuse({ op: "finish", target: { ref: unknown } }),
    ...refuse({ op: "finish", target: { any: "zz gone" } }, gone),
    ...refuse({ op: "finish", target: { any: "same" } }),
    ...refuse({ op: "add", unique: true, todos: [{ text }] }, { todos: [todo("1", { text })] }),
    ...refuse({ op: "note", target: { any: "2" }, text: "more" }, {}, { maxNotes: 1 }),
  ];
}

function inputRefusals(put: Put): readonly Rejection[] {
  // Such a key is refused by another name.
  const key = `k ${put("key")}`;
  const found = [checkValue({ [key]: { constructor: 1 } })].filter((each) => each !== undefined);
  for (const { input } of TOOLS.filter(({ id }) => id === "TodoWrite")) {
    for (const sent of [
      { todos: [], [key]: 1 },
      { todos: [{ content: "a", activeForm: "b", status: `s${put("status")}` }] },
    ]) {
      const read = parseInput(input, sent);
      if (!read.ok) found.push(...read.rejected);
    }
  }
  return found;
}

function tasksOf(put: Put): readonly Task[] {
  const rest = {
    subject: put("subject"),
    description: put("description"),
    priority: 2,
    labels: [put("label")],
    blockedBy: ["t2"],
    epoch: 1,
    attempts: 1,
    maxAttempts: 3,
    evidence: [put("proof")],
    reason: put("reason"),
    metadata: { note: put("metadata"), assignee: put("assignee") },
    createdAt: 0,
    updatedAt: 0,
  } as const;
  return [
    {
      ...rest,
      id: "t1",
      status: "claimed",
      owner: put("owner"),
      lapsed: { owner: put("lapsed"), at: 0 },
    },
    { ...rest, id: "t2", status: "failed" },
    { ...rest, id: "t3", status: "open" },
  ];
}

function storeOf(put: Put): TaskStore {
  const tasks = tasksOf(put);
  const counts = { open: 1, claimed: 1, done: 0, failed: 1, cancelled: 0, ready: 1, delayed: 0 };
  return {
    get: (id: string) => tasks.find((task) => task.id === id),
    list: ({ status, owner }: { status?: string; owner?: string } = {}) =>
      tasks.filter((task) => !status || task.status === status).filter(() => owner !== "nobody"),
    ready: () => tasks.filter(({ status }) => status === "open"),
    counts: () => counts,
    now: () => 0,
    apply: () => ({ ok: false, refused: refusals.alreadyClaimed(tasks[0] as Task, "me") }),
  } as unknown as TaskStore;
}

function taskRefusals(put: Put) {
  const [claimed, failed] = tasksOf(put) as [Task, Task];
  return [
    refusals.notFound(`n ${put("name")}`),
    refusals.noneReady(put("label")),
    refusals.alreadyClaimed(claimed, "me"),
    refusals.staleEpoch(claimed, 2, put("me"), 0),
    refusals.staleEpoch(claimed, 1, `me ${put("me")}`, 0),
    refusals.closed(failed),
    refusals.notClosed(claimed),
    refusals.conflict(claimed, "subject"),
    refusals.notClaimed(claimed, "renewed"),
    refusals.blockedBy(claimed, ["t2", `b ${put("blocker")}`]),
    refusals.cycleOf(["t1", `c ${put("cycle")}`], "blockers"),
    refusals.keyUsed(put("key"), undefined),
    refusals.unproven({ ...claimed, check: put("check") }),
    refusals.checkFixed({ ...claimed, check: put("fixed check") }),
  ];
}

function taskCalls(): readonly (readonly [string, unknown])[] {
  return [
    ["tasks", {}],
    ["tasks", { show: "t1" }],
    ["tasks", { show: "t2" }],
    ["tasks", { find: "claimed" }],
    ["tasks", { claim: "t1" }],
    ["TaskGet", { taskId: "t1" }],
    ["TaskGet", { taskId: "t3" }],
    ["TaskList", {}],
    ["TaskUpdate", { taskId: "t1" }],
    ["TaskUpdate", { taskId: "t3", status: "completed" }],
  ];
}

async function runTask(name: string, input: unknown, put: Put) {
  const tool = TASK_TOOLS.find(({ id }) => id === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const store = storeOf(put);
  return runTaskTool(tool, input, {
    agent: { owner: "me", claims: new Map(), store: () => store },
  });
}
