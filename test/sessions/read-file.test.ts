import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Decoder, Emit } from "../../src/agents/agent.ts";
import type { FoundSource } from "../../src/sessions/transcripts/discover.ts";
import type { Indexed, ReadOptions } from "../../src/sessions/transcripts/fold.ts";
import { readSessionFile } from "../../src/sessions/transcripts/read-file.ts";

const KB = 1024;
const LINE = 32;

let path: string;
let numbers: number[];
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-read-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  path = join(folder, "s.jsonl");
  numbers = [];
});

interface Entry {
  readonly n: number;
  readonly first?: 1;
}

/** Notes the numbers of the lines that were read. A line with `first` has the model and the first prompt. */
const decoder = {
  id: "codex",
  name: "Codex",
  basis: "",
  needles: ["LIST"],
  score: () => 0,
  start: () => ({ session: "s" }),
  read(_: unknown, record: unknown, emit: Emit) {
    const { n, first } = record as Entry;
    numbers.push(n);
    if (!first) return;
    emit({ type: "session.started", model: "m" });
    emit({ type: "turn.started", prompt: "Do it" });
  },
} as unknown as Decoder;

/** Lines of 32 bytes; `first` and `list` are their numbers. */
const linesOf = (from: number, to: number, { first = -1, list = -1 } = {}) =>
  Array.from({ length: to - from }, (_, index) => {
    const n = from + index;
    const more = { ...(n === first && { first: 1 }), ...(n === list && { t: "LIST" }) };
    return `${JSON.stringify({ n, ...more }).padEnd(LINE - 1)}\n`;
  }).join("");

function read(known?: Indexed, options?: ReadOptions): Indexed {
  const { size, mtimeMs } = statSync(path);
  const source = { dialect: "codex", kind: "file", path, size, mtime: mtimeMs } as FoundSource;
  numbers = [];
  return readSessionFile(source, known, decoder, options);
}
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("a session file that grew", () => {
  function grown(lines: number, options?: ReadOptions, list?: number) {
    writeFileSync(path, linesOf(0, 2));
    const known = read();
    appendFileSync(path, linesOf(2, 2 + lines, list === undefined ? {} : { list }));
    const entry = read(known, options);
    expect(entry.mark).toMatchObject({ offset: (2 + lines) * LINE, lines: 2 + lines });
    return numbers;
  }

  test("by up to 96 KiB is read line by line", () => {
    expect(grown((96 * KB) / LINE)).toEqual(range(2, 2 + (96 * KB) / LINE));
  });

  test("by more has only lines with lists read before the last 16 KiB", () => {
    const lines = (96 * KB) / LINE + 1;
    expect(grown(lines, {}, 1_000)).toEqual([
      1_000,
      ...range(2 + lines - (16 * KB) / LINE, 2 + lines),
    ]);
  });

  test("by up to four times a tail is read line by line", () => {
    expect(grown(40, { tail: 10 * LINE })).toEqual(range(2, 42));
    expect(grown(41, { tail: 10 * LINE })).toEqual(range(33, 43));
    expect(grown(41, { tail: 10 * LINE, whole: true })).toEqual(range(2, 43));
  });
});

describe("a new session file", () => {
  const options = { tail: 10 * LINE };

  test("has its beginning read until the model and the first prompt are known", () => {
    writeFileSync(path, linesOf(0, 100, { first: 3, list: 50 }));
    read(undefined, options);
    expect(numbers).toEqual([0, 1, 2, 3, 50, ...range(90, 100)]);
  });

  test("has more of its beginning read if they are not in the first 8 KiB", () => {
    const lines = (64 * KB) / LINE;
    const first = (8 * KB) / LINE;
    writeFileSync(path, linesOf(0, lines, { first }));
    read(undefined, options);
    expect(numbers).toEqual([...range(0, first + 1), ...range(lines - 10, lines)]);
  });

  test("has at most 256 KiB of its beginning read", () => {
    const lines = (300 * KB) / LINE;
    writeFileSync(path, linesOf(0, lines));
    read(undefined, options);
    expect(numbers).toEqual([...range(0, (256 * KB) / LINE), ...range(lines - 10, lines)]);
  });

  test("that is short is read line by line, and not again while it is the same", () => {
    writeFileSync(path, linesOf(0, 40));
    const known = read(undefined, options);
    expect(numbers).toEqual(range(0, 40));
    expect(read(known, options)).toBe(known);
    expect(numbers).toEqual([]);
  });

  test("that cannot be read keeps what was known, with the reason", () => {
    writeFileSync(path, linesOf(0, 4));
    const known = read();
    rmSync(path);
    const missing = { dialect: "codex", kind: "file", path, size: 1, mtime: 1 } as FoundSource;
    const again = readSessionFile(missing, known, decoder);
    expect(again).toStrictEqual({ ...known, problem: again.problem });
    expect(again.problem).toContain("ENOENT");
    expect(readSessionFile(missing, undefined, decoder)).toMatchObject({
      size: 1,
      lives: {},
      problem: again.problem,
    });
  });
});
