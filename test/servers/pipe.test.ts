import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DECODERS, detectAgent, findDecoder } from "../../src/agents/index.ts";
import type { StreamBody, StreamEvent } from "../../src/core/stream/events.ts";
import { LIFECYCLES, type Lifecycle } from "../../src/core/views/lifecycle.ts";
import { unframe } from "../../src/servers/pipe/event-stream.ts";
import {
  type Display,
  openPipe,
  type PipeEnd,
  type PipeOptions,
} from "../../src/servers/pipe/index.ts";
import { openIntake } from "../../src/servers/pipe/intake.ts";
import { CODE_POINT } from "../code-point.ts";
import { event, todoList } from "../core/events.ts";
import { sized } from "../full.ts";
import { fakeTerminal } from "./terminal.ts";

const FIXTURES = "test/fixtures";
const T0 = Date.UTC(2026, 10, 15, 11, 0, 0);
const SECOND = 1_000;

const TEXT = { width: 60, color: false, unicode: true, timeZone: "UTC" };

/** Events as the lines that `--json` prints. */
const linesOf = (events: readonly StreamEvent[]): Buffer =>
  Buffer.from(events.map((each) => `${JSON.stringify(each)}\n`).join(""));

const at = (seconds: number, body: StreamBody, base: Partial<StreamEvent> = {}) =>
  event(body, { timestamp: T0 + seconds * SECOND, ...base } as Partial<StreamEvent>);
const listAt = (seconds: number, lines: readonly string[], base: Partial<StreamEvent> = {}) =>
  todoList(lines, { timestamp: T0 + seconds * SECOND, ...base } as Partial<StreamEvent>);

interface Run {
  readonly shown: string;
  readonly json: string;
  readonly teed: Buffer;
  readonly warned: readonly string[];
  readonly end: PipeEnd;
}

/** Pipes the whole input, without a terminal. */
function run(
  input: Buffer | readonly Buffer[],
  options: Partial<PipeOptions> & { readonly text?: Partial<ReturnType<Display["text"]>> } = {},
): Run {
  const { text, ...more } = options;
  let shown = "";
  let json = "";
  const teed: Buffer[] = [];
  const warned: string[] = [];
  const engine = openPipe({
    now: () => T0,
    lifecycle: LIFECYCLES.waymark,
    tee: (bytes) => teed.push(Buffer.from(bytes)),
    json: (line) => {
      json += line;
    },
    warn: (line) => warned.push(line),
    display: {
      write: (written) => {
        shown += written;
      },
      text: () => ({ ...TEXT, ...text }),
    },
    ...more,
  });
  for (const chunk of Buffer.isBuffer(input) ? [input] : input) engine.feed(chunk);
  const end = engine.end();
  return { shown, json, teed: Buffer.concat(teed), warned, end };
}

const eventsOf = (json: string): StreamEvent[] =>
  json
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StreamEvent);

const fixture = (path: string) => readFileSync(join(FIXTURES, path));

const STORY = [
  at(0, { type: "session.started", title: "Speed up the payout page" }),
  at(1, { type: "turn.started" }),
  listAt(7, ["  Find the slow query", "  Add an index", "  Load in pages"]),
  listAt(40, ["> Find the slow query", "  Add an index", "  Load in pages"]),
  listAt(192, ["x Find the slow query", "> Add an index", "  Load in pages"]),
  at(200, { type: "turn.completed" }),
];

describe("without a terminal", () => {
  it("prints each change as one line and the final list once at the end", () => {
    const { shown, end } = run(linesOf(STORY));
    expect(shown).toBe(`11:00:07  list: 3 todos
11:00:40  ▸  Find the slow query
11:03:12  ✓  Find the slow query  2m 32s, unverified
11:03:12  ▸  Add an index
11:03:20  turn ended with 2 open

▌ Speed up the payout page                             Codex
▌ ✓  Find the slow query                    unverified 11:03
▌ ▸  Add an index                                         8s
▌ ○  Load in pages
▌ ▯▸·  1 of 3                         turn ended with 2 open
`);
    expect([end.recognized, end.decoder, end.open, end.skipped]).toEqual([true, "waymark", 2, 0]);
  });

  it("logs every kind of change", () => {
    const { shown } = run(
      linesOf([
        listAt(0, ["> One", "  Two", "  Three"]),
        listAt(1, ["> One", "  Three"]),
        listAt(2, ["  Three", "> One", "  Four"]),
        listAt(3, ["- Three", "! One", "  Four"]),
        listAt(4, ["  Three", "! One", "  Four altogether"]),
        listAt(5, []),
        listAt(6, ["x New"]),
        listAt(7, ["> Newer"]),
        at(8, { type: "session.compacted" }),
        at(9, { type: "plan.proposed", planId: "p", text: "# Plan\n- one" }),
        at(10, { type: "plan.decided", planId: "p", decision: "rejected", comment: "smaller" }),
        at(11, { type: "turn.cancelled" }),
      ]),
    );
    expect(shown).toBe(`11:00:00  list: 3 todos
11:00:00  ▸  One
11:00:01  -  Two  removed
11:00:02  ○  Four  added
11:00:02  list reordered
11:00:03  -  Three  cancelled
11:00:03  !  One  blocked
11:00:04  ○  Three  reopened
11:00:04  ○  Four altogether  was: Four
11:00:05  list cleared
11:00:06  list: 1 todo
11:00:07  new list: 1 todo
11:00:07  ▸  Newer
11:00:08  conversation compacted
11:00:09  plan proposed  2 lines
11:00:10  plan rejected  smaller
11:00:11  !  turn cancelled

▌ s                                                    Codex
▌ ▸  Newer                                                4s
▌ ▸  0 of 1                                   turn cancelled

`);
  });

  it("prints no control characters from the stream, with or without color", () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\x1b[2J", "\x1b]0;t\x07", "\x9b31m", "\r", "\n", "\u202e", "\u200b", "a"),
        fc.string({ unit: CODE_POINT, maxLength: 3 }),
      ),
      maxLength: 12,
    });
    fc.assert(
      fc.property(hostile, hostile, hostile, (text, title, message) => {
        const events = [
          at(0, { type: "session.started", title, name: title }),
          at(1, {
            type: "todo_list",
            todoId: "t",
            items: [{ text: `${text}.`, status: "blocked", blocker: message, owner: title }],
          }),
          at(2, { type: "turn.failed", message }),
        ];
        const { shown, json } = run(linesOf(events), { text: { color: true } });
        const plain = shown.replace(/\x1b\[[0-9;]*m/g, "");
        expect(plain).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]/);
        expect(json).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]/);
      }),
      { numRuns: sized(150, 500) },
    );
  });

  it("draws the plan of a team member", () => {
    const plan = (lifecycle: Lifecycle) =>
      run(linesOf(STORY), {
        lifecycle,
        text: { style: "plan", member: { name: "Lead", color: "cyan" } },
      }).shown.split("\n\n")[1];
    expect(plan({ ...LIFECYCLES.perTurn, turnEnd: "keep" })).toBe(`📋 Plan (Lead):
✅ Find the slow query
⭕ Add an index
⭕ Load in pages
turn ended with 2 open
`);
    expect(plan(LIFECYCLES.perTurn)).toBe(`📋 Plan (Lead):
✅ Find the slow query
✅ Add an index
✅ Load in pages
turn ended
`);
  });

  it("shows one list or all of them, with the agent of each change", () => {
    const sub = { agentId: "sub" };
    const events = [
      listAt(0, ["> Review"]),
      at(1, { type: "session.started", parentId: "main", name: "reviewer" }, sub),
      listAt(2, ["> Read"], sub),
    ];
    const one = run(linesOf(events));
    expect(one.shown).toBe(`11:00:00  list: 1 todo
11:00:00  ▸  Review
11:00:02  list: 1 todo  reviewer
11:00:02  ▸  Read  reviewer

▌ s                                                    Codex
▌ ▸  Read                                                 0s
▌ ▸  0 of 1
`);
    const each = run(linesOf(events), { lifecycle: { ...LIFECYCLES.waymark, agents: "each" } });
    expect(each.shown.split("\n\n").slice(1)).toEqual([
      `▌ s                                                    Codex
▌ ▸  Review                                               2s
▌ ▸  0 of 1`,
      `▌ s                                                    Codex
▌ ▸  Read                                                 0s
▌ ▸  0 of 1
`,
    ]);
  });
});

describe("loops", () => {
  it("reports ten unchanged polls as a loop and twenty as critical, each once", () => {
    const polls = Array.from({ length: 25 }, (_, index) => [
      at(index, { type: "tool.started", name: "build_status", input: { id: 7 } }),
      at(index, { type: "tool.completed", name: "build_status", output: "running" }),
    ]).flat();
    expect(run(linesOf(polls)).shown).toBe(
      `11:00:09  !  looping: build_status, 10 times, nothing changed  warning
11:00:19  !  looping: build_status, 20 times, nothing changed  critical
`,
    );
  });
});

describe("on a terminal", () => {
  function watch(rows = 12, options: Partial<PipeOptions> = {}) {
    let now = T0;
    const screen = fakeTerminal(60, rows);
    let writes = 0;
    const engine = openPipe({
      now: () => now,
      lifecycle: LIFECYCLES.waymark,
      display: {
        write: (text) => {
          writes++;
          screen.write(text);
        },
        size: screen.size,
        text: () => TEXT,
      },
      ...options,
    });
    return {
      screen,
      engine,
      writes: () => writes,
      pass: (ms: number) => {
        now += ms;
        engine.tick();
      },
    };
  }

  it("redraws the list in index and logs each change above it once", () => {
    const { screen, engine, pass } = watch();
    for (const each of STORY.slice(0, 4)) {
      engine.feed(linesOf([each]));
      pass(100);
    }
    expect(screen.text()).toBe(`11:00:07  list: 3 todos
11:00:40  ▸  Find the slow query

▌ Speed up the payout page                            Codex
▌ ▸  Find the slow query                                 0s
▌ ○  Add an index
▌ ○  Load in pages
▌ ▸··  0 of 3`);
    for (const each of STORY.slice(4)) {
      engine.feed(linesOf([each]));
      pass(100);
    }
    engine.end();
    expect(screen.text()).toBe(`11:00:07  list: 3 todos
11:00:40  ▸  Find the slow query
11:03:12  ✓  Find the slow query          2m 32s, unverified
11:03:12  ▸  Add an index
11:03:20  turn ended with 2 open

▌ Speed up the payout page                            Codex
▌ ✓  Find the slow query                   unverified 11:03
▌ ▸  Add an index                                        8s
▌ ○  Load in pages
▌ ▯▸·  1 of 3                        turn ended with 2 open`);
  });

  it("redraws only the seconds between two changes", () => {
    const { engine, pass, writes } = watch();
    engine.feed(linesOf(STORY.slice(0, 4)));
    pass(100);
    expect(writes()).toBe(1);
    for (let tick = 0; tick < 9; tick++) pass(100);
    expect(writes()).toBe(1);
    pass(100);
    expect(writes()).toBe(2);
  });

  it("does not redraw an idle list", () => {
    const { engine, pass, writes } = watch();
    engine.feed(linesOf([listAt(0, ["  One", "  Two"])]));
    pass(100);
    for (let tick = 0; tick < 50; tick++) pass(1_000);
    expect(writes()).toBe(1);
  });

  it("never exceeds the terminal height minus one line", { tags: ["layout-break"] }, () => {
    const lines = Array.from(
      { length: 40 },
      (_, index) => `${index < 20 ? "x" : " "} Step ${index}`,
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 30 }),
        fc.integer({ min: 1, max: 5 }),
        (rows, agents) => {
          const lifecycle = { ...LIFECYCLES.waymark, agents: "each" } as const;
          const { screen, engine, pass } = watch(rows, { lifecycle });
          for (let agent = 0; agent < agents; agent++) {
            engine.feed(linesOf([listAt(0, lines, { agentId: `a${agent}` })]));
            pass(100);
            engine.feed(linesOf([listAt(1, lines.slice(1), { agentId: `a${agent}` })]));
            pass(100);
          }
          expect(screen.highest()).toBeLessThanOrEqual(rows - 1);
          expect(screen.text().match(/list: 40 todos/g)).toHaveLength(agents);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("removes a cleared list and keeps its last state in the scrollback", () => {
    const { screen, engine, pass } = watch();
    engine.feed(linesOf([listAt(0, ["> One"])]));
    pass(100);
    engine.feed(linesOf([at(3, { type: "turn.failed", message: "overloaded" })]));
    pass(100);
    engine.end();
    expect(screen.text()).toBe(`11:00:00  list: 1 todo
11:00:00  ▸  One
11:00:03  !  turn failed: overloaded

▌ s                                                   Codex
▌ ▸  One                                                 3s
▌ ▸  0 of 1                                     turn failed`);
  });

  it("logs when the stream stalls and when it resumes", () => {
    const { screen, engine, pass } = watch();
    engine.feed(
      linesOf([
        at(0, { type: "turn.started" }),
        listAt(0, ["> One"]),
        at(0, { type: "tool.started", name: "Bash", callId: "a", input: { command: "make" } }),
      ]),
    );
    for (let tick = 0; tick < 310; tick++) pass(1_000);
    expect(screen.text()).toContain("▌ ▸  0 of 1                   no output for 5m 10s, in make");
    engine.feed(linesOf([at(311, { type: "tool.completed", callId: "a" })]));
    pass(100);
    engine.end();
    expect(screen.text().split("\n").slice(0, 4)).toEqual([
      "11:00:00  list: 1 todo",
      "11:00:00  ▸  One",
      "11:05:00  !  stalled: no output for 5m 0s, in make",
      "11:05:11  resumed",
    ]);
  });

  it("erases wrapped lines after the terminal became narrower", () => {
    let columns = 60;
    const written: string[] = [];
    const engine = openPipe({
      now: () => T0,
      lifecycle: LIFECYCLES.waymark,
      display: {
        write: (text) => written.push(text),
        size: () => ({ columns, rows: 24 }),
        text: () => ({ ...TEXT, width: columns }),
      },
    });
    engine.feed(linesOf([listAt(0, ["> One"])]));
    engine.tick();
    columns = 25;
    engine.feed(linesOf([listAt(1, ["x One"])]));
    engine.tick();
    // An empty line, two lines of 59 cells that now take three rows each, and a short one.
    expect(written[1]?.startsWith(`\r\x1b[8A${"\x1b[2K\n".repeat(8)}\x1b[8A`)).toBe(true);
  });
});

describe("dialect detection", () => {
  const files = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".jsonl"));
  /** OpenAI-style messages and a fork of another agent, which only an explicit --from can distinguish. */
  const alike = ["rows/grok/", "kimi/cli/", "kilo/"];
  const dialectFiles = files
    .filter((file) => !alike.some((prefix) => file.startsWith(prefix)))
    .map((file) => [file, file.replace(/^rows\//, "").split("/")[0] ?? ""] as const)
    .filter(([, id]) => findDecoder(id));

  it("has recordings of every agent with a decoder", () => {
    const known = new Set(dialectFiles.map(([, id]) => id));
    const ids = ["acp", "claude-code", "codex", "gemini", "hermes", "oh-my-pi", "openclaw"];
    expect([...ids, "opencode", "qwen"].filter((id) => !known.has(id))).toEqual([]);
  });

  it.each(dialectFiles)("detects %s as %s", (file, id) => {
    expect(run(fixture(file)).end.decoder).toBe(id);
  });

  it("detects --json output of any agent as waymark and reproduces it", () => {
    for (const [file] of dialectFiles) {
      const first = run(fixture(file)).json;
      const again = run(Buffer.from(first));
      expect([file, again.json === first]).toEqual([file, true]);
      if (first !== "") expect([file, again.end.decoder]).toEqual([file, "waymark"]);
    }
  });

  it("keeps the order of ids, each once", () => {
    const ids = DECODERS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(findDecoder("codex")?.name).toBe("Codex");
    expect(findDecoder("nobody")).toBeUndefined();
  });

  it("detects no dialect in empty or unknown input", () => {
    expect(detectAgent([])).toBeUndefined();
    expect(detectAgent([{ some: "log" }, 7, null])).toBeUndefined();
  });

  it("holds lines before the first record and reads them afterwards", () => {
    const noise = Buffer.from("npm warn something\n\nstarting\n");
    const { end, warned, shown } = run([noise, fixture("codex/exec/simple.jsonl")]);
    expect([end.decoder, end.skipped]).toEqual(["codex", 2]);
    expect(warned).toEqual(["skipped line 1: not JSON", "skipped line 3: not JSON"]);
    expect(shown).toContain("list: 2 todos");
  });

  it("bounds memory for thousands of unknown lines and still finds the stream", () => {
    const noise = Buffer.from(`${'{"level":"info"}'}\n`.repeat(3_000));
    const { end } = run([noise, fixture("codex/exec/simple.jsonl")]);
    expect([end.decoder, end.recognized, end.skipped > 2_900]).toEqual(["codex", true, true]);
  });

  it("holds ambiguous records until a certain one, at most twenty", () => {
    const message = (index: number) =>
      Buffer.from(`{"type":"system","session_id":"s","uuid":"${index}"}\n`);
    const intake = openIntake({ now: () => T0, each: () => undefined });
    for (let index = 0; index < 19; index++) intake.feed(message(index));
    expect(intake.decoder).toBeUndefined();
    intake.feed(message(19));
    expect(intake.decoder?.id).toBe("claude-code");
    const other = openIntake({ now: () => T0, each: () => undefined });
    other.feed(message(0));
    other.feed(fixture("codex/exec/simple.jsonl"));
    expect(other.decoder?.id).toBe("codex");
  });

  it("chooses a dialect after a single record of 64 KB", () => {
    const intake = openIntake({ now: () => T0, each: () => undefined });
    const long = "x".repeat(1 << 16);
    intake.feed(Buffer.from(`{"type":"system","session_id":"s","uuid":"${long}"}\n`));
    expect(intake.decoder?.id).toBe("claude-code");
  });

  it("uses a given dialect without detection", () => {
    const { end } = run(fixture("codex/exec/simple.jsonl"), { decoder: findDecoder("gemini") });
    expect([end.decoder, end.recognized]).toEqual(["gemini", false]);
  });

  it("shows nothing and counts every line if no dialect matches", () => {
    const { end, shown, json } = run(Buffer.from("one\n\n{}\n[1]\ntwo"));
    expect([end.recognized, end.decoder, end.skipped, shown, json]).toEqual([
      false,
      undefined,
      4,
      "",
      "",
    ]);
  });
});

describe("server-sent events", () => {
  const lines = fixture("opencode/serve/subagent.jsonl").toString().trimEnd().split("\n");
  const plain = run(Buffer.from(lines.join("\n"))).json;

  it("gives the same events as without framing", () => {
    const framed = lines
      .map((line, index) => `event: message\nid: ${index}\n: keep alive\ndata: ${line}\n\n`)
      .join("");
    const withoutPlaces = (json: string) =>
      eventsOf(json).map(({ eventId: _, ...rest }) =>
        "line" in rest ? { ...rest, line: 0 } : rest,
      );
    expect(withoutPlaces(run(Buffer.from(framed)).json)).toEqual(withoutPlaces(plain));
    expect(run(Buffer.from(framed)).end.skipped).toBe(0);
  });

  it("joins data of several lines; the last event needs no empty line", () => {
    const pretty = lines.map((line) =>
      JSON.stringify(JSON.parse(line), null, 1)
        .split("\n")
        .map((part) => `data:${part}`)
        .join("\r\n"),
    );
    const { json, end } = run(Buffer.from(pretty.join("\r\n\r\n")));
    expect([eventsOf(json).length, end.skipped]).toEqual([eventsOf(plain).length, 0]);
  });
});

it("reports unreadable data with the line where it starts", () => {
  const framed = fixture("opencode/serve/subagent.jsonl").toString().split("\n")[0] ?? "";
  const { warned } = run(Buffer.from(`data: ${framed}\n\nevent: x\ndata: {\ndata: "half":\n\n`));
  expect(warned).toEqual(["skipped line 4: not JSON"]);
});

describe("lines that look like event fields", () => {
  it("counts them as unreadable lines", () => {
    const log = "id: 42\nevent: started\ndata: 3 rows\nretry: 5\n\n";
    const { end, warned } = run([Buffer.from(log), fixture("codex/exec/simple.jsonl")]);
    expect([end.decoder, end.skipped]).toEqual(["codex", 4]);
    expect(warned).toEqual([1, 2, 3, 4].map((line) => `skipped line ${line}: not JSON`));
  });

  it("holds only a bounded number of them", () => {
    const frames = unframe();
    const passed = Array.from({ length: 20 }, (_, index) =>
      frames.take({ number: index + 1, text: "id: 1" }),
    ).flat();
    expect([passed.length, frames.rest().length]).toEqual([18, 2]);
    const { end } = run([Buffer.from("id: 1\n".repeat(100)), fixture("codex/exec/simple.jsonl")]);
    expect([end.decoder, end.skipped]).toEqual(["codex", 100]);
  });
});

describe("unreadable input", () => {
  const good = fixture("codex/exec/simple.jsonl").toString();

  it("reports and counts unreadable lines and reads the rest", () => {
    const [first = "", ...rest] = good.trimEnd().split("\n");
    const { end, warned, shown, json } = run(
      Buffer.from([first, "not json", '{"type":', ...rest].join("\n")),
    );
    expect(warned).toEqual(["skipped line 2: not JSON", "skipped line 3: not JSON"]);
    expect([end.recognized, end.skipped]).toEqual([true, 2]);
    expect(shown).toContain("!  skipped line 2: not JSON\n");
    expect(eventsOf(json).filter(({ type }) => type === "warning")).toHaveLength(2);
  });

  it("reports only a count after the first twenty", () => {
    const { end, warned, shown } = run(Buffer.from(`${good}${"garbage\n".repeat(1_000)}`));
    expect([end.skipped, warned.length, warned.at(-1)]).toEqual([1_000, 21, "skipped 980 more"]);
    expect(shown.match(/skipped line \d+: not JSON/g)).toHaveLength(20);
  });

  it("does not buffer an endless line, and reports its length", () => {
    const engine = openPipe({
      now: () => T0,
      lifecycle: LIFECYCLES.waymark,
      warn: (line) => warned.push(line),
    });
    const warned: string[] = [];
    engine.feed(Buffer.from(good));
    const chunk = Buffer.alloc(1 << 20, "x");
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let count = 0; count < 1_024; count++) {
      engine.feed(chunk);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    engine.feed(Buffer.from(`\n${good}`));
    const end = engine.end();
    expect(most).toBeLessThan(64 << 20);
    expect(warned).toEqual([
      `skipped line ${good.split("\n").length}: the line is too long (1073741824 bytes)`,
    ]);
    expect(end.skipped).toBe(1);
  });

  it("accepts any bytes in any chunks, and tees them unchanged", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)),
      fc.constantFrom(
        Buffer.from(good),
        Buffer.from("data: {"),
        Buffer.from([0xff, 0xfe, 0x0a]),
        Buffer.from('{"type":"todo_list","items":[{}]}\n'),
      ),
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 12 }), (chunks) => {
        const { teed } = run(chunks);
        expect(teed.equals(Buffer.concat(chunks))).toBe(true);
      }),
      { numRuns: sized(150, 500) },
    );
  });

  it("gives the same result for any chunking", () => {
    const whole = run(Buffer.from(good));
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 30 }), (cuts) => {
        const bytes = Buffer.from(good);
        const chunks: Buffer[] = [];
        let from = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(from, from + cut));
          from = Math.min(bytes.length, from + cut);
        }
        const pieces = run([...chunks, bytes.subarray(from)]);
        expect([pieces.json, pieces.shown]).toEqual([whole.json, whole.shown]);
      }),
      { numRuns: sized(100, 200) },
    );
  });
});

describe("the report", () => {
  it("has each agent's final list with times, evidence and open todos", () => {
    const sub = { agentId: "sub" };
    const bad = Buffer.from("not json\n");
    const { end } = run([
      linesOf([
        ...STORY.slice(0, 5),
        at(193, { type: "session.started", parentId: "main", name: "reviewer" }, sub),
        listAt(194, ["x Read", "- Guess", "! Ask"], sub),
      ]),
      bad,
    ]);
    expect(end.report()).toBe(`## Todos

### Speed up the payout page (Codex)

1 of 3 done, 1 unverified, 2 left open, 3m 5s.

- [x] Find the slow query (2m 32s, unverified)
- [ ] Add an index (in progress, 2s)
- [ ] Load in pages

### s (Codex, reviewer)

1 of 2 done, 1 unverified, 1 left open.

- [x] Read (unverified)
- ~~Guess~~ (cancelled)
- [ ] Ask (blocked)

> [!WARNING]
> 3 left open: Add an index; Load in pages; Ask  
> Skipped 1: line 8: not JSON  
`);
  });

  it("escapes Markdown in every text", () => {
    const text = "# <img src=x onerror=alert(1)> [a](https://b.example) `c` **d** | ~~e~~ @f &amp;";
    const { end } = run(linesOf([listAt(0, [`x ${text}`, "x 1. one"])]));
    expect(end.report()).toBe(`## Todos

### s (Codex)

2 of 2 done, 2 unverified.

- [x] \\# &lt;img src=x onerror=alert\\(1\\)&gt; \\[a\\]\\(https:\\/\\/b.example\\) \\\`c\\\` \\*\\*d\\*\\* \\| \\~\\~e\\~\\~ \\@f &amp;amp; (unverified)
- [x] 1\\. one (unverified)
`);
  });

  it("says that no agent wrote a list", () => {
    const { end } = run(linesOf([at(0, { type: "turn.started" })]));
    expect(end.report()).toBe("## Todos\n\nNo agent wrote todos.\n");
  });
});

it("remembers at most a thousand agents", () => {
  const events = Array.from({ length: 1_200 }, (_, index) =>
    listAt(index, ["  One"], { sessionId: `s${index}` }),
  );
  const { end } = run(linesOf(events));
  expect([end.lives.length, end.lives[0]?.session, end.open]).toEqual([1_000, "s200", 1_000]);
});
