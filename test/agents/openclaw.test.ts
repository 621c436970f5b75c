import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { openclaw } from "../../src/agents/openclaw/decoder.ts";
import {
  decode,
  decoderProperties,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const plan = recording("openclaw/session/plan.jsonl", { kind: "file" });

describe("openclaw", () => {
  decoderProperties(openclaw, [plan]);

  test("accepts plans with their result, from the details or the call", () => {
    const events = decode(openclaw, plan);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: ["plan can contain at most one step in progress", "plan required"],
      other: ["bad_item"],
      last: {
        main: [
          { text: "Read the report", status: "completed" },
          { text: "Write the export", status: "in_progress" },
        ],
      },
    });
    expect(only(events, "todo_list").map(({ explanation }) => explanation)).toEqual([
      "first go",
      undefined,
    ]);
    expect(tools(events)).toEqual(["tool.started exec", "tool.completed exec 0"]);
  });

  test("warns about a result without a plan", () => {
    const line = JSON.stringify({
      type: "message",
      message: { role: "toolResult", toolCallId: "x", toolName: "update_plan", content: [] },
    });
    expect(
      summary(decode(openclaw, { name: "", source: { kind: "file" }, lines: [line] })),
    ).toEqual({
      lists: 0,
      rejected: [],
      other: ["list_unknown"],
      last: {},
    });
  });

  test("score is certain only for an accepted plan", () => {
    expect(plan.lines.map((line) => openclaw.score(JSON.parse(line))).join("")).toBe(
      "1112111111111",
    );
  });

  test("locations include the former names", () => {
    const machine = (env: Machine["env"]): Machine => ({
      home: "/home/ann",
      platform: "linux",
      env,
      join: posix.join,
    });
    const found = openclaw.locations?.(machine({})) ?? [];
    expect(found.map(({ root }) => root)).toEqual([
      "/home/ann/.openclaw/agents",
      "/home/ann/.moltbot/agents",
      "/home/ann/.clawdbot/agents",
    ]);
    const session = "5d8f7c1e-1f2a-4b7e-9d3c-6a5b4c3d2e1f";
    expect(found[0]?.accept(["main", "sessions", `${session}.jsonl`])).toEqual({ session });
    expect(found[0]?.accept(["main", "sessions", "sessions.json"])).toBeUndefined();
    expect(found[0]?.accept(["main", "agent", `${session}.jsonl`])).toBeUndefined();
    expect(
      openclaw.locations?.(machine({ OPENCLAW_STATE_DIR: "/o" })).map(({ root }) => root),
    ).toEqual(["/o/agents"]);
  });
});
