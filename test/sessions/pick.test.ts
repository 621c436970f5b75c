import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldTree } from "../../src/agents/agent.ts";
import { pickFields } from "../../src/sessions/transcripts/scan/pick.ts";

const TREE: FieldTree = { a: true, b: { a: true, c: { d: true } }, 'd"e': true, é: true };

/** Picks from `line`, which is followed by other bytes in its buffer. */
function picked(line: string, after = '"}]} ', tree: FieldTree = TREE): unknown {
  const bytes = Buffer.from(`}"${line}${after}`);
  return pickFields(bytes, 2, 2 + Buffer.byteLength(line), tree);
}

/** The same fields of the parsed line. */
function expected(value: unknown, tree: FieldTree): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const wanted = Object.hasOwn(tree, name) ? tree[name] : undefined;
      if (wanted === undefined) return [];
      return [[name, wanted === true ? each : expected(each, wanted)]];
    }),
  );
}

const name = fc.constantFrom("a", "b", "c", "d", 'd"e', "é", "x", "");
const text = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom('"', "\\", "x", "{", "}", "[", ",", ":", "é", "\n"), { maxLength: 120 })
    .map((all) => all.join("")),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const line = fc
  .tuple(
    fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }),
    fc.constantFrom(undefined, 1, "\t"),
  )
  .map(([object, space]) => JSON.stringify(object, null, space));

describe("fields of a line", () => {
  test("are those that JSON.parse reads, whatever is around them", () => {
    fc.assert(
      fc.property(line, fc.constantFrom("", " ", "\r\n\t"), (given, space) => {
        expect(picked(`${space}${given}${space}`)).toEqual(expected(JSON.parse(given), TREE));
      }),
    );
  });

  test("are not read from the beginning of a line", () => {
    fc.assert(
      fc.property(
        line,
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (given, share) => {
          const cut = given.slice(0, Math.floor(given.length * share));
          expect([cut, picked(cut, given.slice(cut.length))]).toEqual([cut, undefined]);
        },
      ),
    );
  });

  test.each([
    "",
    " ",
    "[]",
    '"a"',
    "1",
    "{} {}",
    "{}x",
    "{,}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a":1 "b":2}',
    '{"a":1;"b":2}',
    '{"a" 1}',
    "{a:1}",
    '{"a":tru}',
    '{"a":1]',
    '{"a":01}',
    '{"x":,"a":1}',
    '{"a":"\u0001"}',
    '{"x":"a}',
    '{"x":"a\\"}',
    "{'a':1}",
    '{"a":1}}',
    '{"b":{"a":1}',
    '("a":1}',
    '{xa":1}',
    '{"a" 12}',
    '{"x":"a""b","a":1}',
    '{"x":[1][2],"a":1}',
    '{"a":{}{}}',
  ])("are not read from %j", (given) => {
    expect(picked(given)).toBeUndefined();
  });

  test("are read from strings of any length with any number of backslashes", () => {
    for (const length of [0, 1, 45, 46, 47, 48, 49, 50, 200])
      for (const slashes of [0, 1, 2, 3, 4])
        for (const tail of ["", '"', "x"]) {
          const long = "x".repeat(length) + "\\".repeat(slashes) + tail;
          const given = JSON.stringify({ x: long, a: long, [`x${long}`]: 1, b: { a: 2 } });
          expect(picked(given)).toEqual({ a: long, b: { a: 2 } });
        }
  });

  test("have names that JSON may escape", () => {
    expect(picked('{"\\u0061":1,"d\\"e":2,"\\u00e9":3}')).toEqual({ a: 1, 'd"e': 2, é: 3 });
    expect(picked('{"constructor":1,"a":2}')).toEqual({ a: 2 });
    expect(picked('{"\\x":1,"a":2}')).toBeUndefined();
  });

  test("are read down to a depth of 64, like the reader does", () => {
    const nested = (depth: number) => `{"x":${"[".repeat(depth)}${"]".repeat(depth)},"a":1}`;
    expect([picked(nested(63)), picked(nested(64))]).toEqual([{ a: 1 }, undefined]);
    const below = `{"b":{"x":${"[".repeat(62)}${"]".repeat(62)},"a":1}}`;
    expect(picked(below)).toEqual({ b: { a: 1 } });
    expect(picked(below.replace("[", "[[").replace("]", "]]"))).toBeUndefined();
    // Siblings do not add up.
    expect(picked(`{"x":[${"[],{},".repeat(100)}1],"a":1}`)).toEqual({ a: 1 });
  });

  test("keep their values if they are not the objects that were expected", () => {
    expect(picked('{"b":"text","a":[1,{"c":2}]}')).toEqual({ b: "text", a: [1, { c: 2 }] });
    expect(picked('{"b":{"c":{},"a":{"z":1}}}')).toEqual({ b: { c: {}, a: { z: 1 } } });
    expect(picked("{ }")).toEqual({});
  });
});
