import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decoder, DecoderState, Source } from "../../src/agents/agent.ts";
import { codex } from "../../src/agents/codex/decoder.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import type { StreamEvent, StreamItem } from "../../src/core/stream/events.ts";
import { sized } from "../full.ts";
import { needleProperty } from "./decoder-properties.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/codex");
const CASES = readdirSync(FIXTURES).flatMap((era) =>
  readdirSync(join(FIXTURES, era)).map((file) => `${era}/${file.replace(".jsonl", "")}`),
);
const THREAD = "019f2a10-77aa-7c10-8a55-0c1d2e3f4a5b";
const CHILD = "019f2a10-79bb-7d20-9b66-1d2e3f4a5b6c";
const TURN = "019f2a10-7801-7e30-8c77-2e3f4a5b6c7d";
const decoder = codex as unknown as Decoder;
const NOW = 1_700_000_000_000;

function linesOf(name: string): string[] {
  return readFileSync(join(FIXTURES, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
}

function sourceOf(name: string): Source {
  return { kind: name.startsWith("rollout") ? "file" : "stream" };
}

function readLines(lines: readonly string[], source: Source) {
  const reader = openReader(decoder, source, { now: () => NOW });
  const events = lines.flatMap((line, index) => reader.line(line, index + 1));
  return [...events, ...reader.end()];
}

function read(name: string): readonly StreamEvent[] {
  return readLines(linesOf(name), sourceOf(name));
}

const brief = (items: readonly StreamItem[]) => items.map((item) => `${item.status} ${item.text}`);

/** The summary of a recording: counts, tools with their result, the final list. */
function summary(events: readonly StreamEvent[]) {
  const warned = (code: string) =>
    events.filter((event) => event.type === "warning" && event.code === code).length;
  const lists = events.filter((event) => event.type === "todo_list");
  return {
    lists: lists.length,
    rejected: warned("list_rejected"),
    unknown: warned("list_unknown"),
    bad: warned("bad_item"),
    tools: events.flatMap((event) =>
      event.type === "tool.completed" || event.type === "tool.failed"
        ? [`${event.name} ${event.type === "tool.failed" ? "failed" : "done"}`]
        : [],
    ),
    turns: events.flatMap((event) => (event.type.startsWith("turn.") ? [event.type.slice(5)] : [])),
    final: Object.fromEntries(lists.map((event) => [event.agentId, brief(event.items)])),
  };
}

const DONE = ["completed Find the slow query", "completed Add the index"];
const ACTIVE = ["in_progress Find the slow query"];
const none = { lists: 0, rejected: 0, unknown: 0, bad: 0, tools: [], turns: [], final: {} };
const full = ["started", "completed"];

const EXPECTED: Record<string, Partial<ReturnType<typeof summary>>> = {
  "exec/simple": { lists: 3, tools: ["exec_command done"], turns: full, final: { main: DONE } },
  "exec/resumed": {
    lists: 4,
    tools: ["exec_command failed"],
    turns: [...full, ...full],
    final: { main: [] },
  },
  "exec/interrupted": {
    lists: 1,
    turns: ["started", "cancelled"],
    final: { main: ["pending Find the slow query", "pending Add the index"] },
  },
  "exec/terminated": {
    lists: 1,
    turns: ["started", "cancelled"],
    final: { main: ["pending Find the slow query", "pending Add the index"] },
  },
  "exec/failed": {
    lists: 1,
    turns: ["started", "failed"],
    final: { main: ["pending Find the slow query"] },
  },
  "exec/cut": { turns: ["started", "failed"] },
  "exec/malformed": { lists: 3, bad: 2, turns: full, final: { main: ["completed Kept"] } },
  "exec/waymark": {
    lists: 2,
    rejected: 1,
    unknown: 1,
    tools: ["mcp__demo__todos done"],
    turns: full,
    final: {
      main: ["completed Find the slow query", "in_progress Add the index", "pending Write it up"],
    },
  },
  "exec/subagent": {
    lists: 2,
    tools: ["spawn_agent done", "wait done", "apply_patch done"],
    turns: full,
    final: { main: ["completed Find the slow query"] },
  },
  "rollout/simple": {
    lists: 3,
    tools: ["exec_command failed"],
    turns: [...full, ...full],
    final: { main: DONE },
  },
  "rollout/malformed": {
    lists: 3,
    rejected: 4,
    bad: 1,
    turns: full,
    final: { main: ["completed Last"] },
  },
  "rollout/resumed": {
    lists: 2,
    tools: ["exec_command done"],
    turns: [...full, ...full],
    final: { main: ["completed Find the slow query"] },
  },
  "rollout/disabled": { rejected: 1, turns: full },
  "rollout/out-of-order": {
    lists: 2,
    tools: ["exec_command done"],
    turns: ["started"],
    final: { main: ["pending First"] },
  },
  "rollout/interrupted": {
    lists: 1,
    tools: ["exec_command failed"],
    turns: ["started", "cancelled"],
    final: { main: ACTIVE },
  },
  "rollout/failed": { lists: 1, turns: ["started", "failed"], final: { main: ACTIVE } },
  "rollout/compacted": { lists: 1, turns: full, final: { main: ACTIVE } },
  "rollout/plan-mode": {
    lists: 1,
    rejected: 1,
    turns: [...full, ...full],
    final: { main: ACTIVE },
  },
  "rollout/plan-block": { turns: full },
  "rollout/code-mode": {
    lists: 5,
    rejected: 2,
    unknown: 3,
    tools: ["exec_command done", "wait done", "exec done"],
    turns: full,
    final: { main: ["in_progress Find the slow query", "pending Add the index"] },
  },
  "rollout/waymark": {
    lists: 1,
    rejected: 1,
    tools: ["mcp__demo__add done"],
    turns: full,
    final: { main: ["in_progress Find the slow query", "pending Add the index"] },
  },
  "rollout/subagent": {
    lists: 1,
    turns: full,
    final: { [CHILD]: ["in_progress Read them"] },
  },
  // The plan and the turn of the parent, which its file repeats, are not its own.
  "rollout/subagent-forked": {
    lists: 1,
    turns: full,
    final: { [CHILD]: ["in_progress Read them"] },
  },
  "rollout-0.80/simple": {
    lists: 2,
    tools: ["shell_command failed", "shell done"],
    turns: ["started", "started"],
    final: { main: ["in_progress Find the slow query", "pending Add the index"] },
  },
  "app-server/turns": {
    lists: 3,
    tools: ["exec_command done"],
    turns: ["started", "cancelled", "started", "failed"],
    final: { main: [] },
  },
  "app-server/subagent": {
    lists: 4,
    tools: ["spawnAgent done"],
    turns: ["started", "started", "completed", "completed"],
    final: { main: ["completed Find the slow query"], [CHILD]: ["completed Read them"] },
  },
  "app-server/plan-mode": { turns: full },
};

describe("recordings", () => {
  it("all have an expectation", () => {
    expect(Object.keys(EXPECTED).sort()).toEqual([...CASES].sort());
  });

  it.each(CASES)("%s", (name) => {
    const events = read(name);
    expect(summary(events)).toEqual({ ...none, ...EXPECTED[name] });
    const ids = events.map((event) => event.eventId);
    expect(new Set(ids).size).toBe(ids.length);
    const tools = events.flatMap((event) => (event.type === "tool.started" ? [event.name] : []));
    expect(tools).not.toContain("update_plan");
    expect(tools).not.toContain("mcp__waymark__todos");
  });

  needleProperty(
    decoder,
    CASES.map((name) => ({ name, source: sourceOf(name), lines: linesOf(name) })),
  );

  it.each(CASES)("%s is recognized as Codex by every line", (name) => {
    for (const line of linesOf(name)) {
      const record = JSON.parse(line);
      const { method } = record.msg ?? record;
      const expected = method === "initialize" || method === "error" ? 0 : undefined;
      const sniffed = codex.score(record);
      if (expected === undefined) expect(sniffed, line).toBeGreaterThan(0);
      else expect(sniffed, line).toBe(expected);
    }
  });
});

const about = (type: string, key: string, timestamp = NOW, agentId = "main") => ({
  eventId: `${THREAD}:${agentId}:${type}:${key}`,
  sessionId: THREAD,
  agentId,
  agentType: "codex",
  timestamp,
});

describe("complete events", () => {
  it("of codex exec --json", () => {
    expect(read("exec/failed")).toEqual([
      { type: "session.started", ...about("session.started", "started") },
      { type: "turn.started", ...about("turn.started", "2.0") },
      {
        type: "todo_list",
        todoId: "item_0",
        items: [{ text: "Find the slow query", status: "pending" }],
        ...about("todo_list", "item_0.1"),
      },
      {
        type: "turn.failed",
        message: "the model is overloaded",
        ...about("turn.failed", "7.0"),
      },
    ]);
  });

  it("of a subagent's session file", () => {
    const at = (ms: number) => Date.parse("2026-11-15T18:34:15.000Z") + ms;
    expect(read("rollout/subagent")).toEqual([
      {
        type: "session.started",
        cwd: "/home/dev/demo",
        version: "0.166.0",
        parentId: "main",
        name: "Noether",
        model: "gpt-5.5",
        ...about("session.started", "started", at(40), CHILD),
      },
      {
        type: "turn.started",
        prompt: "Check the docs",
        ...about("turn.started", "019f2a10-7902-7e30-8c77-3e3f4a5b6c7d", at(80), CHILD),
      },
      {
        type: "todo_list",
        todoId: `${THREAD}-${CHILD}`,
        items: [{ text: "Read them", status: "in_progress" }],
        ...about("todo_list", "019f2a10-7902-7e30-8c77-3e3f4a5b6c7d.call_1", at(100), CHILD),
      },
      {
        type: "turn.completed",
        ...about("turn.completed", "019f2a10-7902-7e30-8c77-3e3f4a5b6c7d", at(110), CHILD),
      },
    ]);
  });

  it("of a plan over app-server", () => {
    const events = read("app-server/plan-mode").map(({ timestamp: _, ...event }) => event);
    const plain = (type: string, key: string) => {
      const { timestamp: _, ...base } = about(type, key);
      return base;
    };
    expect(events).toEqual([
      {
        type: "session.started",
        cwd: "/home/dev/demo",
        version: "0.166.0",
        model: "gpt-5.5",
        ...plain("session.started", "started"),
      },
      { type: "mode.changed", mode: "plan", ...plain("mode.changed", "6.0") },
      { type: "turn.started", prompt: "Speed it up", ...plain("turn.started", TURN) },
      {
        type: "plan.delta",
        planId: `${TURN}-plan`,
        delta: "# Fas",
        ...plain("plan.delta", "11.0"),
      },
      {
        type: "plan.delta",
        planId: `${TURN}-plan`,
        delta: "ter\n",
        ...plain("plan.delta", "12.0"),
      },
      {
        type: "plan.proposed",
        planId: `${TURN}-plan`,
        text: "# Faster",
        ...plain("plan.proposed", `${TURN}-plan`),
      },
      {
        type: "message",
        role: "assistant",
        text: "My proposal.",
        ...plain("message", `${TURN}.msg_2`),
      },
      { type: "turn.completed", ...plain("turn.completed", TURN) },
      { type: "mode.changed", mode: "work", ...plain("mode.changed", "16.0") },
    ]);
  });
});

describe("details", () => {
  it("keeps statuses in the agent's spelling and the explanation", () => {
    const lists = read("app-server/turns").filter((event) => event.type === "todo_list");
    expect(lists.map(({ items, explanation }) => ({ items, explanation }))).toEqual([
      {
        items: [
          { text: "Find the slow query", status: "in_progress", raw: "inProgress" },
          { text: "Add the index", status: "pending" },
        ],
        explanation: "Start with the query",
      },
      {
        items: [
          { text: "Find the slow query", status: "completed" },
          { text: "Add the index", status: "in_progress", raw: "inProgress" },
        ],
        explanation: undefined,
      },
      { items: [], explanation: undefined },
    ]);
  });

  it("reports why a plan was refused, in at most 200 characters", () => {
    const messages = ["rollout/malformed", "rollout/disabled", "rollout/plan-mode"].flatMap(
      (name) =>
        read(name).flatMap((event) =>
          event.type === "warning" && event.code === "list_rejected" ? [event.message] : [],
        ),
    );
    expect(messages.map((message) => message.slice(0, 60))).toEqual([
      "failed to parse function arguments: key must be a string at ",
      "failed to parse function arguments: missing field `status`",
      "failed to parse function arguments: unknown variant `done` x",
      "Plan updated.",
      "unsupported call: update_plan",
      "update_plan is not a tool for Plan mode",
    ]);
    expect(Math.max(...messages.map((message) => message.length))).toBe(200);
  });

  it("reads a plan from an item or from the message, once", () => {
    const plans = ["rollout/plan-mode", "rollout/plan-block"].map((name) =>
      read(name).flatMap((event) =>
        event.type === "plan.proposed"
          ? [[event.planId, event.text]]
          : event.type === "mode.changed"
            ? [event.mode]
            : [],
      ),
    );
    const plan = [`${TURN}-plan`, "# Faster\n\n- Find it"];
    expect(plans).toEqual([
      ["plan", plan, "work"],
      ["plan", plan],
    ]);
  });

  it("uses new keys for a resumed run", () => {
    const keys = read("exec/resumed").flatMap((event) =>
      event.type === "todo_list" || event.type === "tool.failed"
        ? [event.eventId.split(":").at(-1)]
        : [],
    );
    expect(keys).toEqual(["item_0.1", "2.item_0.1", "2.item_1", "2.item_0.2", "2.item_0.3"]);
  });

  it("announces subagents with their parent", () => {
    const started = ["exec/subagent", "app-server/subagent"].map((name) =>
      read(name).flatMap((event) =>
        event.type === "session.started"
          ? [{ agent: event.agentId, session: event.sessionId, parent: event.parentId }]
          : [],
      ),
    );
    const both = [
      { agent: "main", session: THREAD, parent: undefined },
      { agent: CHILD, session: THREAD, parent: "main" },
    ];
    expect(started).toEqual([both, both]);
  });

  it("keeps a bounded number of pending calls", () => {
    const reader = openReader(decoder, { kind: "file" }, { now: () => NOW });
    for (let call = 0; call < 3_000; call++)
      reader.record(
        {
          type: "response_item",
          payload: {
            type: "function_call",
            name: "update_plan",
            arguments: "{}",
            call_id: `c${call}`,
          },
        },
        call + 1,
      );
    expect(Object.keys((reader.state as unknown as { open: object }).open)).toHaveLength(1_000);
  });

  it("does not claim records of other agents", () => {
    const others = [
      null,
      [],
      "text",
      { type: "system", subtype: "init", session_id: "x" },
      { type: "assistant", message: { content: [] }, session_id: "x" },
      { jsonrpc: "2.0", method: "session/update", params: { sessionId: "x" } },
      { type: "tool_use", sessionID: "x", part: {} },
      { type: "message", id: "1", timestamp: "2026-01-01", payload: {} },
    ];
    expect(others.map((record) => codex.score(record))).toEqual(others.map(() => 0));
  });
});

describe("locations", () => {
  const machine = (env: Record<string, string>) => ({
    home: "/home/dev",
    platform: "linux" as const,
    env,
    join: (...parts: string[]) => parts.join("/"),
  });
  const roots = (env: Record<string, string>) =>
    codex.locations?.(machine(env)).map(({ root }) => root);

  it("are below the home of Codex", () => {
    expect(roots({})).toEqual(["/home/dev/.codex/sessions", "/home/dev/.codex/archived_sessions"]);
    expect(roots({ CODEX_HOME: "/data/cx" })).toEqual([
      "/data/cx/sessions",
      "/data/cx/archived_sessions",
    ]);
  });

  it("accept session files only", () => {
    const [location] = codex.locations?.(machine({})) ?? [];
    const name = `rollout-2026-11-15T18-34-15-${THREAD}.jsonl`;
    expect([
      location?.accept(["2026", "11", "15", name]),
      location?.accept([name]),
      location?.accept(["2026", "11", "15", "notes.jsonl"]),
      location?.accept(["2026", "11", "15", `${name}.zst`]),
      location?.accept([]),
    ]).toEqual([{ session: THREAD }, { session: THREAD }, undefined, undefined, undefined]);
  });
});

/** Replaces one value of a record by an invalid one. */
const wrong = fc.oneof(
  fc.constantFrom(null, true, -1, 1e99, "", "x", "__proto__", [], {}, [null], { type: {} }),
  fc.string(),
  fc.jsonValue(),
);

function mutate(
  value: unknown,
  path: readonly number[],
  replacement: unknown,
  how: number,
): unknown {
  if (typeof value !== "object" || value === null || path.length === 0) {
    if (how === 1 && typeof value === "string") return value.slice(0, value.length >> 1);
    return replacement;
  }
  const [first = 0, ...rest] = path;
  const keys = Object.keys(value);
  if (keys.length === 0) return replacement;
  const key = keys[first % keys.length] ?? "";
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...value };
  if (how === 2 && rest.length === 0) delete (copy as Record<string, unknown>)[key];
  else
    (copy as Record<string, unknown>)[key] = mutate(
      (value as Record<string, unknown>)[key],
      rest,
      replacement,
      how,
    );
  return copy;
}

describe("properties", () => {
  it("never throws on malformed records, and its state stays plain data", () => {
    const all = CASES.map((name) => ({ name, records: linesOf(name).map((l) => JSON.parse(l)) }));
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.array(
          fc.record({
            at: fc.nat(),
            path: fc.array(fc.nat(20), { maxLength: 5 }),
            how: fc.nat(3),
            value: wrong,
          }),
          { minLength: 1, maxLength: 6 },
        ),
        ({ name, records }, changes) => {
          const changed: unknown[] = [...records];
          for (const { at, path, how, value } of changes) {
            const index = at % changed.length;
            if (how === 3) changed.splice(index, 0, changed[index]);
            else changed[index] = mutate(changed[index], path, value, how);
          }
          const state = codex.start(sourceOf(name));
          for (const record of changed) codex.read(state, record, () => {});
          codex.end?.(state, () => {});
          expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        },
      ),
      { numRuns: sized(500, 5_000) },
    );
  });

  it.each(CASES)("%s reads the same when it is interrupted after any line", (name) => {
    const lines = linesOf(name);
    const whole = read(name);
    for (let stop = 0; stop <= lines.length; stop++) {
      let state: DecoderState | undefined;
      const events: StreamEvent[] = [];
      lines.forEach((line, index) => {
        if (index === stop && state) state = JSON.parse(JSON.stringify(state)) as DecoderState;
        const reader = openReader(decoder, sourceOf(name), {
          now: () => NOW,
          ...(state && { state }),
        });
        events.push(...reader.line(line, index + 1));
        state = reader.state;
      });
      const last = openReader(decoder, sourceOf(name), { now: () => NOW, ...(state && { state }) });
      events.push(...last.end());
      expect(events.map(({ eventId }) => eventId).slice(0, -1)).toEqual(
        whole.map(({ eventId }) => eventId).slice(0, -1),
      );
      expect(events).toHaveLength(whole.length);
    }
  });
});
