import { expect, test } from "vitest";
import { parsePrices } from "../../../src/core/cost/price-file.ts";

const parsed = (text: string) => {
  const result = parsePrices(text);
  return "table" in result ? Object.fromEntries(result.table) : `${result.line}: ${result.problem}`;
};

test("reads prices, with a byte order mark and a comma at the end", () => {
  expect(
    parsed('\uFEFF{\n "mini": { "input": 0, "output": 2.5, "cacheRead": 1e-1, },\n}\n'),
  ).toEqual({ mini: [{ input: 0, output: 2.5, cacheRead: 0.1 }] });
  expect(parsed("{}")).toEqual({});
});

test.each([
  ["", "1: Expected { for an object of models, not the end of the file."],
  ["[]", "1: Expected { for an object of models, not [."],
  ['{\n"mini": 3\n}', '2: Expected { for the prices of "mini", not 3.'],
  ['{\n"mini": {"input": 1}\n}', '2: "mini" needs "input" and "output".'],
  [
    '{"mini": {\n"input": 1,\n"outptu": 2}}',
    '3: Unknown key "outptu" of "mini". Did you mean "output"? Use input, output, cacheRead, cacheWrite, cacheWriteHour.',
  ],
  [
    '{"mini": {"something": 1}}',
    '1: Unknown key "something" of "mini". Use input, output, cacheRead, cacheWrite, cacheWriteHour.',
  ],
  [
    '{"mini": {"input": "1", "output": 2}}',
    '1: "input" of "mini" is "1". Use dollars per million tokens, 0 to 10000.',
  ],
  [
    '{"mini": {"input": -1, "output": 2}}',
    '1: "input" of "mini" is -1. Use dollars per million tokens, 0 to 10000.',
  ],
  [
    '{"mini": {"input": NaN, "output": 2}}',
    '1: "input" of "mini" is NaN. Use dollars per million tokens, 0 to 10000.',
  ],
  ['{"mini": {"input": 1, "input": 2}}', '1: "input" of "mini" is repeated.'],
  ['{\n"a": {"input":1,"output":1},\n"a": {"input":1,"output":1}}', '3: "a" is repeated.'],
  ['{"mini" {}}', '1: Expected : after "mini", not {.'],
  ["{mini: {}}", "1: Expected a key in quotes in an object of models, not mini."],
  ['{"mini\n": {}}', '1: Expected a key in quotes in an object of models, not ".'],
  [
    '{"mini": {"input":1,"output":1}',
    "1: Expected , or } in an object of models, not the end of the file.",
  ],
  ['{"mini": {"input":1,"output":1}}\n\n{}', "3: Unexpected { after the object."],
])("names the line and the key: %j", (text, problem) => {
  expect(parsed(text)).toBe(problem);
});
