import { describe, expect, test } from "vitest";
import {
  type CallDetail,
  MAX_INPUT,
  MAX_OUTPUT,
} from "../../../src/core/activity/calls/call-detail.ts";
import type { StreamEvent } from "../../../src/core/stream/events.ts";
import { detailOf, newCollector } from "../../../src/sessions/calls/found-call.ts";

const ID = { session: "s", agent: "main" };
type Part = Record<string, unknown> & { readonly type: string };

/** The detail of the call "c" of session "s". */
function detail(
  parts: readonly Part[],
  { at, mark, isWhole = false }: { at?: number | undefined; mark?: string; isWhole?: boolean } = {},
): CallDetail | undefined {
  const wanted = { callId: "c", at };
  const collector = newCollector(ID, wanted);
  const events = parts.map((part, index) => ({
    eventId: `${index}`,
    sessionId: "s",
    agentId: "main",
    agentType: "codex",
    timestamp: 1_000 * (index + 1),
    callId: "c",
    ...part,
  }));
  collector.add(events as unknown as readonly StreamEvent[], () => undefined, mark);
  const found = collector.found();
  return found && detailOf(wanted, found, isWhole);
}

const start = (input?: unknown): Part => ({ type: "tool.started", name: "Bash", input });
const end = (rest: object = {}): Part => ({ type: "tool.completed", output: "done", ...rest });

describe("the input of a call", () => {
  test.each([
    [{ command: "npm test" }, "npm test", true],
    [{ cmd: "npm test" }, "npm test", true],
    [{ command: ["npm", 1, "test", null] }, "npm test", true],
    [{ command: " " }, '{\n  "command": " "\n}', false],
    [{ file: "a" }, '{\n  "file": "a"\n}', false],
    ["free text", "free text", false],
    [null, "null", false],
    [undefined, "", false],
    [{ command: "psql postgres://ann:hunter2@db" }, "psql postgres://ann:...@db", true],
    ["postgres://ann:hunter2@db", "postgres://ann:...@db", false],
  ])("%j is shown as %j", (input, text, isCommand) => {
    expect(detail([start(input), end()])).toMatchObject({ input: text, isCommand });
  });

  test("is that of the end if the host repeats it", () => {
    const parts = [start({ command: "was" }), end({ input: { command: "ran" } })];
    expect(detail(parts)?.input).toBe("ran");
  });

  test("is cut in the middle", () => {
    const words = "word ".repeat(MAX_INPUT);
    const { input = "" } = detail([start(words)]) ?? {};
    expect(input).toMatch(/^word word [^\n]* word\n…\nword [^\n]* word $/);
    expect(input.length).toBeLessThan(MAX_INPUT + 10);
  });
});

describe("the end of a call", () => {
  test.each<[string, Part[], Partial<CallDetail>]>([
    ["runs", [start()], { noOutput: "running", startedAt: 1_000 }],
    ["passed", [start(), end()], { ok: true, startedAt: 1_000, endedAt: 2_000 }],
    ["passed with exit code 0", [start(), end({ exitCode: 0 })], { ok: true, exitCode: 0 }],
    ["failed with an exit code", [start(), end({ exitCode: 2 })], { ok: false, exitCode: 2 }],
    ["failed for the host", [start(), end({ type: "tool.failed" })], { ok: false }],
    [
      "says its exit code in its output",
      [end({ output: "Exit code: 3\nx" })],
      { ok: false, exitCode: 3 },
    ],
    [
      "says in its output that tests failed",
      [end({ output: "Tests  3 failed (3)" })],
      { ok: false },
    ],
    ["has no known result", [end({ unsure: true })], {}],
    [
      "has an exit code, whatever else is unknown",
      [end({ unsure: true, exitCode: 1 })],
      { ok: false, exitCode: 1 },
    ],
    [
      "has no output in the file",
      [end({ output: undefined })],
      { ok: true, noOutput: "not_recorded" },
    ],
    ["printed nothing", [end({ output: " \n" })], { ok: true, noOutput: "empty" }],
    ["has a name only at its end", [end({ name: "exec" })], { ok: true, name: "exec" }],
    ["has no name", [end()], { ok: true, name: "" }],
  ])("%s", (_what, parts, wanted) => {
    const isStarted = parts[0]?.type === "tool.started";
    const isEnded = parts.at(-1)?.type !== "tool.started";
    const { input: _, isCommand: __, output, ...rest } = detail(parts) ?? {};
    expect(rest).toEqual({
      callId: "c",
      name: isStarted ? "Bash" : "",
      ...(isStarted && { startedAt: 1_000 }),
      ...(isEnded && { endedAt: 1_000 * parts.length }),
      ...wanted,
    });
    expect(output === undefined).toBe(wanted.noOutput !== undefined);
  });
});

describe("of calls with the same id", () => {
  const two = [
    start({ command: "first" }),
    end({ output: "one" }),
    start({ command: "second" }),
    end({ output: "two" }),
  ];
  test.each([
    [undefined, "second", "two"],
    [1_000, "first", "one"],
    [3_000, "second", "two"],
    [9_000, "second", "two"],
  ])("the one that started at %s is found", (at, input, head) => {
    expect(detail(two, { at })).toMatchObject({ input, output: { head } });
  });

  test("an end without a start is the next call", () => {
    const parts = [...two.slice(0, 2), end({ output: "late" })];
    expect(detail(parts)).toMatchObject({ input: "", output: { head: "late" } });
    expect(detail(parts, { at: 1_000 })).toMatchObject({ input: "first", output: { head: "one" } });
  });

  test("those of other sessions, agents and ids are left out", () => {
    const other = [{ sessionId: "t" }, { agentId: "sub" }, { callId: "d" }];
    for (const rest of other) expect(detail([{ ...start("x"), ...rest }])).toBeUndefined();
    expect(detail([{ type: "message", role: "user", text: "hi" }])).toBeUndefined();
  });
});

describe("an output", () => {
  const outputOf = (output: string, options = {}) =>
    detail([start(), end({ output })], options)?.output;
  const lines = (count: number) => "a line of text\n".repeat(count);

  test("is cut in the middle, unless all of it is asked for", () => {
    const text = lines(150_000);
    const { head = "", tail = "", omitted = 0 } = outputOf(text) ?? {};
    expect(head.length + tail.length + omitted).toBe(text.length);
    expect(head.length + tail.length).toBeGreaterThan(MAX_OUTPUT - 100);
    expect(head.length + tail.length).toBeLessThanOrEqual(MAX_OUTPUT);
    expect(outputOf(text, { isWhole: true })).toEqual({ head: text });
  });

  test("counts bytes that were skipped when it was read", () => {
    const mark = "␟m:";
    expect(outputOf(`before${mark}1000;after`, { mark })).toEqual({
      head: "before",
      tail: "after",
      omitted: 1_000,
    });
    expect(outputOf("no mark", { mark })).toEqual({ head: "no mark" });
    expect(outputOf(` ${mark}7; `, { mark })).toEqual({ head: " ", tail: " ", omitted: 7 });
    const long = lines(100_000);
    const {
      head = "",
      tail = "",
      omitted = 0,
    } = outputOf(`${long}${mark}1000;${long}`, { mark }) ?? {};
    expect([long.startsWith(head), long.endsWith(tail)]).toEqual([true, true]);
    expect(head.length + tail.length + omitted).toBe(2 * long.length + 1_000);
    expect(head.length + tail.length).toBeLessThanOrEqual(MAX_OUTPUT);
    expect(Math.abs(head.length - tail.length)).toBeLessThan(100);
  });

  test("has no passwords, at either end", () => {
    const mark = "␟m:";
    const url = "postgres://ann:hunter2@db\n";
    expect(JSON.stringify(outputOf(`${url}${mark}5;${url}`, { mark }))).not.toContain("hunter2");
  });
});
