import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type BaseFields,
  isBase,
  mergeFields,
  NO_BASE,
  nextBase,
  type SharedFields,
  sameFields,
  type TextField,
} from "../../src/tasks/files/merge.ts";
import { readFolderConfig } from "../../src/tasks/files/statuses.ts";

const value = fc.constantFrom("", "a", "b", "c");
const set = fc.uniqueArray(fc.constantFrom("x", "y", "z"));
const fields: fc.Arbitrary<SharedFields> = fc
  .record({ title: value, state: value, plan: value, labels: set, dependencies: set })
  .map(({ labels, dependencies, ...texts }) => ({
    texts: texts as SharedFields["texts"],
    sets: { labels, dependencies },
  }));

const names = (given: SharedFields) => Object.keys(given.texts) as TextField[];

test("takes the side that changed, whichever it is", () => {
  fc.assert(
    fc.property(fields, fields, (base, changed) => {
      for (const { file, task, conflicts } of [
        mergeFields(base, changed, base),
        mergeFields(base, base, changed),
        mergeFields(base, changed, changed),
        mergeFields(NO_BASE, changed, changed),
      ]) {
        expect(conflicts).toEqual([]);
        expect(sameFields(file, changed)).toBe(true);
        expect(sameFields(task, changed)).toBe(true);
      }
    }),
  );
});

test("gives both sides the same fields, except in conflicts, which keep both values", () => {
  fc.assert(
    fc.property(fields, fields, fields, fc.boolean(), (base, file, task, isLost) => {
      const merged = mergeFields(isLost ? NO_BASE : base, file, task);
      const inConflict = new Set(merged.conflicts.map(({ field }) => field));
      for (const field of names(file)) {
        const [f, t] = [merged.file.texts[field], merged.task.texts[field]];
        if (!inConflict.has(field)) expect(f).toBe(t);
        else expect([f, t]).toEqual([file.texts[field], task.texts[field]]);
        // No value is lost that one side has and the other side did not replace.
        if (file.texts[field] !== base.texts[field] && !isLost)
          expect([f, t]).toContain(file.texts[field]);
        if (task.texts[field] !== base.texts[field] && !isLost)
          expect([f, t]).toContain(task.texts[field]);
      }
      expect(merged.file.sets).toEqual(merged.task.sets);
    }),
  );
});

test("treats both sides alike", () => {
  fc.assert(
    fc.property(fields, fields, fields, (base, a, b) => {
      const one = mergeFields(base, a, b);
      const other = mergeFields(base, b, a);
      expect(sameFields(one.file, other.task)).toBe(true);
      expect(sameFields(one.task, other.file)).toBe(true);
    }),
  );
});

test("changes nothing when it is repeated, and decides conflicts for a side", () => {
  fc.assert(
    fc.property(fields, fields, fields, (before, file, task) => {
      const first = mergeFields(before, file, task);
      const base: BaseFields = nextBase(before, first.file, first.task);
      const second = mergeFields(base, first.file, first.task, { before: first.conflicts });
      expect(sameFields(second.file, first.file) && sameFields(second.task, first.task)).toBe(true);
      expect(second.conflicts).toEqual(first.conflicts);
      if (first.conflicts.length === 0) expect(isBase(base, first.file)).toBe(true);
      for (const prefer of ["files", "store"] as const) {
        const decided = mergeFields(base, first.file, first.task, { prefer });
        expect(decided.conflicts).toEqual([]);
        for (const { field, file: f, task: t } of first.conflicts)
          expect(decided.file.texts[field]).toBe(prefer === "files" ? f : t);
      }
    }),
  );
});

test("takes the side that was edited after a conflict", () => {
  const of = (title: string) =>
    ({ texts: { title }, sets: { labels: [], dependencies: [] } }) as unknown as SharedFields;
  const { conflicts: before } = mergeFields(of("a"), of("b"), of("c"));
  expect(before).toEqual([{ field: "title", file: "b", task: "c" }]);
  expect(mergeFields(of("a"), of("d"), of("c"), { before }).task.texts.title).toBe("d");
  expect(mergeFields(of("a"), of("b"), of("d"), { before }).file.texts.title).toBe("d");
  expect(mergeFields(of("a"), of("d"), of("e"), { before }).conflicts).toHaveLength(1);
});

test("takes a claim that only one side has if there is no base", () => {
  const of = (state: string) =>
    ({ texts: { state }, sets: { labels: [], dependencies: [] } }) as unknown as SharedFields;
  expect(mergeFields(NO_BASE, of("claimed ann"), of("open")).task.texts.state).toBe("claimed ann");
  expect(mergeFields(NO_BASE, of("open"), of("claimed ann")).file.texts.state).toBe("claimed ann");
  expect(mergeFields(NO_BASE, of("open"), of("done")).conflicts).toHaveLength(1);
  expect(mergeFields(of("claimed ann"), of("open"), of("claimed ann")).task.texts.state).toBe(
    "open",
  );
});

test("merges lists by entry", () => {
  const of = (labels: string[]) =>
    ({ texts: {}, sets: { labels, dependencies: [] } }) as unknown as SharedFields;
  const merged = mergeFields(of(["a", "b"]), of(["a", "c"]), of(["b", "a", "d"]));
  expect(merged.file.sets.labels).toEqual(["a", "c", "d"]);
  expect(mergeFields(NO_BASE, of(["a"]), of(["b"])).task.sets.labels).toEqual(["a", "b"]);
});

test.each([
  ["", { "To Do": "open", "in progress": "claimed", Done: "done", Other: "open" }],
  [
    'statuses: ["Backlog", "Doing", "Review", "Shipped it", "Won\'t do"]\ntask_prefix: "API"',
    { Backlog: "open", Doing: "claimed", Review: "claimed", "Won't do": "cancelled" },
  ],
  ['statuses: ["Todo", "Live"]', { Todo: "open", Live: "done", "In Progress": "claimed" }],
  ["{", { "To Do": "open", Done: "done" }],
])("maps the statuses of a folder: %s", (text, phases) => {
  const config = readFolderConfig(text);
  for (const [status, phase] of Object.entries(phases)) expect(config.phaseOf(status)).toBe(phase);
  expect(config.prefix).toBe(text.includes("API") ? "api" : "task");
});
