import { describe, expect, test } from "vitest";
import type { CheckForm, ChecksResponse } from "../../../src/core/checks/wire.ts";
import { boardOf } from "../../../src/core/views/board.ts";
import { handleKey } from "../../../src/surfaces/terminal/keys/handle-key.ts";
import { type BoardState, newState, type Size } from "../../../src/surfaces/terminal/state.ts";
import { cells } from "../../../src/surfaces/text/draw/width.ts";
import { todo } from "../../core/track-of.ts";
import { evidenceTodos } from "../proofs.ts";
import { boardData, keyOf, NOW, screenText, team } from "./board-data.ts";

const OUTPUT = `> ledger-api@4.2.0 test
> vitest run

 ❯ test/refunds.test.ts (22 tests | 1 failed) 1.8s
   × returns the first result on a repeat 41ms
     → expected 201 to be 200
\u001b[31m FAIL \u001b[0m test/refunds.test.ts`;

const at = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return NOW - (14 * 60 + 32 - hours * 60 - minutes) * 60_000;
};

const todos = evidenceTodos((id, text, rest) => ({ ...todo(id, rest), text }), at).map((each) =>
  each.proof && !each.proof.ok ? { ...each, proof: { ...each.proof, output: OUTPUT } } : each,
);
const tracks = team().map((each) =>
  each.track.session === "refunds" && each.track.agent === "main"
    ? { ...each, track: { ...each.track, todos } }
    : each,
);
const test1: CheckForm = {
  name: "test",
  command: "npm test",
  directory: "",
  timeoutMs: 600_000,
  trust: "yours",
  hash: "a",
  lastRun: { ok: true, exitCode: 0, at: at("14:11"), durationMs: 41_000 },
};
const types: CheckForm = {
  name: "types",
  command: "npx tsc --noEmit",
  directory: "web",
  timeoutMs: 300_000,
  trust: "untrusted",
  file: ".waymark/checks.toml",
  hash: "b",
};
const checks: ChecksResponse = {
  root: "/src/ledger-api",
  isRepository: true,
  checks: [test1, types],
  problems: ["The check e2e of package.json has no command."],
};
const data = { ...boardData(tracks), board: boardOf(tracks, { now: NOW }), checks };
const refunds = keyOf(data, "refunds");
const SIZES: readonly Size[] = [
  { columns: 40, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

describe.each(SIZES)("proofs at $columns x $rows", (size) => {
  const screens: Readonly<Record<string, Partial<BoardState>>> = {
    "proof-track": { screen: "track", item: "todo 7" },
    "proof-run": {
      screen: "track",
      item: "todo 9",
      run: { todo: "Backfill keys for refunds", startedAt: NOW - 23_000, command: "npm test" },
    },
    "proof-output": { screen: "proof", item: "todo 9" },
    "proof-warnings": { screen: "proof", item: "todo 7" },
    "proof-checks": { screen: "checks", hitIndex: 1 },
  };
  test.each(Object.entries(screens))("draws %s", async (name, state) => {
    const text = screenText(data, { ...state, selected: refunds }, size);
    expect(text.split("\n").filter((line) => cells(line) > size.columns)).toEqual([]);
    expect(text).not.toContain("\u001b");
    await expect(`${text}\n`).toMatchFileSnapshot(
      `goldens/${name}-${size.columns}x${size.rows}.txt`,
    );
  });
});

describe("keys", () => {
  const size = { columns: 80, rows: 24 };
  const press = (name: string, state: Partial<BoardState> = {}) =>
    handleKey(
      { ...newState(false), screen: "track", selected: refunds, item: "todo 7", ...state },
      { name: "text", text: name },
      data,
      size,
    );

  test("v verifies the selected todo, V cancels the run", () => {
    expect(press("v").action).toMatchObject({ type: "verify", todo: { id: "7" } });
    const run = { todo: "A", startedAt: NOW };
    expect(press("v", { run }).state.message).toContain("Press V to cancel");
    expect(press("V", { run }).action).toEqual({ type: "cancel-run" });
    expect(press("V").state.message).toBe("No check is running.");
  });

  test("o opens the output of the run", () => {
    expect(press("o").state).toMatchObject({ screen: "proof", scroll: 0 });
    expect(press("o", { item: "todo 1" }).state.message).toContain("Press v to verify");
    expect(press("o", { screen: "proof" }).state.screen).toBe("track");
  });

  test("y accepts warnings", () => {
    expect(press("y", { screen: "proof" }).action).toMatchObject({
      type: "accept",
      todo: { id: "7" },
    });
    expect(press("y", { screen: "proof", item: "todo 9" }).action).toBeUndefined();
  });

  test("C lists the checks, y trusts one that may not run yet", () => {
    expect(press("C")).toMatchObject({ state: { screen: "checks" }, action: { type: "checks" } });
    const on = { screen: "checks", hitIndex: 1 } as const;
    expect(press("y", on).action).toMatchObject({
      type: "trust",
      check: { name: "types", hash: "b" },
    });
    expect(press("y", { ...on, hitIndex: 0 }).action).toBeUndefined();
    expect(press("k", on).state.hitIndex).toBe(0);
  });
});
