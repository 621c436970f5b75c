import { posix, win32 } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine, Source } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { row as cursor } from "../../src/agents/cursor/row.ts";
import { decoderOf } from "../../src/agents/table/decoder.ts";
import { TABLE } from "../../src/agents/table/table.ts";
import { row as vscode } from "../../src/agents/vscode/row.ts";
import { row as zed } from "../../src/agents/zed/row.ts";
import type { StreamItem } from "../../src/core/stream/events.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  type Recording,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

/** The rows of the table, and those of agents with a folder. */
const ROWS = [vscode, cursor, ...TABLE, zed];

function decoder(id: string) {
  const found = ROWS.map(decoderOf).find((known) => known.id === id);
  if (!found) throw new Error(`no row ${id}`);
  return found;
}

/** Reads a document as one record, even if it spans several lines. */
function document(path: string, source: Omit<Source, "kind"> = {}): Recording {
  const lines = [JSON.stringify(JSON.parse(fixture(path)))];
  return { name: path, source: { kind: "document", session: "s1", ...source }, lines };
}

const stream = (path: string) => recording(path, { kind: "stream" });
const file = (path: string) => recording(path, { kind: "file" });

interface Case {
  readonly id: string;
  readonly given: Recording;
  readonly lists: number;
  readonly rejected: readonly string[];
  readonly other: readonly string[];
  readonly last: readonly StreamItem[] | undefined;
  readonly tools: readonly string[];
}

const READ = "Read the report";
const WRITE = "Write the export";
const TELL = "Tell the team";
const shell = (name: string) => [`tool.started ${name}`, `tool.completed ${name}`];

const CASES: readonly Case[] = [
  {
    id: "copilot-vscode",
    given: document("rows/copilot-vscode/session.json"),
    lists: 2,
    rejected: [],
    other: [],
    last: [
      { text: READ, status: "completed", id: "1" },
      { text: WRITE, status: "in_progress", raw: "in-progress", id: "2" },
    ],
    tools: shell("run_in_terminal"),
  },
  {
    id: "cursor",
    given: stream("rows/cursor/stream.jsonl"),
    lists: 2,
    rejected: ["too few todos"],
    other: [],
    last: [
      { text: READ, status: "completed", id: "a" },
      { text: WRITE, status: "pending", raw: "TODO_STATUS_PENDING", id: "b" },
      { text: TELL, status: "cancelled", id: "c" },
    ],
    tools: [
      "tool.started shellToolCall",
      "tool.completed shellToolCall 0",
      "tool.started readToolCall",
      "tool.failed readToolCall",
    ],
  },
  {
    id: "grok",
    given: stream("rows/grok/messages.jsonl"),
    // The third call has the same name but the shape of another agent.
    lists: 2,
    rejected: [],
    other: [],
    last: [
      { text: READ, status: "completed", id: "a" },
      { text: WRITE, status: "pending", id: "b" },
      { text: TELL, status: "cancelled", id: "c" },
    ],
    tools: [],
  },
  {
    id: "roo",
    given: document("rows/roo/api_conversation_history.json"),
    lists: 1,
    rejected: ["The user denied this operation.", "missing todos"],
    other: [],
    last: [
      { text: READ, status: "completed" },
      { text: WRITE, status: "in_progress", raw: "[-]" },
      { text: TELL, status: "in_progress", raw: "[~]" },
      { text: "Rest", status: "pending" },
    ],
    tools: shell("execute_command"),
  },
  {
    id: "roo",
    given: document("rows/roo/ui_messages.json"),
    lists: 2,
    rejected: [],
    other: [],
    last: [{ text: "Read it twice", status: "completed" }],
    tools: [],
  },
  {
    id: "goose",
    given: file("rows/goose/session.jsonl"),
    lists: 2,
    rejected: ["too long"],
    other: ["list_unknown"],
    last: [],
    tools: shell("developer__shell"),
  },
  {
    id: "goose",
    given: stream("rows/goose/stream.jsonl"),
    lists: 1,
    rejected: [],
    other: [],
    last: [{ text: READ, status: "pending" }],
    tools: [],
  },
  {
    id: "kiro",
    given: stream("rows/kiro/history.jsonl"),
    lists: 5,
    rejected: ["duplicate indices"],
    other: ["list_unknown"],
    last: [
      { text: TELL, status: "pending" },
      { text: WRITE, status: "completed" },
    ],
    tools: [],
  },
  {
    id: "kiro",
    given: document("rows/kiro/list.json"),
    lists: 1,
    rejected: [],
    other: [],
    last: [
      { text: READ, status: "completed" },
      { text: WRITE, status: "pending" },
    ],
    tools: [],
  },
  {
    id: "droid",
    given: file("rows/droid/session.jsonl"),
    // Accepted calls have records of their own, which count.
    lists: 3,
    rejected: [
      "Error: Tool TodoWrite is registered but is not available for the active model or session.",
    ],
    other: [],
    last: [
      { text: READ, status: "completed" },
      { text: WRITE, status: "pending" },
    ],
    tools: shell("Execute"),
  },
  {
    id: "droid",
    given: stream("rows/droid/stream.jsonl"),
    lists: 0,
    rejected: ["Error: Tool TodoWrite is registered but is not available"],
    other: [],
    last: undefined,
    tools: shell("Execute"),
  },
  {
    id: "crush",
    given: stream("rows/crush/messages.jsonl"),
    lists: 2,
    rejected: ["invalid status: bad"],
    other: [],
    last: [{ text: READ, status: "completed", activeText: "Reading the report" }],
    tools: shell("bash"),
  },
  {
    id: "openhands",
    given: stream("rows/openhands/events.jsonl"),
    lists: 2,
    rejected: ["bad arguments"],
    other: [],
    last: [{ text: READ, status: "completed", raw: "done", id: "t1" }],
    tools: shell("terminal"),
  },
  {
    id: "zed",
    given: stream("rows/zed/thread.jsonl"),
    lists: 2,
    rejected: ["missing steps"],
    other: [],
    last: [{ text: READ, status: "completed" }],
    tools: ["tool.started terminal", "tool.failed terminal"],
  },
];

describe.each(ROWS.map(({ id }) => id))("%s", (id) => {
  const cases = CASES.filter((known) => known.id === id);
  decoderProperties(
    decoder(id),
    cases.map(({ given }) => given),
  );

  test.each(cases)("$given.name", ({ given, lists, rejected, other, last, tools: calls }) => {
    const events = decode(decoder(id), given);
    expect({ ...summary(events), tools: tools(events) }).toEqual({
      lists,
      rejected,
      other,
      last: last ? { main: last } : {},
      tools: calls,
    });
    expect(new Set(events.map(({ agentType }) => agentType))).toEqual(new Set([id]));
  });

  test("distinguishes its records from those of all other rows", () => {
    for (const { given } of cases) {
      const sure = (other: string) =>
        Math.max(...given.lines.map((line) => decoder(other).score(JSON.parse(line))));
      expect(sure(id)).toBeGreaterThan(0);
      const others = ROWS.map((row) => row.id).filter((other) => other !== id);
      expect(others.filter((other) => sure(other) >= sure(id))).toEqual([]);
    }
  });
});

describe("the table", () => {
  test("reads session, turn and end", () => {
    const types = (id: string, path: string) =>
      decode(decoder(id), stream(path))
        .filter(({ type }) => /^(?:session|turn)\./.test(type))
        .map(({ type }) => type);
    expect(types("cursor", "rows/cursor/stream.jsonl")).toEqual([
      "session.started",
      "turn.started",
      "turn.completed",
    ]);
    expect(types("droid", "rows/droid/session.jsonl")).toEqual([
      "session.started",
      "turn.started",
      "turn.completed",
    ]);
  });

  test("reads headings of a checklist as phases and the title of a plan as its explanation", () => {
    const goose = only(decode(decoder("goose"), file("rows/goose/session.jsonl")), "todo_list");
    expect(goose[0]?.items).toEqual([
      { text: READ, status: "completed", phase: "Plan" },
      { text: "Its tables", status: "pending", phase: "Plan" },
      { text: WRITE, status: "pending", phase: "Plan" },
    ]);
    const zed = only(decode(decoder("zed"), stream("rows/zed/thread.jsonl")), "todo_list");
    expect(zed.map(({ explanation }) => explanation)).toEqual(["Export", undefined]);
  });

  test("marks a list that was assembled from changes", () => {
    const stepwise = (id: string, path: string) =>
      only(decode(decoder(id), stream(path)), "todo_list").map((event) => event.stepwise === true);
    expect(stepwise("cursor", "rows/cursor/stream.jsonl")).toEqual([false, true]);
    expect(stepwise("grok", "rows/grok/messages.jsonl")).toEqual([false, true]);
    expect(stepwise("kiro", "rows/kiro/history.jsonl")).toEqual([false, false, true, true, true]);
  });

  test("emits only new lists of a document that is read again", () => {
    for (const path of [
      "rows/copilot-vscode/session.json",
      "rows/roo/ui_messages.json",
      "rows/roo/api_conversation_history.json",
      "rows/kiro/list.json",
    ]) {
      const [, id = ""] = path.split("/");
      const reader = openReader(decoder(id), { kind: "document", session: "s1" }, { now: () => 0 });
      const value = JSON.parse(fixture(path));
      expect(reader.record(value, 1).length).toBeGreaterThan(0);
      expect([path, reader.record(value, 1)]).toEqual([path, []]);
    }
    const reader = openReader(
      decoder("kiro"),
      { kind: "document", session: "s1" },
      { now: () => 0 },
    );
    const first = JSON.parse(fixture("rows/kiro/list.json"));
    const ids = [first, { ...first, tasks: [] }, first].flatMap((value) =>
      reader.record(value, 1).map(({ eventId }) => eventId),
    );
    expect(new Set(ids).size).toBe(3);
  });

  test("supports a new agent by a new row", () => {
    const heron = decoderOf({
      id: "heron",
      name: "Heron",
      code: "hn",
      basis: "made up",
      format: "anthropic",
      tools: ["jot"],
      list: { args: "plan.rows", kind: "items", item: { text: ["what"], status: ["state"] } },
    });
    const lines = [
      {
        role: "assistant",
        content: [
          {
            type: "tool_use",
            id: "1",
            name: "mcp__pad__jot",
            input: { plan: { rows: [{ what: "Fly", state: "done" }] } },
          },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "ok" }] },
    ].map((record) => JSON.stringify(record));
    expect(summary(decode(heron, { name: "", source: { kind: "stream" }, lines })).last).toEqual({
      main: [{ text: "Fly", status: "completed", raw: "done" }],
    });
  });

  test("locations on the three platforms", () => {
    const machine = (platform: Machine["platform"], env: Machine["env"] = {}): Machine => ({
      home: platform === "win32" ? "C:\\Users\\ann" : "/home/ann",
      platform,
      env,
      join: platform === "win32" ? win32.join : posix.join,
    });
    const roots = (id: string, ...given: Parameters<typeof machine>) =>
      decoder(id)
        .locations?.(machine(...given))
        .map(({ root }) => root);
    expect(roots("roo", "linux")).toEqual([
      "/home/ann/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
    ]);
    expect(roots("roo", "darwin")?.[0]).toMatch("/home/ann/Library/Application Support/Code/User/");
    expect(roots("roo", "win32", { APPDATA: "D:\\roaming" })?.[0]).toMatch(
      "D:\\roaming\\Code\\User\\",
    );
    expect(roots("goose", "linux", { XDG_DATA_HOME: "/data" })).toEqual(["/data/goose/sessions"]);
    const accept = (id: string, which: number, ...path: string[]) =>
      decoder(id).locations?.(machine("linux"))[which]?.accept(path);
    expect(accept("copilot-vscode", 0, "ab", "chatSessions", "c-1.json")).toEqual({
      session: "c-1",
    });
  });
});
