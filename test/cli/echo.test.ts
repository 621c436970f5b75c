import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FULL } from "../full.ts";
import { until } from "../until.ts";
import { claudeSession } from "./claude-session.ts";
import { newMachine, PROGRAM } from "./machine.ts";

/** Changes after all watchers have reported one. */
const CHANGES = FULL ? 200 : 5;
const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
const ECHO = "00000000-7b1e-4c0e-9f57-2a64d1f0c9be";

/** Session folders of agents, which Waymark follows. */
const FILES = {
  claude: `.claude/projects/-p/${ECHO}.jsonl`,
  codex: `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${ECHO}.jsonl`,
  qwen: `.qwen/projects/-p/chats/${ECHO}.jsonl`,
};

test("does not follow its own output, wherever it is written", {
  tags: ["own-output"],
  timeout: 120_000,
}, async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const file = join(machine.root, ".claude/projects/-p", `${SESSION}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  const session = claudeSession(SESSION, "/p").prompt("Go", Date.now());
  writeFileSync(file, session.text());
  const echoes = Object.values(FILES).map((name) => join(machine.root, name));
  for (const path of echoes) {
    mkdirSync(dirname(path), { recursive: true });
    const out = openSync(path, "a");
    const child = spawn(process.execPath, [PROGRAM, "watch", "--json"], {
      env: { PATH: process.env.PATH, HOME: machine.root, WAYMARK_HOME: machine.home },
      stdio: ["ignore", out, out],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
  }
  const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
  let written = session.text().length;
  const grow = (text: string) => {
    session.todos([[text, "in_progress"]], Date.now());
    appendFileSync(file, session.text().slice(written));
    written = session.text().length;
  };
  const have = (text: string) =>
    echoes.every((path) => linesOf(path).some((line) => line.includes(`"${text}"`)));
  // Existing state is not reported, so changes are made until all watchers have reported one.
  let n = 0;
  await until(
    () => {
      if (echoes.every((path) => linesOf(path).length > 0)) return true;
      grow(`Step ${n++}`);
      return false;
    },
    "a change that all of them print",
    { interval: 250 },
  );
  // A watcher that read its own output would print it before the next change.
  for (let change = 0; change < CHANGES; change++) {
    grow(`Change ${change}`);
    await until(() => have(`Change ${change}`), `change ${change} in every file`);
  }
  for (const path of echoes) {
    const lines = linesOf(path).filter((line) => line.includes('"Change '));
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.length).toBeLessThanOrEqual(2 * CHANGES);
  }
  const sessions = new Set(
    echoes.flatMap(linesOf).map((line) => (JSON.parse(line) as { sessionId: string }).sessionId),
  );
  expect([...sessions]).toEqual([SESSION]);
});
