import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { PROGRAM } from "./machine.ts";
import { start } from "./running.ts";

const boards = newBoards();

test("the demo, one line per change, from the first to the last", () => {
  const { status, stdout } = boards.machine.run(["demo", "--plain", "--speed", "40"]);
  const lines = stdout.trimEnd().split("\n");
  const has = (text: string) => lines.some((line) => line.includes(text));
  expect(status).toBe(0);
  for (const text of [
    "Claude Code ledger-api/explore",
    "Codex infra",
    "Gemini ledger-web",
    "opencode ledger-web",
    "✓✓ Add the idempotency_key column",
    "note: Keep the postcode field",
  ])
    expect([text, has(text)]).toEqual([text, true]);
  expect(boards.machine.run(["demo", "--speed", "fast"]).status).toBe(2);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "a demo that %s ends takes away what it wrote",
  async (signal) => {
    const place = join(boards.machine.root, `demo-${signal}`);
    mkdirSync(place);
    const args = [PROGRAM, "demo", "--plain"];
    const demo = start(process.execPath, args, { HOME: boards.machine.root, TMPDIR: place });
    // Some versions of Node keep what they compiled there.
    const left = () => readdirSync(place).filter((name) => name.startsWith("waymark-"));
    await demo.says("Claude Code");
    expect(left().length).toBe(1);
    demo.child.kill(signal);
    expect((await demo.finished).signal).toBe(signal);
    expect(left()).toEqual([]);
  },
);
