import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Needle } from "../../src/agents/agent.ts";
import { MAX_LINE } from "../../src/sessions/transcripts/scan/lines.ts";
import { type Scanned, scanLines } from "../../src/sessions/transcripts/scan/scan.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-scan-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Read {
  readonly scanned: Scanned;
  readonly lines: readonly string[];
  readonly skipped: readonly string[];
}

function scan(
  content: string | Buffer,
  needles: readonly Needle[],
  options: { from?: number; seen?: number; to?: number; wanted?: () => readonly string[] } = {},
  each: (line: string) => void = () => undefined,
): Read {
  const path = join(folder, "lines.jsonl");
  writeFileSync(path, content);
  const lines: string[] = [];
  const skipped: string[] = [];
  const { from = 0, seen = 0, to = Buffer.byteLength(content), wanted } = options;
  const handle = openSync(path, "r");
  const scanned = scanLines(
    handle,
    { from, seen, to, lines: 0, needles, ...(wanted && { wanted }) },
    (line, number) => {
      lines.push(`${number} ${line}`);
      each(String(line));
    },
    (length, number) => skipped.push(`${number} ${length}`),
  );
  closeSync(handle);
  return { scanned, lines, skipped };
}

describe("a scan", () => {
  test("finds the lines with a needle and the end of the last complete line", () => {
    const content = 'a\n{"name":"TodoWrite"}\n{"name": "TaskList"}\nTodo\n\n"Task';
    expect(scan(content, ['"TodoWrite"', '"TaskList"'])).toEqual({
      scanned: { offset: 50, lines: 5, seen: 0, end: 55 },
      lines: ['2 {"name":"TodoWrite"}', '3 {"name": "TaskList"}'],
      skipped: [],
    });
  });

  test("scans a line across the end completely, and none after it", () => {
    const long = "x".repeat(100_000);
    const content = `needle 1\n${long} needle 2\nneedle 3\n`;
    const second = content.indexOf("needle 3");
    for (const to of [10, 50_000, second - 1])
      expect(scan(content, ["needle"], { to })).toEqual({
        scanned: { offset: second, lines: 2, seen: 0, end: second },
        lines: ["1 needle 1", `2 ${long} needle 2`],
        skipped: [],
      });
    expect(scan(content, ["needle"], { to: 9 }).lines).toEqual(["1 needle 1"]);
    // An incomplete line is left for the next scan.
    expect(scan(`needle 1\n${long} needle`, ["needle"], { to: 10 })).toMatchObject({
      scanned: { offset: 9, lines: 1, seen: 0 },
      lines: ["1 needle 1"],
    });
  });

  test("requires all texts of a needle on the line, in any order", () => {
    const content = 'plans "Write"\n"Write" a\nplans\n"Write" /plans/\n';
    const { lines } = scan(content, [['"Write"', "plans"]]);
    expect(lines).toEqual(['1 plans "Write"', '4 "Write" /plans/']);
  });

  test("asks for wanted ids again after every match", () => {
    let waiting: string[] = [];
    const content = "id-1\ncall id-1\nid-2\nanswer id-1\nid-1\n";
    const { lines } = scan(content, ["call"], { wanted: () => waiting }, (line) => {
      waiting = line.startsWith("call") ? ["id-1"] : [];
    });
    expect(lines).toEqual(["2 call id-1", "4 answer id-1"]);
  });

  test("finds an id however JSON escapes it", () => {
    const id = 'päper"7/one-two-three';
    const line = JSON.stringify({ id }).replace("ä", "\\u00e4").replace("/", "\\/");
    expect(scan(`x\n${line}\n`, [], { wanted: () => [id] }).lines).toEqual([`2 ${line}`]);
  });

  test("reports the length of a line that is too long, in one read or several", () => {
    const long = "x".repeat(MAX_LINE + 1);
    const content = `needle 1\n${long}\nneedle 3\n`;
    const whole = { lines: ["1 needle 1", "3 needle 3"], skipped: [`2 ${long.length}`] };
    const end = { offset: content.length, lines: 3, seen: 0, end: content.length };
    expect(scan(content, ["needle"])).toEqual({ ...whole, scanned: end });

    const half = scan(content, ["needle"], { to: 9 + long.length });
    expect(half.scanned).toEqual({
      offset: 9,
      lines: 1,
      seen: long.length,
      end: 9 + long.length,
    });
    const { offset: from, seen } = half.scanned;
    expect(scan(content, ["needle"], { from, seen })).toEqual({
      lines: ["2 needle 3"],
      skipped: [`1 ${long.length}`],
      scanned: { ...end, lines: 2 },
    });
  });

  test("reads a line of exactly the maximum length", () => {
    const line = `needle${"x".repeat(MAX_LINE - 6)}`;
    const { lines, skipped } = scan(`a\n${line}\nb\n`, ["needle"]);
    expect([lines.map(({ length }) => length), skipped]).toEqual([[MAX_LINE + 2], []]);
  });

  const piece = fc.constantFrom("T", "a", "s", "k", '"', "_", "Task", "plan", "é", "\\", "Qz", " ");
  const text = fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));

  test("finds exactly what a search of every line for every needle finds", () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(
          fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
          { maxLength: 30 },
        ),
        fc.array(
          text.map((needle) => needle.replaceAll("é", "e")),
          { minLength: 1, maxLength: 6 },
        ),
        (lines, needles) => {
          const expected = lines.flatMap((line, index) =>
            needles.some((needle) => line.includes(needle)) ? [`${index + 1} ${line}`] : [],
          );
          found += expected.length;
          const content = lines.map((line) => `${line}\n`).join("");
          expect(scan(content, needles).lines).toEqual(expected);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  test("finds lines across the end of a block", () => {
    const lines = Array.from({ length: 4_000 }, (_, index) =>
      index % 3 === 0 ? `${"-".repeat(index)}TodoWrite` : "-".repeat(1_000),
    );
    const { lines: read, scanned } = scan(`${lines.join("\n")}\n`, ["TodoWrite"]);
    expect(scanned.lines).toBe(4_000);
    expect(read).toEqual(lines.flatMap((line, at) => (at % 3 === 0 ? [`${at + 1} ${line}`] : [])));
  });
});
