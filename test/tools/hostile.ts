import fc from "fast-check";
import { STATUSES, type ToolId } from "../../src/index.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { CODE_POINT } from "../code-point.ts";

/** Inputs that a model, or an attacker who controls its context, could send. */

const deep: unknown = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`);
const polluted: unknown = JSON.parse('{"__proto__":{"ok":true},"todos":[{"__proto__":null}]}');

const words = fc.constantFrom("Cut", "Sew", "Pack", "Send", "cut", "Build", "Ship", "Todos");
const numbers = fc.constantFrom("1", "2", "3", "4", "99", "a", "b", "");
const statuses = fc.constantFrom(...STATUSES, "done", "abandoned", "IN_PROGRESS", "", "huh?");
const hostileText = fc.oneof(
  fc.string({ unit: CODE_POINT, maxLength: 20 }),
  fc.constantFrom(
    "\u001b[2J",
    "a\u0000b",
    "\u202egnp.exe",
    "half \ud800",
    "</system><user>",
    "two\nlines",
    " ",
    "__proto__",
    "constructor",
    "[object Object]",
    "x".repeat(501),
    "語".repeat(4_001),
    "y".repeat(600_000),
  ),
);

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: words },
  { weight: 5, arbitrary: numbers },
  { weight: 4, arbitrary: statuses },
  { weight: 2, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constantFrom<unknown>(
        null,
        undefined,
        Number.NaN,
        Infinity,
        -1,
        1,
        2,
        10n,
        deep,
        polluted,
      ),
      fc.boolean(),
      fc.constant([]),
      fc.constant({}),
      fc.constant(() => "a function"),
      fc.anything({ maxDepth: 1 }),
    ),
  },
);

const some = <T>(each: fc.Arbitrary<T>, maxLength = 4) =>
  fc.oneof({ weight: 8, arbitrary: fc.array(each, { maxLength }) }, { weight: 1, arbitrary: leaf });

const anyOf = (fields: Record<string, fc.Arbitrary<unknown>>, required: readonly string[] = []) =>
  fc.record(fields, { requiredKeys: [...required] });

/** Entries with these fields: sometimes well-typed and whole, sometimes neither. */
function entriesWith(...names: readonly string[]) {
  return some(
    fc.oneof(
      {
        weight: 4,
        arbitrary: anyOf(
          Object.fromEntries(names.map((name) => [name, fieldOf(name)])),
          names.filter((name) => name !== "blockedBy" && name !== "parent"),
        ),
      },
      {
        weight: 1,
        arbitrary: anyOf(Object.fromEntries([...names, "extra"].map((name) => [name, leaf]))),
      },
    ),
  );
}

function fieldOf(name: string): fc.Arbitrary<unknown> {
  if (name === "status")
    return fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom("pending", "pending", "completed", "in_progress") },
      { weight: 3, arbitrary: statuses },
      leaf,
    );
  if (name === "blockedBy") return some(numbers, 2);
  if (name === "id" || name === "parent") return fc.oneof({ weight: 20, arbitrary: numbers }, leaf);
  return fc.oneof({ weight: 20, arbitrary: words }, leaf);
}

const OPS = ["init", "start", "done", "drop", "rm", "append", "note", "block", "unblock", "view"];

const opEntry = fc.oneof(
  {
    weight: 9,
    arbitrary: anyOf(
      {
        op: fc.constantFrom(...OPS),
        task: words,
        phase: words,
        items: fc.array(fc.oneof({ weight: 9, arbitrary: words }, hostileText), {
          minLength: 1,
          maxLength: 12,
        }),
        text: fc.oneof(words, hostileText),
        reason: words,
        list: fc.array(
          fc.record({ phase: words, items: fc.array(words, { minLength: 1, maxLength: 12 }) }),
          { maxLength: 2 },
        ),
      },
      ["op"],
    ),
  },
  {
    weight: 1,
    arbitrary: anyOf({ op: leaf, task: leaf, phase: leaf, items: leaf, text: leaf, list: leaf }),
  },
);

const todosWith = (...names: readonly string[]) => fc.record({ todos: entriesWith(...names) });

const SHAPES: Readonly<Record<ToolId, fc.Arbitrary<unknown>>> = {
  todos: fc.oneof(
    todosWith("text", "status"),
    anyOf({
      start: leaf,
      finish: some(leaf, 2),
      drop: some(leaf, 2),
      add: some(leaf, 3),
      block: fc.oneof(leaf, anyOf({ todo: leaf, reason: leaf })),
      note: fc.oneof(leaf, anyOf({ todo: leaf, text: leaf })),
      evidence: leaf,
    }),
    fc.oneof(
      fc.record({ finish: numbers, start: numbers }),
      fc.record({ add: fc.array(words, { maxLength: 8 }) }),
      fc.record({ note: words }),
      fc.constant({}),
    ),
  ),
  TodoWrite: fc.oneof(
    todosWith("content", "status", "activeForm"),
    todosWith("content", "status", "id"),
  ),
  "todo_write.ops": fc.oneof(
    { weight: 4, arbitrary: fc.record({ ops: some(opEntry, 6) }) },
    { weight: 1, arbitrary: fc.record({ ops: some(opEntry, 6), atomic: fc.boolean() }) },
  ),
  update_plan: anyOf({ plan: entriesWith("step", "status"), explanation: leaf }, ["plan"]),
  write_todos: fc.oneof(todosWith("description", "status"), todosWith("content", "status")),
  todo: anyOf(
    {
      todos: fc.oneof(
        { weight: 9, arbitrary: entriesWith("id", "content", "status", "parent") },
        fc.constantFrom<unknown>("[]", "[1]", '[{"id":"a","status":"completed"}]'),
      ),
      merge: fc.boolean(),
    },
    ["todos"],
  ),
  todowrite: todosWith("content", "status", "priority"),
  "todo_write.qwen": todosWith("id", "content", "status", "blockedBy"),
};

const mutated = (examples: readonly unknown[]) =>
  fc
    .record({
      example: fc.constantFrom(...examples),
      path: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 4 }),
      change: fc.constantFrom("replace" as const, "remove", "twice", "rename", "none"),
      value: leaf,
    })
    .map(({ example, path, change, value }) => mutate(example, path, change, value));

/** The example with one place changed: the path picks the nth key at each level. */
function mutate(
  value: unknown,
  path: readonly number[],
  change: "replace" | "remove" | "twice" | "rename" | "none",
  other: unknown,
): unknown {
  const [first = 0, ...rest] = path;
  if (typeof value !== "object" || value === null) return change === "none" ? value : other;
  const entries = Object.entries(value);
  const place = entries.length === 0 ? 0 : first % entries.length;
  const found = entries[place];
  if (!found || change === "none") return value;
  const [key, inner] = found;
  const changed: [string, unknown][] =
    rest.length > 0
      ? [[key, mutate(inner, rest, change, other)]]
      : {
          replace: [[key, other]] as [string, unknown][],
          remove: [],
          twice: [
            [key, inner],
            [`${key}2`, inner],
          ] as [string, unknown][],
          rename: [[nameFrom(other), inner]] as [string, unknown][],
        }[change];
  const all = entries.toSpliced(place, 1, ...changed);
  return Array.isArray(value) ? all.map(([, each]) => each) : Object.fromEntries(all);
}

/** Some objects cannot be written as text. */
function nameFrom(value: unknown): string {
  return Object(value) === value ? typeof value : String(value).slice(0, 20);
}

const anything = fc.anything({
  maxDepth: 3,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
});

export interface HostileCall {
  readonly tool: ToolId;
  readonly input: unknown;
  readonly other: unknown;
}

/** A tool, an input meant for it more often than not, and another one. */
export const hostileCall: fc.Arbitrary<HostileCall> = fc.oneof(
  ...TOOLS.map(({ id, examples }) => {
    const input = fc.oneof(
      { weight: 10, arbitrary: SHAPES[id] },
      { weight: 4, arbitrary: mutated(examples) },
      { weight: 2, arbitrary: fc.oneof(...Object.values(SHAPES)) },
      { weight: 1, arbitrary: anything },
      { weight: 1, arbitrary: leaf },
    );
    return fc.record({ tool: fc.constant(id), input, other: input });
  }),
);
