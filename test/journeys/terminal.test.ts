import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { claudeSession } from "../cli/claude-session.ts";
import { newMachine } from "../cli/machine.ts";
import { NO_TTY, openProgram } from "../cli/tty.ts";
import { CODEX, fixture } from "../sessions/home.ts";
import { needs } from "../skipped.ts";

const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
const MINUTE = 60_000;

test(
  "the board shows every agent and why one is stalled, and prints a summary on exit",
  needs(NO_TTY),
  async () => {
    const machine = newMachine();
    const put = (file: string, text: string) => {
      const whole = join(machine.root, file);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text);
      return whole;
    };
    const now = Date.now();
    const shelves = claudeSession(SESSION, "/srv/shop").prompt("Open the shop", now - 9 * MINUTE);
    shelves.todos(
      [
        ["Fill the shelves", "in_progress"],
        ["Turn the sign", "pending"],
      ],
      now - 8 * MINUTE,
    );
    shelves.call("Bash", { command: "ls shelves" }, now - 7 * MINUTE, "ok");
    const stalled = put(`.claude/projects/-srv-shop/${SESSION}.jsonl`, shelves.text());
    const other = "5f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
    const garden = claudeSession(other, "/srv/garden").prompt("Rake the garden", now - 20_000);
    garden.todos([["Rake the leaves", "in_progress"]], now - 10_000);
    put(`.claude/projects/-srv-garden/${other}.jsonl`, garden.text());
    put(
      `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
      fixture("codex/rollout/simple.jsonl"),
    );
    const before = readFileSync(stalled);

    const tty = openProgram("", machine.root, {
      columns: 100,
      rows: 30,
      env: { HOME: machine.root, WAYMARK_HOME: machine.home },
    });
    try {
      await tty.shows("Rake the leaves");
      await tty.until(
        (rows) => rows.some((row) => /stalled .* 7m/.test(row)),
        "that one is stalled",
      );
      // The stalled agent is first; Enter shows why.
      tty.type("\r");
      await tty.shows("Fill the shelves");
      await tty.shows("ls shelves");
      tty.type("q");
      expect(await tty.finished).toBe(0);
    } finally {
      tty.child.kill("SIGKILL");
    }
    expect(tty.scrollback().join("\n")).toContain("Open the shop");
    expect(readFileSync(stalled)).toEqual(before);
    machine.remove();
  },
);
