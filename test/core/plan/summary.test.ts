import { expect, test } from "vitest";
import { planSummary } from "../../../src/core/plan/steps.ts";

test.each([
  ["", "a plan"],
  ["Move the sessions.", "Move the sessions."],
  ["1. Read", "1 step"],
  ["Move the sessions.\n\n1. Read\n2. Write", "2 steps. Move the sessions."],
])("the plan %j is summed up as %j", (markdown, summary) => {
  expect(planSummary(markdown)).toBe(summary);
});
