import { expect, test } from "vitest";
import { apart } from "../../../src/surfaces/web/state/scale.ts";

test.each([
  ["labels with room stay", [10, 50, 90], [10, 50, 90]],
  ["equal labels move down", [10, 10, 10], [10, 23, 36]],
  ["at the bottom, only those in the way move up", [12, 108, 108], [12, 95, 108]],
  ["all move up if all are at the bottom", [108, 108, 108], [82, 95, 108]],
])("%s", (_, places, expected) => {
  expect(apart(places, 13, 108)).toEqual(expected);
});
