import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openTerminal } from "../../src/cli/io/terminal.ts";
import { openHome } from "../../src/home/open.ts";
import { openFeed } from "../../src/sessions/feed.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { newMachine } from "../cli/machine.ts";

const SESSION = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";
const HOUR = 60 * 60_000;

test("publishes changes without delay after the clock was set back", async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  vi.stubEnv("HOME", machine.root);
  onTestFinished(() => void vi.unstubAllEnvs());
  const now = Date.now();
  const file = join(machine.root, ".claude", "projects", "-p", `${SESSION}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  const session = claudeSession(SESSION, "/p").todos([["one", "pending"]], now - 2 * HOUR);
  const before = session.text();
  writeFileSync(file, before);
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const terminal = openTerminal(env);
  const home = openHome(env, terminal.printError);
  onTestFinished(() => home.close());
  const feed = await openFeed({ home, env, terminal });
  onTestFinished(() => feed.stop());
  await feed.ready;
  const received: string[] = [];
  feed.subscribe(({ type }) => received.push(type));
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now - HOUR);
  onTestFinished(() => clock.mockRestore());
  session.todos([["one", "in_progress"]], now - HOUR);
  appendFileSync(file, session.text().slice(before.length));
  await expect.poll(() => received).toContain("event");
});
