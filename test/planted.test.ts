import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Bug {
  readonly id: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly gate: readonly [file: string, name: string];
}

const bugs = JSON.parse(readFileSync("test/planted.json", "utf8")) as readonly Bug[];

test("lists enough mistakes with unique names", () => {
  expect(bugs.length).toBeGreaterThanOrEqual(20);
  expect(new Set(bugs.map(({ id }) => id)).size).toBe(bugs.length);
});

test.each(bugs)("$id can still be planted, and its test is there", ({ file, from, to, gate }) => {
  expect(readFileSync(file, "utf8").split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  expect(existsSync(gate[0])).toBe(true);
});
