import { expect, test } from "vitest";
import { claudeCode } from "../../src/agents/claude-code/decoder.ts";
import { openReader, type Reader } from "../../src/agents/common/reader.ts";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { cpuTime } from "../cpu-time.ts";

const LEVELS = 64;
/** Longer lines are scanned before they are parsed. */
const LONG = 70_000;

const nested = (levels: number, inside = "") =>
  `${'{"a":'.repeat(levels - 1)}[${inside}]${"}".repeat(levels - 1)}`;
const padded = (line: string) => line.replace(/^\{/, `{"pad":"${"[".repeat(LONG)}",`);

const newReader = () => openReader(claudeCode, { kind: "file" }, { now: () => 0 });
const codesOf = (events: readonly StreamEvent[]) =>
  events.map((event) => (event.type === "warning" ? event.code : event.type));

/** Reads a line as it is, after an invalid line, and padded to a long line. */
function readings(line: string): readonly (readonly string[])[] {
  const suspicious = newReader();
  suspicious.line("{", 1);
  const read = (reader: Reader, given: string) => codesOf(reader.line(given, 2));
  return [
    read(newReader(), line),
    read(suspicious, line),
    ...(line.startsWith("{") ? [read(newReader(), padded(line))] : []),
  ];
}

test.each([
  ["at the limit", nested(LEVELS), []],
  ["one level deeper", nested(LEVELS + 1), ["too_large"]],
  ["too deep in an array", `[1,"]",${nested(LEVELS)}]`, ["too_large"]],
  ["brackets in a string do not count", `{"a":"${"[{".repeat(200)}\\""}`, []],
  ["too deep and never closed", '{"a":['.repeat(LEVELS), ["too_large"]],
  ["two on a line, each at the limit", nested(LEVELS) + nested(LEVELS), []],
  ["two on a line, the second too deep", `{}${nested(LEVELS + 1)}`, ["too_large"]],
  ["a special property name", `{"__proto__":${nested(LEVELS)}}`, ["too_large"]],
  ["not JSON", "{", ["bad_line"]],
])("%s: %#", (_, line, expected) => {
  for (const read of readings(line)) expect(read).toEqual(expected);
});

test("skips a thousand lines that are too deep without parsing them", () => {
  const reader = newReader();
  const line = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
  const start = cpuTime();
  for (let count = 1; count <= 1_000; count++)
    expect(codesOf(reader.line(line, count))).toEqual(["too_large"]);
  // Parsing each of them would take ten milliseconds.
  expect(cpuTime() - start).toBeLessThan(3_000);
});
