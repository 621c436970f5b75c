import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openReader } from "../../src/agents/common/reader.ts";
import { findDecoder } from "../../src/agents/index.ts";
import { findLastList } from "../../src/sessions/transcripts/find-last-list.ts";
import { fixture, newUserHome, type UserHome } from "./home.ts";

let home: UserHome;
beforeEach(() => {
  home = newUserHome();
});
afterEach(() => home.remove());

/** Longer than the first window from the end. */
const FILLER = `${JSON.stringify({ type: "progress", text: "x".repeat(2_000) })}\n`;

function dialectOf(id: string) {
  const dialect = findDecoder(id);
  if (!dialect) throw new Error(`no dialect ${id}`);
  return dialect;
}

/** The last list according to a full read. */
function lastOf(id: string, text: string) {
  const reader = openReader(dialectOf(id), { kind: "file", session: "s" }, { now: () => 0 });
  return text
    .split("\n")
    .flatMap((line, place) => reader.line(line, place + 1))
    .findLast((event) => event.type === "todo_list" && event.agentId === "main");
}

const WHOLE = [
  [
    "claude-code",
    "claude-code/todo-write/projects/-home-dev-demo/3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be.jsonl",
  ],
  ["codex", "codex/rollout/simple.jsonl"],
  ["codex", "codex/rollout/resumed.jsonl"],
  ["gemini", "gemini/0.61/chat.jsonl"],
  ["qwen", "qwen/0.24/transcript.jsonl"],
] as const;

describe("finds the last list of a file with complete lists", () => {
  test.each(WHOLE)("%s %s", (id, path) => {
    const text = fixture(path);
    // The list may be near the end or far before it.
    for (const after of [0, 20, 400]) {
      const long = `${FILLER.repeat(300)}${text}${FILLER.repeat(after)}`;
      const file = home.write("session.jsonl", long);
      const found = findLastList(file, dialectOf(id), { kind: "file", session: "s" });
      const wanted = lastOf(id, text);
      expect(wanted).toBeDefined();
      if (wanted?.type !== "todo_list") throw new Error("no list");
      expect(found?.items).toEqual(wanted.items);
      expect(found?.stepwise).toBeUndefined();
    }
  });
});

const STEPWISE = [
  ["claude-code", "claude-code/tasks/interactive.jsonl"],
  ["gemini", "gemini/0.61/chat-tracker.jsonl"],
] as const;

describe("a list that consists of steps", () => {
  test.each(STEPWISE)("is not found at the end of a long file: %s %s", (id, path) => {
    const text = fixture(path);
    const last = lastOf(id, text);
    expect(last).toMatchObject({ stepwise: true });
    const long = home.write("long.jsonl", FILLER.repeat(40_000) + text);
    const source = { kind: "file", session: "s" } as const;
    expect(findLastList(long, dialectOf(id), source)).toBeUndefined();
    // A short file is read completely, with all steps.
    const short = home.write("short.jsonl", text);
    const found = findLastList(short, dialectOf(id), source);
    if (last?.type !== "todo_list") throw new Error("no list");
    expect(found?.items).toEqual(last.items);
  });
});

test("finds nothing in a file without a list", () => {
  const file = home.write("session.jsonl", FILLER.repeat(1_000));
  expect(findLastList(file, dialectOf("codex"), { kind: "file" })).toBeUndefined();
});
