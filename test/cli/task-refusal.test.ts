import { afterEach, beforeEach, expect, test } from "vitest";
import { refusalText } from "../../src/cli/print/task-refusal.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const NOW = Date.parse("2026-11-15T14:00:00");
const held = {
  code: "held",
  id: "t4",
  holder: "bob",
  epoch: 2,
  leaseUntil: NOW + 37 * 60_000,
} as const;

test.each([
  [
    { isClaim: true },
    "t4 is claimed by bob until 14:37. Omit TASK to claim the most urgent ready task instead.",
  ],
  [
    { as: "pat" },
    "t4 is claimed by bob until 14:37. Only its owner can do this; `waymark task assign t4 --to OWNER` takes it over.",
  ],
  [
    { as: "bob", command: "waymark task done t4" },
    "t4 is claimed by bob until 14:37; pass --epoch 2, or run `waymark task done t4` from the session that claimed it.",
  ],
  [
    { as: "bob", isClaim: true },
    "t4 is already claimed by bob until 14:37 (epoch 2). Continue with it.",
  ],
  [
    { as: "pat", command: "waymark task done t4", mayForce: true },
    "t4 is claimed by bob until 14:37. Only its owner can do this; `waymark task assign t4 --to OWNER` takes it over, or `waymark task done t4 --force` completes it anyway.",
  ],
])("names the owner and the end of the lease: %j", (context, text) => {
  expect(refusalText({ ...held, message: "" }, { ...context, now: NOW })).toBe(text);
});

test("adds the date if the lease does not end today", () => {
  const leaseUntil = Date.parse("2026-11-17T09:05:00");
  expect(refusalText({ ...held, leaseUntil, message: "" }, { now: NOW })).toContain(
    "until 17 Nov 09:05.",
  );
});

test.each([
  [["t1"], "t3 is blocked by t1. `waymark task dep t3` shows it."],
  [["t1", "t2"], "t3 is blocked by t1 and t2. `waymark task dep t3` shows them."],
  [["t1", "t2", "t5"], "t3 is blocked by t1, t2 and t5. `waymark task dep t3` shows them."],
])("names the blockers %j", (blockers, text) => {
  const refused = { code: "blocked", id: "t3", blockers, message: "" } as const;
  expect(refusalText(refused, { now: NOW })).toBe(text);
});

test("passes other refusals on", () => {
  const refused = { code: "closed", id: "t3", message: "t3 is done." } as const;
  expect(refusalText(refused, { now: NOW })).toBe("t3 is done.");
});

test("prints local time on the terminal and ISO 8601 in JSON", () => {
  machine.run(["task", "add", "Paint the fence"]);
  machine.run(["task", "claim", "t1", "--as", "ann", "--lease", "1h"]);
  const env = { TZ: "Asia/Tokyo" };
  const { status, stdout, stderr } = machine.run(["task", "claim", "t1", "--as", "bob", "--json"], {
    env,
  });
  const { leaseUntil, message } = JSON.parse(stdout);
  const tokyo = new Date(leaseUntil).toLocaleTimeString("sv-SE", { timeZone: "Asia/Tokyo" });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^waymark: t1 is claimed by ann until (?:\\d+ \\w+ )?${tokyo.slice(0, 5)}\\. `),
  );
  expect(message).toContain(new Date(leaseUntil).toISOString());
});
