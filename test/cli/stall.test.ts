import { expect, test } from "vitest";
import { claudeSession } from "./claude-session.ts";
import {
  A,
  as,
  eachOnItsOwn,
  home,
  MINUTE,
  machine,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

function silentFor(milliseconds: number, command?: string): void {
  const at = Date.now() - milliseconds;
  const session = claudeSession(A, "/srv/shop").prompt("Go", at - MINUTE);
  const text = session.todos([["Build", "in_progress"]], at - SECOND);
  writeSession(A, command === undefined ? text.text() : text.call("Bash", { command }, at).text());
}

const stateWith = (env: Record<string, string> = {}) => {
  const { stdout, stderr, status } = machine.run(["ls", "--json"], {
    env: { ...as(home), ...env },
  });
  return status === 0 ? JSON.parse(stdout)[0].state : `${status} ${stderr}`;
};

test("60 s of silence between calls make a stall, 5 minutes while a command runs", () => {
  silentFor(70 * SECOND);
  expect(stateWith()).toBe("stalled");
  silentFor(70 * SECOND, "make");
  expect(stateWith()).toBe("working");
  silentFor(6 * MINUTE, "make");
  expect(stateWith()).toBe("stalled");
});

test("both limits can be set", () => {
  silentFor(70 * SECOND);
  expect(stateWith({ WAYMARK_STALL_AFTER: "90s" })).toBe("working");
  silentFor(70 * SECOND, "make");
  expect(stateWith({ WAYMARK_STALL_AFTER_RUNNING: "65s" })).toBe("stalled");
  silentFor(6 * MINUTE, "make");
  expect(stateWith({ WAYMARK_STALL_AFTER_RUNNING: "1h30m" })).toBe("working");
  expect(stateWith({ WAYMARK_STALL_AFTER: "", WAYMARK_STALL_AFTER_RUNNING: "" })).toBe("stalled");
});

test.each(["banana", "0s", "90", "-5m", "5 m"])("refuses %j as a duration", (given) => {
  silentFor(70 * SECOND);
  for (const name of ["WAYMARK_STALL_AFTER", "WAYMARK_STALL_AFTER_RUNNING"])
    expect(stateWith({ [name]: given })).toBe(
      `3 waymark: Invalid ${name} "${given}". Use a duration such as 90s, 5m or 1h30m.\n`,
    );
});

test("help lists both variables", () => {
  const { stdout } = machine.run(["help", "environment"]);
  expect(stdout).toMatch(/WAYMARK_STALL_AFTER [^W]*default: 60s/);
  expect(stdout).toMatch(/WAYMARK_STALL_AFTER_RUNNING [^W]*default: 5m/);
});
