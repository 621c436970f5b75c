import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claudeSession } from "./claude-session.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

function ok(...args: string[]): string {
  const { status, stdout, stderr } = machine.run(args);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

const listed = (...args: string[]) =>
  (machine.json(["ls", ...args]) as { session: string }[]).map(({ session }) => session).sort();

describe("waymark archive", () => {
  test("hides a session everywhere until it changes", () => {
    ok("todo", "add", "Write", "--session", "one");
    ok("todo", "add", "Read", "--session", "two");
    expect(ok("archive", "one")).toBe(
      "Archived “Write”. It comes back when it changes; `waymark archive --undo` shows it now.\n",
    );
    expect(listed()).toEqual(["two"]);
    expect(listed("--archived")).toEqual(["one"]);
    expect(listed("--all")).toEqual(["one", "two"]);
    expect(machine.run(["ls"]).stderr).toContain("1 session, 1 archived.");
    expect(ok("ls", "--all")).toMatch(/one.*archived/);
    expect(ok("statusline", "--tmux")).toContain("Read 0/1");
    expect(machine.run(["todos"]).stdout).toContain("Read");
    // A named session is shown, archived or not.
    expect(ok("todos", "--session", "one")).toContain("Write");
    ok("todo", "done", "1", "--session", "one");
    expect(listed()).toEqual(["one", "two"]);
  });

  test("says so if every session of a directory is archived", () => {
    ok("todo", "add", "Write", "--session", "one");
    ok("archive", "one");
    const { status, stderr } = machine.run(["todos"]);
    expect(status).toBe(1);
    expect(stderr).toContain("Every session in this directory is archived.");
    expect(machine.run(["ls"]).stdout).toBe("Every session is archived.\n");
    expect(ok("statusline", "--tmux")).not.toContain("Write");
    ok("archive", "--undo", "one");
    expect(ok("todos")).toContain("Write");
  });

  test("archives what is finished, and lists it", () => {
    for (const session of ["done", "open"]) ok("todo", "add", "Write", "--session", session);
    ok("todo", "done", "1", "--session", "done");
    expect(JSON.parse(ok("archive", "--all-finished", "--json"))).toEqual([
      { session: "done", title: "Write", archived: true, at: expect.any(String) },
    ]);
    expect(listed()).toEqual(["open"]);
    expect(ok("archive", "--list")).toContain("done");
    expect(machine.json(["archive", "--list"])).toMatchObject([
      { session: "done", archived: true, archivedAt: expect.any(String) },
    ]);
    expect(ok("archive", "--all-finished")).toBe("No session to archive.\n");
    expect(ok("archive", "--undo", "--all-finished")).toBe("Shown again: “Write”.\n");
    expect(ok("archive", "--list")).toBe("No archived sessions.\n");
  });

  test("archives automatically after the setting, and not again what was taken out", () => {
    const session = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";
    const file = claudeSession(session, machine.cwd);
    file.prompt("Old work", Date.now() - 9 * 24 * 3_600_000);
    const dir = join(machine.root, ".claude", "projects", "-p");
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `${session}.jsonl`), file.text());
    const env = { WAYMARK_ARCHIVE_AFTER: "7d" };
    const names = () =>
      (JSON.parse(machine.run(["ls", "--json"], { env }).stdout) as { session: string }[]).length;
    expect(listed()).toEqual([session]);
    expect(names()).toBe(0);
    expect(machine.run(["archive", "--undo", "0b0c"], { env }).status).toBe(0);
    expect(names()).toBe(1);
    const refused = machine.run(["ls"], { env: { WAYMARK_ARCHIVE_AFTER: "never" } });
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("Use a duration such as 12h or 7d, or off.");
  });

  test("changes nothing if one name is wrong, or if an agent runs it", () => {
    ok("todo", "add", "Write", "--session", "one");
    const unknown = machine.run(["archive", "one", "two"]);
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toContain('No session matches "two", so nothing was changed.');
    expect(machine.run(["archive"]).status).toBe(2);
    expect(machine.run(["archive", "one", "--all-finished"]).status).toBe(2);
    expect(machine.run(["archive", "--older-than", "soon"]).status).toBe(2);
    const agent = machine.run(["archive", "one"], {
      env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01" },
    });
    expect(agent.stderr).toContain("Archiving sessions is a decision of the user");
    expect(listed()).toEqual(["one"]);
  });
});
