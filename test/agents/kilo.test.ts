import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { openReader } from "../../src/agents/common/reader.ts";
import { detectAgent } from "../../src/agents/index.ts";
import { kilo } from "../../src/agents/kilo/decoder.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const SESSION = "ses_e16ee6bfeffeZzwXnmMQbg4p5O";
const run = recording("kilo/7.7/run.jsonl", { kind: "stream" });

describe("Kilo Code", () => {
  decoderProperties(kilo, [run]);

  test("run: keeps free statuses, ignores a refused write, clears an emptied list", () => {
    const events = decode(kilo, run);
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: ["The todowrite tool was called with invalid arguments"],
      other: [],
      last: { main: [{ text: "Tell the team", status: "completed", priority: "medium" }] },
    });
    expect(only(events, "todo_list")[0]).toMatchObject({
      sessionId: SESSION,
      agentType: "kilo",
      items: [{ status: "in_progress" }, { status: "pending", raw: "someday" }],
    });
    expect(tools(events)).toEqual(["tool.started bash", "tool.completed bash 0"]);
    expect(only(events, "usage")).toHaveLength(5);
    expect(only(events, "turn.completed")).toHaveLength(1);
  });

  test("database: the rows of its own database", () => {
    const rows = JSON.parse(fixture("kilo/7.7/rows.json"));
    const { queries, records } = kilo.database ?? {};
    expect(Object.keys(queries ?? {})).toContain("todos");
    const reader = openReader(kilo, { kind: "document" }, { now: () => 5 });
    const events = (records?.({ sessions: rows.session, todos: rows.todo }) ?? []).flatMap(
      (record, index) => reader.record(record, index + 1),
    );
    expect(only(events, "session.started")).toEqual([
      expect.objectContaining({ agentType: "kilo", cwd: "/home/ann/shop", version: "7.7.9" }),
    ]);
    expect(summary(events).last).toEqual({
      main: [{ text: "Tell the team", status: "completed", priority: "medium" }],
    });
  });

  test("live output looks like opencode's, which wins without --from", () => {
    const records = run.lines.map((line) => JSON.parse(line));
    expect(detectAgent(records)?.decoder.id).toBe("opencode");
    expect(new Set(records.map(kilo.score))).toEqual(new Set([1]));
    expect(kilo.score({ type: "assistant" })).toBe(0);
  });

  test("locations: the database in the XDG directory", () => {
    const at = (env: Record<string, string>) =>
      kilo.locations?.({ home: "/home/ann", platform: "linux", env, join: posix.join }) ?? [];
    const [database] = at({});
    expect(database?.root).toBe("/home/ann/.local/share/kilo");
    expect(database?.accept(["kilo.db"])).toEqual({});
    expect(database?.accept(["kilo-beta.db"])).toEqual({});
    expect(database?.accept(["kilo.db-wal"])).toBeUndefined();
    expect(database?.accept(["opencode.db"])).toBeUndefined();
    expect(at({ XDG_DATA_HOME: "/data" })[0]?.root).toBe("/data/kilo");
  });
});
