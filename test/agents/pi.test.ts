import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { detectAgent } from "../../src/agents/index.ts";
import { pi } from "../../src/agents/pi/decoder.ts";
import {
  decode,
  decoderProperties,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const session = recording("pi/0.73/session.jsonl", { kind: "file" });
const stream = recording("pi/0.73/stream.jsonl", { kind: "stream" });
const records = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

describe("pi", () => {
  decoderProperties(pi, [session, stream]);

  test("reads the todo tool of the example extension: errors without a flag, an emptied list", () => {
    const events = decode(pi, session);
    expect(summary(events)).toEqual({
      lists: 4,
      rejected: ["text required", 'Validation failed for tool "todo"'],
      other: [],
      last: { main: [{ text: "Write the export", status: "completed", id: "1" }] },
    });
    expect(only(events, "todo_list")[1]?.items).toEqual([]);
    expect(tools(events)).toEqual(["tool.started bash", "tool.failed bash 3"]);
    expect(only(events, "usage")).toHaveLength(9);
  });

  test("a session without the extension has its activity", () => {
    const events = decode(pi, stream);
    expect(summary(events)).toEqual({ lists: 0, rejected: [], other: [], last: {} });
    expect(tools(events)).toEqual(["tool.started bash", "tool.completed bash"]);
  });

  test("differs from the agents that are built on it", () => {
    expect(detectAgent(records(stream.lines))?.decoder.id).toBe("pi");
    expect(detectAgent(records(session.lines))?.decoder.id).toBe("pi");
    const fork = recording("oh-my-pi/18/events.jsonl", { kind: "stream" });
    expect(detectAgent(records(fork.lines))?.decoder.id).toBe("oh-my-pi");
    const marked = records(stream.lines).map((record) =>
      record.message ? { ...record, message: { ...record.message, attribution: "user" } } : record,
    );
    expect(detectAgent(marked)?.decoder.id).toBe("oh-my-pi");
  });

  test("locations", () => {
    const at = (env: Record<string, string>) =>
      pi.locations?.({ home: "/home/ann", platform: "linux", env, join: posix.join })[0];
    expect(at({})?.root).toBe("/home/ann/.pi/agent/sessions");
    expect(at({ PI_CODING_AGENT_SESSION_DIR: "/s" })?.root).toBe("/s");
    const file = "2026-11-18T11-06-40-000Z_0195c0de-77aa.jsonl";
    expect(at({})?.accept(["--home-ann-shop--", file])).toEqual({ session: "0195c0de-77aa" });
    expect(at({})?.accept(["--home-ann-shop--", "notes.txt"])).toBeUndefined();
  });
});
