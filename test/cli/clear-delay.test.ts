import { expect, test } from "vitest";
import { claudeSession } from "./claude-session.ts";
import { A, as, eachOnItsOwn, home, MINUTE, machine, run, writeSession } from "./user-machine.ts";

eachOnItsOwn();

const shown = (env: Record<string, string>, ...args: string[]) =>
  machine.run(["todos", "--session", A, ...args], { env: { ...as(home), ...env } });

/** A todo that was completed ten minutes ago, one that was dropped then, and one that is open. */
function session(...rest: readonly (readonly [string, string])[]): void {
  const at = Date.now() - 10 * MINUTE;
  const text = claudeSession(A, "/srv/shop")
    .prompt("Go", at)
    .todos([["Read", "completed"], ["Guess", "cancelled"], ...rest], at)
    .text();
  writeSession(A, text);
}

test("hides closed todos of an open list after the delay", () => {
  session(["Write", "in_progress"]);
  expect(shown({}).stdout).toMatch(/Read[\s\S]*Write/);
  for (const env of ["60", "60s", "0"]) {
    const { stdout } = shown({ WAYMARK_CLEAR_DELAY: env });
    expect(stdout).not.toMatch(/Read|Guess/);
    expect(stdout).toContain("Write");
    expect(stdout).toContain("1 of 2");
  }
  expect(shown({}, "--clear-delay", "5m").stdout).not.toContain("Read");
  for (const style of ["boxed", "tree", "plan", "checkbox"])
    expect(shown({}, "--clear-delay", "5m", "--style", style).stdout).not.toContain("Read");
});

test("shows them before the delay has passed, with off, with a negative delay and with --all", () => {
  session(["Write", "in_progress"]);
  const kept = [
    shown({ WAYMARK_CLEAR_DELAY: "1h" }),
    shown({ WAYMARK_CLEAR_DELAY: "off" }),
    shown({ WAYMARK_CLEAR_DELAY: "-1" }),
    shown({ WAYMARK_CLEAR_DELAY: "60" }, "--clear-delay", "1h"),
    shown({ WAYMARK_CLEAR_DELAY: "60" }, "--all"),
  ];
  for (const { stdout } of kept) expect(stdout).toContain("Read");
  expect(JSON.parse(shown({ WAYMARK_CLEAR_DELAY: "0" }, "--json").stdout).todos).toHaveLength(3);
});

test("hides a list whose todos were all dropped", () => {
  const at = Date.now() - 10 * MINUTE;
  const text = claudeSession(A, "/srv/shop")
    .prompt("Go", at)
    .todos([["Guess", "cancelled"]], at)
    .text();
  writeSession(A, text);
  const { stdout } = shown({});
  expect(stdout).not.toContain("Guess");
  expect(stdout).toContain("All todos cancelled");
  expect(shown({ WAYMARK_CLEAR_DELAY: "off" }).stdout).toContain("Guess");
  expect(shown({}, "--all").stdout).toContain("Guess");
});

test("refuses an invalid delay", () => {
  session(["Write", "in_progress"]);
  const refused = shown({ WAYMARK_CLEAR_DELAY: "soon" });
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain('Invalid WAYMARK_CLEAR_DELAY "soon". Use seconds');
  expect(run("todos", "--session", A, "--clear-delay", "x").stderr).toContain("--clear-delay");
});
