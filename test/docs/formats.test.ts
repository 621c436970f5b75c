import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/engines/sqlite/schema.ts";

const events = readFileSync("docs/reference/events.md", "utf8");
const store = readFileSync("docs/reference/store.md", "utf8");

/** The words in quotes behind `type:` or, of a list of alternatives, behind a bar. */
function namesIn(file: string, from: string, to: string, pattern: RegExp): string[] {
  const source = readFileSync(file, "utf8");
  const part = source.slice(source.indexOf(from), source.indexOf(to, source.indexOf(from)));
  return [...part.matchAll(pattern)].flatMap(([, names = ""]) =>
    [...names.matchAll(/"([\w.]+)"/g)].map(([, name = ""]) => name),
  );
}

test("every type of the event stream has its row, and no row is left over", () => {
  const types = namesIn(
    "src/core/stream/events.ts",
    "export type StreamBody",
    "export type WarningCode",
    /type: ([^;]+);/g,
  );
  const rows = [...events.matchAll(/^\| `([a-z_.]+)` \| .*\|$/gm)].map(([, name]) => name);
  const first = rows.slice(rows.indexOf("todo_list"), rows.indexOf("warning") + 1);
  expect(first.toSorted()).toEqual(types.toSorted());
});

test("every code of a warning, every change and every table is named", () => {
  const codes = namesIn(
    "src/core/stream/events.ts",
    "export type WarningCode",
    "export type StreamEvent",
    /\| ("\w+")/g,
  );
  const changes = namesIn(
    "src/core/model.ts",
    "export type Change =",
    "export type Moment",
    /type: ("[\w.]+")/g,
  );
  const schema = MIGRATIONS.map(({ sql }) => sql).join("");
  const tables = [...schema.matchAll(/CREATE TABLE "?(\w+)/g)].map(([, name = ""]) => name);
  const names = [...codes, ...changes, ...tables];
  expect(names.length).toBeGreaterThan(25);
  expect(names.filter((name) => !`${events}${store}`.includes(`\`${name}\``))).toEqual([]);
});
