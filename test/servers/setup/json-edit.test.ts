import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WaymarkError } from "../../../src/core/error.ts";
import type { Value } from "../../../src/setup/edit/document.ts";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { jsonText } from "./configs.ts";

describe("setting a property keeps the layout of the file", () => {
  const value = { command: "w", args: ["mcp"] };
  it.each<[string, string, string]>([
    [
      "an empty object",
      "{}\n",
      '{\n  "a": {\n    "command": "w",\n    "args": [\n      "mcp"\n    ]\n  }\n}\n',
    ],
    [
      "an empty file",
      "",
      '{\n  "a": {\n    "command": "w",\n    "args": [\n      "mcp"\n    ]\n  }\n}\n',
    ],
    [
      "tabs",
      '{\n\t"z": 1\n}',
      '{\n\t"z": 1,\n\t"a": {\n\t\t"command": "w",\n\t\t"args": [\n\t\t\t"mcp"\n\t\t]\n\t}\n}',
    ],
    [
      "CRLF",
      '{\r\n "z": 1\r\n}\r\n',
      '{\r\n "z": 1,\r\n "a": {\r\n  "command": "w",\r\n  "args": [\r\n   "mcp"\r\n  ]\r\n }\r\n}\r\n',
    ],
    ["one line", '{ "z": 1 }', '{ "z": 1, "a": { "command": "w", "args": ["mcp"] } }'],
    ["one tight line", '{"z":1}', '{"z":1,"a":{"command":"w","args":["mcp"]}}'],
    [
      "a comment after the last property",
      '{\n  "z": 1 // last\n}',
      '{\n  "z": 1, // last\n  "a": {\n    "command": "w",\n    "args": [\n      "mcp"\n    ]\n  }\n}',
    ],
    [
      "a trailing comma",
      '{\n  "z": 1, // last\n}',
      '{\n  "z": 1, // last\n  "a": {\n    "command": "w",\n    "args": [\n      "mcp"\n    ]\n  },\n}',
    ],
    [
      "only a comment",
      "{\n  // mine\n}",
      '{\n  // mine\n  "a": {\n    "command": "w",\n    "args": [\n      "mcp"\n    ]\n  }\n}',
    ],
    ["a byte order mark", '\ufeff{"z":1}', '\ufeff{"z":1,"a":{"command":"w","args":["mcp"]}}'],
  ])("%s", (_, before, after) => {
    expect(json.set(before, ["a"], value)).toBe(after);
    const back = json.unset(after, ["a"]);
    // An empty file becomes an empty object.
    expect(back).toBe(before === "" ? "{}\n" : before);
  });

  it("creates missing parents and replaces existing values", () => {
    const made = json.set('{\n  "z": 1\n}', ["a", "b"], true);
    expect(made).toBe('{\n  "z": 1,\n  "a": {\n    "b": true\n  }\n}');
    expect(json.set("\ufeff\r\n", ["a"], 1)).toBe('\ufeff{\r\n  "a": 1\r\n}\r\n');
    expect(json.set(made, ["a", "b"], "no")).toBe('{\n  "z": 1,\n  "a": {\n    "b": "no"\n  }\n}');
  });
});

describe("removing a property removes its comma and keeps comments", () => {
  it.each<[string, string, string]>([
    ["the first", '{\n  "a": 1, // one\n  "b": 2\n}', '{ // one\n  "b": 2\n}'],
    ["the middle", '{\n  "z": 0,\n  "a": 1,\n  "b": 2\n}', '{\n  "z": 0,\n  "b": 2\n}'],
    ["the last", '{\n  "z": 0, // zero\n  "a": 1\n}', '{\n  "z": 0 // zero\n}'],
    ["the last with a comma", '{\n  "z": 0,\n  "a": 1,\n}', '{\n  "z": 0,\n}'],
    ["the only one", '{\n  "a": 1\n}', "{}"],
    ["on one line, the first", '{ "a": 1, "b": 2 }', '{ "b": 2 }'],
    ["on one line, the last", '{"b":2,"a":1}', '{"b":2}'],
    ["a duplicate key", '{"a":1,"b":2,"a":3}', '{"b":2}'],
  ])("%s", (_, before, after) => {
    expect(json.unset(before, ["a"])).toBe(after);
  });

  it("removes one member of a list", () => {
    const text = '{"l": ["x", "y", "z"]}';
    expect([0, 1, 2].map((index) => json.drop(text, ["l"], index))).toEqual([
      '{"l": ["y", "z"]}',
      '{"l": ["x", "z"]}',
      '{"l": ["x", "y"]}',
    ]);
    expect(json.append(text, ["l"], "w")).toBe('{"l": ["x", "y", "z", "w"]}');
    expect(json.append("{}", ["l"], "w")).toBe('{\n  "l": [\n    "w"\n  ]\n}');
  });
});

it("names the line of a syntax error", () => {
  const received = (text: string) => {
    try {
      return json.read(text, "/x/settings.json");
    } catch (error) {
      return error instanceof WaymarkError ? [error.code, error.message] : error;
    }
  };
  expect(received('{\n  "a": 1\n  "b": 2\n}')).toEqual([
    "broken_config",
    "/x/settings.json:3 is not valid JSON (comma expected). Nothing was written. Fix that line and run the command again.",
  ]);
  expect(received("[1]")).toEqual([
    "broken_config",
    "/x/settings.json must contain an object, not a list. Nothing was written. Change it to an object and run the command again.",
  ]);
  expect(received('{ /* fine */ "a": [1, 2,], }')).toEqual({ a: [1, 2] });
  expect(received("\ufeff  \r\n")).toEqual({});
});

it("changes nothing else in any file, and removal restores it", () => {
  const inner = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Value>;
  fc.assert(
    fc.property(
      jsonText,
      inner,
      fc.constantFrom(["ours"], ["hooks", "ours"]),
      (text, value, path) => {
        const before = json.read(text, "f") as { [name: string]: Value };
        fc.pre(!("ours" in before) && !("hooks" in before));
        const after = json.set(text, path, value);
        const expected = path.length === 1 ? { ours: value } : { hooks: { ours: value } };
        expect(json.read(after, "f")).toEqual({
          ...before,
          ...JSON.parse(JSON.stringify(expected)),
        });
        // White space inside an emptied object is not restored.
        const plain = text.trim() === "" ? "{}\n" : text.replace(/^(\s*)\{\s*\}/, "$1{}");
        expect(json.unset(after, path.slice(0, 1))).toBe(plain);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe("reading", () => {
  it.each([
    ['{ "a": 1, }', { a: 1 }],
    ['{ "a": [1, 2 , /* x */ ], // y\n }', { a: [1, 2] }],
    ['{ "a": "// no", "b": "/* no */", "c": ",}" }', { a: "// no", b: "/* no */", c: ",}" }],
    ['{ /* "a": 1, */ "b": "\\"//" /**/ , }', { b: '"//' }],
    ['// x\r\n{\r\n"a"://y\r\n1}', { a: 1 }],
    [
      '{ "__proto__": 1, "a": {"__proto__": []} } //',
      JSON.parse('{ "__proto__": 1, "a": {"__proto__": []} }'),
    ],
    ['{ "a": 1, "a": 2 } // last', { a: 2 }],
  ])("accepts %j", (text, value) => {
    expect(json.read(text, "f")).toEqual(value);
  });

  it.each([
    "{,}",
    '{ "a": , }',
    '{ "a": [,] }',
    '{ "a": 1 /* }',
    '{ "a": 1,, }',
    '{ "a": "x }',
    "{ a: 1, }",
  ])("refuses %j", (text) => {
    expect(() => json.read(text, "f")).toThrow(/f:1 is not valid JSON/);
  });
});
