import { expect, onTestFinished } from "vitest";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { claudeSession } from "./claude-session.ts";
import { PROGRAM } from "./machine.ts";
import { start } from "./running.ts";
import { as, home, machine, writeSession } from "./user-machine.ts";

/** A session that only this helper writes to. */
const CANARY = "0ca0a000-9999-4999-8999-999999999999";

/** Starts `waymark watch --json` and waits until it reports changes. */
export async function watchJson() {
  const running = start(process.execPath, [PROGRAM, "watch", "--json"], {
    ...as(home),
    WAYMARK_HOME: machine.home,
  });
  onTestFinished(() => void running.child.kill("SIGKILL"));
  let printed = "";
  running.child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  const all = () =>
    printed
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as StreamEvent);
  const settled = async (): Promise<void> => {
    const before = all().length;
    const canary = claudeSession(CANARY, "/srv/canary").prompt("Go", Date.now());
    let count = 0;
    await expect
      .poll(
        () => {
          canary.todos([[`Todo ${count++}`, "pending"]], Date.now());
          writeSession(CANARY, canary.text());
          return all()
            .slice(before)
            .some(({ sessionId }) => sessionId === CANARY);
        },
        { timeout: 20_000, interval: 200 },
      )
      .toBe(true);
  };
  await settled();
  return {
    running,
    /** Resolves when everything written so far is reported. */
    settled,
    events: () => all().filter(({ sessionId }) => sessionId !== CANARY),
  };
}
