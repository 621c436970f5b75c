import { expect, test } from "vitest";
import type { Status } from "../../../src/core/model.ts";
import type { Row, View } from "../../../src/core/views/view.ts";
import { sectionsOf } from "../../../src/surfaces/web/state/sections.ts";

const row = (id: number, status: Status): Row => ({
  todo: { id: String(id), text: `todo ${id}`, status, createdAt: 1, movedBy: "agent" },
});
const some = (count: number, status: Status, from = 0) =>
  Array.from({ length: count }, (_, n) => row(from + n, status));

function view(phases: Readonly<Record<string, readonly Row[]>>): Pick<View, "groups" | "rows"> {
  const groups = Object.entries(phases).map(([phase, rows]) => ({
    phase,
    completed: rows.filter(({ todo }) => todo.status === "completed").length,
    total: rows.length,
    rows,
  }));
  return { groups, rows: groups.flatMap(({ rows }) => rows) };
}

const none = new Set<string>();
const drawn = (sections: ReturnType<typeof sectionsOf>) =>
  sections.map(({ phase, isFolded, rows, above, below }) => ({
    phase,
    isFolded,
    rows: rows.length,
    above: above.length,
    below: below.length,
  }));

test("shows short lists in full and folds phases on request", () => {
  const short = view({ Done: some(3, "completed"), Now: some(5, "pending") });
  const whole = sectionsOf(short, none, none);
  expect(drawn(whole)).toEqual([
    { phase: "Done", isFolded: false, rows: 3, above: 0, below: 0 },
    { phase: "Now", isFolded: false, rows: 5, above: 0, below: 0 },
  ]);
  const [done] = whole;
  expect(drawn(sectionsOf(short, none, new Set([done?.key ?? ""])))).toEqual([
    { phase: "Done", isFolded: true, rows: 0, above: 0, below: 0 },
    { phase: "Now", isFolded: false, rows: 5, above: 0, below: 0 },
  ]);
});

test("folds finished phases of long lists and shows the rows around the next todo", () => {
  const long = view({
    Database: some(40, "completed"),
    Service: [...some(100, "completed", 100), ...some(100, "pending", 200)],
    Prove: some(60, "pending", 300),
  });
  const sections = sectionsOf(long, none, none);
  expect(drawn(sections)).toEqual([
    { phase: "Database", isFolded: true, rows: 0, above: 0, below: 0 },
    { phase: "Service", isFolded: false, rows: 43, above: 97, below: 60 },
    { phase: "Prove", isFolded: false, rows: 40, above: 0, below: 20 },
  ]);
  expect(sections[1]?.rows[3]?.todo.id).toBe("200");
  const all = new Set(sections.map(({ key }) => key));
  expect(drawn(sectionsOf(long, all, none)).map(({ rows }) => rows)).toEqual([40, 200, 60]);
});
