import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FieldTree } from "../../src/agents/agent.ts";
import { claudeCode } from "../../src/agents/claude-code/decoder.ts";
import { opencode } from "../../src/agents/opencode/decoder.ts";
import { packUsage, unpackUsage } from "../../src/core/activity/packed-usage.ts";
import { addUsage, NO_USAGE, quarterOf } from "../../src/core/activity/usage.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Track } from "../../src/core/model.ts";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { emptyLiveTrack, foldStream, type LiveTrack } from "../../src/core/stream/fold.ts";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { readDatabase } from "../../src/sessions/transcripts/database.ts";
import type { FoundSource } from "../../src/sessions/transcripts/discover.ts";
import type { Indexed } from "../../src/sessions/transcripts/fold.ts";
import { pack, unpack } from "../../src/sessions/transcripts/index-file.ts";
import { readSessionFile } from "../../src/sessions/transcripts/read-file.ts";
import { pickFields } from "../../src/sessions/transcripts/scan/pick.ts";
import { sized } from "../full.ts";

const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-usage-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TREE: FieldTree = { type: true, message: { id: true, usage: true }, n: true };

/** The fields of a tree in a parsed record. */
function picked(value: unknown, tree: FieldTree): unknown {
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(tree).flatMap(([name, wanted]) => {
      if (!Object.hasOwn(given, name)) return [];
      const inner = given[name];
      const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
      return [[name, wanted !== true && isObject ? picked(inner, wanted) : inner]];
    }),
  );
}

test("picks the same fields as a parser, with and without white space", () => {
  const name = fc.oneof(fc.constantFrom("type", "message", "id", "usage", "n"), fc.string());
  const escaped = fc.string({ unit: fc.constantFrom('"', "\\", "a", "{"), minLength: 50 });
  const { value } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof(
      fc.string(),
      escaped,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      tie("object"),
    ),
    object: fc.oneof(fc.dictionary(name, tie("value")), fc.array(tie("value"))) as never,
  }));
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.constantFrom(0, 1), (record, indent) => {
      const line = JSON.stringify(record, null, indent).replace(/\n/g, " ");
      const bytes = Buffer.from(`x${line}\nrest"}`);
      const end = bytes.indexOf("\n");
      expect(pickFields(bytes, 1, end, TREE)).toEqual(picked(JSON.parse(line), TREE));
    }),
    { numRuns: sized(300, 3_000) },
  );
});

test.each([
  "",
  "[]",
  "{",
  '{"type"',
  '{"type":',
  '{"type":1',
  '{"type":1,}',
  '{"type":tru}',
  '{"type":"a}',
  '{"type":1}{"type":2}',
  `{"n":${"[".repeat(64)}${"]".repeat(64)}}`,
])("picks nothing from %j, which is not one record", (line) => {
  expect(pickFields(Buffer.from(line), 0, Buffer.byteLength(line), TREE)).toBeUndefined();
});

interface Step {
  readonly tokens: number;
  readonly write: boolean;
  readonly repeats: number;
  readonly printed: number;
}

const base = { sessionId: SESSION, isSidechain: false, userType: "external", cwd: "/home/dev" };

/** The lines of a session: list writes, requests with growing usage, and tool output in between. */
function linesOf(steps: readonly Step[]): string[] {
  return steps.flatMap(({ tokens, write, repeats, printed }, index) => {
    const timestamp = new Date(Date.UTC(2026, 10, 15) + index * 400_000).toISOString();
    const id = `toolu_${index}`;
    const todos = [0, 1, 2].map((number) => ({
      content: `Todo ${Math.floor(index / 5) * 3 + number}`,
      status: number === index % 5 ? "in_progress" : number < index % 5 ? "completed" : "pending",
      activeForm: "Working",
    }));
    const call = write
      ? { type: "tool_use", id, name: "TodoWrite", input: { todos } }
      : {
          type: "tool_use",
          id,
          name: "Bash",
          // Long lines are not parsed as a whole.
          input: { command: '\\"{'.repeat(printed / 5), usage: { output_tokens: 9 } },
        };
    const request = Array.from({ length: repeats + 1 }, (_, repeat) => ({
      ...base,
      timestamp,
      type: "assistant",
      uuid: `a${index}.${repeat}`,
      message: {
        id: `msg_${index}`,
        model: tokens % 2 ? "opus" : "haiku",
        content: repeat === repeats ? [call] : [{ type: "text", text: "Going on" }],
        usage: { input_tokens: tokens, output_tokens: repeat + 1 },
      },
    }));
    const result = {
      ...base,
      timestamp,
      type: "user",
      uuid: `u${index}`,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
      toolUseResult: write
        ? { newTodos: todos }
        : { stdout: "x".repeat(printed / 5), usage: { input_tokens: 7, output_tokens: 7 } },
    };
    return [...request, result].map((record) => `${JSON.stringify(record)}\n`);
  });
}

function found(path: string): FoundSource {
  const { size, mtimeMs } = statSync(path);
  return { dialect: "claude-code", kind: "file", path, session: SESSION, size, mtime: mtimeMs };
}

const usageOf = (entry: Indexed) => Object.values(entry.lives).map(({ usage }) => usage);

test("a scan, a full read and reads of any parts give the same usage", () => {
  const step = fc.record({
    tokens: fc.nat(1_000),
    write: fc.boolean(),
    repeats: fc.nat(2),
    printed: fc.constantFrom(10, 5_000, 25_000),
  });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.array(fc.nat(100_000), { maxLength: 4 }),
      (steps, cuts) => {
        const path = join(folder, `${SESSION}.jsonl`);
        const text = linesOf(steps).join("");
        writeFileSync(path, text);
        const source = found(path);
        const whole = usageOf(readSessionFile(source, undefined, claudeCode, { whole: true }));
        const tail = 1_000;
        expect(usageOf(readSessionFile(source, undefined, claudeCode, { tail }))).toEqual(whole);

        writeFileSync(path, "");
        let entry: Indexed | undefined;
        const ends = [...cuts.map((cut) => cut % text.length), text.length].sort((a, b) => a - b);
        let start = 0;
        for (const end of ends) {
          appendFileSync(path, text.slice(start, end));
          start = end;
          entry = readSessionFile(found(path), entry && stored(entry), claudeCode, { tail });
        }
        expect(entry && usageOf(entry)).toEqual(whole);

        const expected = steps.reduce(
          (sum, { tokens, repeats }) =>
            addUsage(sum, { ...NO_USAGE, input: tokens, output: repeats + 1, requests: 1 }),
          NO_USAGE,
        );
        const parts = whole.flatMap((usage) => usage?.parts ?? []);
        expect(parts.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE)).toEqual(expected);
      },
    ),
    { numRuns: sized(30, 600) },
  );
});

/** As the index stores it between two runs. */
function stored(entry: Indexed): Indexed {
  return unpack(JSON.parse(JSON.stringify(pack(entry))));
}

test("packs the usage of a track without loss, in less than half the size", () => {
  const name = fc.constantFrom("1", "2", "opus", "haiku", "__proto__", "");
  const part = fc.record(
    {
      at: fc.nat(1_000).map((quarter) => quarterOf(1_795_000_000_000) + quarter * 900_000),
      todo: name,
      model: name,
      usage: fc.record(
        {
          input: fc.maxSafeNat(),
          output: fc.nat(),
          cacheRead: fc.nat(),
          cacheWrite: fc.nat(),
          cacheWriteHour: fc.nat(),
          reasoning: fc.nat(),
          requests: fc.nat(),
        },
        {
          requiredKeys: ["input", "output", "cacheRead", "cacheWrite", "reasoning", "requests"],
          noNullPrototype: true,
        },
      ),
    },
    { requiredKeys: ["at", "usage"], noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const usage = { parts, texts: { 1: "Build it" }, focus: [{ at: 5, todo: "1" }, { at: 9 }] };
      const packed = JSON.stringify(packUsage(usage));
      expect(unpackUsage(JSON.parse(packed))).toStrictEqual(usage);
    }),
  );
  const usage = { ...NO_USAGE, input: 100, output: 20, cacheRead: 20_000 };
  const at = quarterOf(1_795_000_000_000);
  const parts = [0, 1, 2, 3].map((quarter) => ({
    at: at + quarter * 900_000,
    todo: "1",
    model: "claude-opus-4-1",
    usage,
  }));
  const whole = { parts, texts: {}, focus: [] };
  const size = JSON.stringify(packUsage(whole)).length;
  expect(size).toBeLessThan(JSON.stringify(whole).length / 2);
});

test("a database counts each message once, for the todo in progress since the last write", async () => {
  const path = join(folder, "opencode.db");
  writeFileSync(path, "");
  const driver = await loadDriver();
  const db = driver.open(path);
  const at = 1_795_000_000_000;
  const columns = {
    session: "id, parent_id, title, directory, version, time_created, time_updated",
  };
  db.exec(`CREATE TABLE session (${columns.session});
    CREATE TABLE todo (session_id, content, status, priority, position, time_created, time_updated);
    CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);
    CREATE TABLE message (id, session_id, time_created, time_updated, data);`);
  db.prepare("INSERT INTO session VALUES (?, NULL, 'Shelf', '/home/dev', '1.18', ?, ?)").run(
    "ses_1",
    at,
    at,
  );
  db.prepare("INSERT INTO todo VALUES ('ses_1', 'Build it', 'in_progress', 'high', 0, ?, ?)").run(
    at + 5_000,
    at + 5_000,
  );
  const message = db.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)");
  const tokens = { total: 40, input: 10, output: 5, reasoning: 3, cache: { read: 20, write: 2 } };
  const answer = { role: "assistant", modelID: "mini", tokens };
  const put = (id: string, time: number, data: string) => message.run(id, time, time, data);
  put("msg_1", at + 1_000, JSON.stringify(answer));
  put("msg_2", at + 2_000, JSON.stringify({ role: "user" }));
  put("msg_3", at + 6_000, JSON.stringify(answer));
  put("msg_4", at + 7_000, JSON.stringify({ ...answer, tokens: { ...tokens, total: 37 } }));
  put("msg_5", at + 8_000, "{ damaged");
  db.close();

  const { size, mtimeMs } = statSync(path);
  const source: FoundSource = { dialect: "opencode", kind: "sqlite", path, size, mtime: mtimeMs };
  const read = (history: boolean, known?: Indexed) =>
    Object.values(readDatabase(source, known, opencode, driver, { history }).lives)[0]?.usage;
  const expected = (requests: number, output: number) => ({
    input: 10 * requests,
    output,
    cacheRead: 20 * requests,
    cacheWrite: 2 * requests,
    reasoning: 3 * requests,
    requests,
  });
  const quarter = Math.floor(at / 900_000) * 900_000;
  expect(read(false)?.parts).toEqual([
    { at: quarter, model: "mini", usage: expected(1, 8) },
    { at: quarter, todo: "1", model: "mini", usage: expected(2, 13) },
  ]);
  const all = read(true)?.parts.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
  expect(all).toEqual(expected(3, 21));
});

describe("a session with a list of our own", () => {
  const at = 1_795_000_000_000;
  const usage = { ...NO_USAGE, input: 5, requests: 1 };
  const event = (body: object, timestamp = at): StreamEvent =>
    ({
      eventId: `e${timestamp}`,
      sessionId: "s",
      agentId: "main",
      agentType: "claude-code",
      timestamp,
      ...body,
    }) as StreamEvent;
  const live = (...items: { readonly text: string; readonly status: string }[]): LiveTrack => {
    const track = emptyLiveTrack(event({ type: "usage" }));
    foldStream(track, event({ type: "todo_list", todoId: "l", items }));
    foldStream(track, event({ type: "usage", usage }, at + 1));
    return track;
  };
  const own = (text: string): Track => ({
    ...emptyTrack({ session: "s", agent: "main" }),
    version: 1,
    todos: [{ id: "7", text, status: "in_progress", createdAt: at, movedBy: "agent" }],
  });
  const todosOf = (hosted: readonly Track[], track: LiveTrack) =>
    mergeTracks(hosted, [{ live: track, updatedAt: at }], at)[0]?.usage?.parts.map(
      ({ todo }) => todo,
    );

  test("shows the usage of its transcript with the ids of that list", () => {
    const track = live({ text: "Build it", status: "in_progress" });
    expect(todosOf([], track)).toEqual(["1"]);
    expect(todosOf([own("Build it")], track)).toEqual(["7"]);
  });

  test("never counts the usage of another todo for one of that list", () => {
    const track = live({ text: "Build it", status: "in_progress" });
    expect(todosOf([own("Test it")], track)).toEqual(["transcript-1"]);
  });

  test("shows the usage that a host reported if there is no transcript of it", () => {
    const reported = { ...own("Build it"), usage: live().usage } as Track;
    expect(mergeTracks([reported], [], at)[0]?.usage).toBe(reported.usage);
    const silent = emptyLiveTrack(event({ type: "usage" }));
    expect(todosOf([reported], silent)).toEqual([undefined]);
  });
});
