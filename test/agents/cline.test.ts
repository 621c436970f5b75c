import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { cline } from "../../src/agents/cline/decoder.ts";
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

const SESSION = "1795000000000_ab1cd";

/** The documents of a session, which are read together. */
function documents(name: string, ...paths: string[]): Recording {
  const lines = paths.map((path) => JSON.stringify(JSON.parse(fixture(path))));
  return { name, source: { kind: "document", session: SESSION }, lines };
}

const team = documents(
  "session",
  "cline/3.0/session.json",
  "cline/3.0/messages.json",
  "cline/3.0/scout.messages.json",
);
const stream = recording("cline/3.0/stream.jsonl", { kind: "stream" });
const extension = documents("extension", "rows/cline/ui_messages.json");

const READ = { text: "Read the report", status: "completed", id: "task_0001", owner: "scout" };

describe("Cline", () => {
  decoderProperties(cline, [team, stream, extension]);

  test("reads the task board of the lead and its teammates", () => {
    const events = decode(cline, team);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: [
        'Field "description" is required when action=create',
        "Tool call team_task emitted invalid JSON arguments",
      ].map((message) => expect.stringContaining(message)),
      other: [],
      last: {
        main: [
          READ,
          {
            text: "Write the export",
            status: "blocked",
            id: "task_0002",
            blockedBy: ["task_0001"],
            blocker: "No access",
          },
        ],
      },
    });
    expect(tools(events)).toEqual([
      "tool.started run_commands",
      "tool.failed run_commands",
      "tool.started team_run_task",
      "tool.completed team_run_task",
    ]);
    expect(only(events, "session.started")).toMatchObject([
      { cwd: "/home/ann/shop", model: "mock", title: "Add the export", version: "3.0.65" },
      { agentId: "scout", parentId: "main", cwd: "/home/ann/shop" },
    ]);
    expect(only(events, "turn.started")[0]?.prompt).toBe("Add the export");
    expect(only(events, "session.ended")).toHaveLength(1);
  });

  test("a list is unknown if a compaction removed the call that created a task", () => {
    const [record = "", main = "", scout = ""] = team.lines;
    const given = JSON.parse(main);
    const messages = given.messages.filter(
      (_: unknown, index: number) => index !== 1 && index !== 2,
    );
    const cut = JSON.stringify({ ...given, messages });
    // Only the teammate mentions the other task, whose messages never have titles.
    const events = decode(cline, { ...team, lines: [record, cut, scout] });
    expect(only(events, "todo_list")).toHaveLength(1);
    const alone = decode(cline, { ...team, lines: [scout] });
    expect(summary(alone)).toEqual({ lists: 0, rejected: [], other: [], last: {} });
    const block = JSON.parse(main);
    block.messages = block.messages.filter((message: { ts: number }) => message.ts > 1795000005000);
    expect(summary(decode(cline, { ...team, lines: [JSON.stringify(block)] })).other).toEqual([
      "list_unknown",
    ]);
  });

  test("live output: whole tasks, refused calls, teammates", () => {
    const events = decode(cline, stream);
    expect(summary(events)).toEqual({
      lists: 4,
      rejected: ['Task "task_0009" was not found'],
      other: [],
      last: { main: [{ text: "Read the report", status: "in_progress", id: "task_0001" }] },
    });
    expect(only(events, "todo_list")[2]?.items).toEqual([
      { ...READ, status: "blocked", blocker: "No access" },
    ]);
    expect(tools(events)).toEqual([
      "tool.started read_files",
      "tool.completed read_files",
      "tool.started run_commands",
      "tool.completed run_commands",
    ]);
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(["conv_1"]));
    expect(only(events, "tool.started").map(({ agentId }) => agentId)).toEqual(["scout", "main"]);
    expect(only(events, "turn.completed")).toHaveLength(1);
  });

  test("reads the checklist of the extension", () => {
    expect(summary(decode(cline, extension))).toEqual({
      lists: 2,
      rejected: [],
      other: [],
      last: {
        main: [
          { text: "Read the report", status: "completed" },
          { text: "Write the export", status: "pending" },
        ],
      },
    });
  });

  test("locations: the documents of a session together", () => {
    const at = (env: Record<string, string>) =>
      cline.locations?.({ home: "/home/ann", platform: "linux", env, join: posix.join }) ?? [];
    const [sessions, tasks, editor] = at({});
    expect(sessions?.root).toBe("/home/ann/.cline/data/sessions");
    for (const name of [SESSION, `${SESSION}.messages`, "scout__N44.messages"])
      expect(sessions?.accept([SESSION, `${name}.json`])).toEqual({ session: SESSION });
    expect(sessions?.accept([SESSION, "other.json"])).toBeUndefined();
    expect(tasks?.accept(["17", "ui_messages.json"])).toEqual({ session: "17" });
    expect(editor?.root).toBe(
      "/home/ann/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
    );
    expect(at({ CLINE_DIR: "/c" })[0]?.root).toBe("/c/data/sessions");
    expect(at({ CLINE_DATA_DIR: "/d" })[0]?.root).toBe("/d/sessions");
  });
});
