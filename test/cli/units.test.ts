import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseTime } from "../../src/cli/args/time.ts";
import { splitCommand } from "../../src/cli/io/editor.ts";
import { wantsColor, wantsUnicode } from "../../src/cli/io/terminal.ts";
import { checkId } from "../../src/core/text/ids.ts";
import { nearest } from "../../src/core/text/nearest.ts";
import { homePath } from "../../src/home/path.ts";
import { filterByName } from "../../src/sessions/resolve.ts";
import { sessionFor } from "../../src/sessions/target.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";
import { newMachine } from "./machine.ts";

describe("nearest", () => {
  const known = ["todos", "todo", "history", "ls"];
  test.each([
    ["tods", "todos"],
    ["hist", "history"],
    ["hsitory", "history"],
    ["sl", "ls"],
    ["TODOS", "todos"],
    ["banana", undefined],
    ["", undefined],
  ])("of %j is %j", (given, wanted) => {
    expect(nearest(given, known)).toBe(wanted);
  });
});

describe("followed sessions", () => {
  const OF_AGENTS = ["ses_abcd", "ses_abcdef", "0198a2c4-7d11-7000-8000-000000000001"];
  const KNOWN = ["longses", "longsession-abcdef", ...OF_AGENTS];
  test.each([
    ["", KNOWN],
    ["longses", ["longses"]],
    ["long", []],
    ["ses_abcd", ["ses_abcd"]],
    ["ses_abcde", ["ses_abcdef"]],
    ["ses_", ["ses_abcd", "ses_abcdef"]],
    ["019", []],
    ["0198a2c4", ["0198a2c4-7d11-7000-8000-000000000001"]],
  ])("%j among all", (given, wanted) => {
    const { has, isKnown } = filterByName(given);
    expect(KNOWN.filter(has)).toEqual(wanted);
    expect(isKnown()).toBe(wanted.length > 0);
  });

  test("prefer the exact name", () => {
    const { has } = filterByName("ses_abcd");
    const known = ["ses_abcdef", "ses_abcd", "ses_abcdef"];
    expect(known.map(has)).toEqual([true, true, false]);
  });
});

describe("parseTime", () => {
  const now = new Date(2026, 2, 1, 14, 30, 10).getTime();
  test.each([
    ["10m", now - 600_000],
    ["1h30m ago", now - 5_400_000],
    ["2d", now - 172_800_000],
    ["14:05", new Date(2026, 2, 1, 14, 5).getTime()],
    ["14:05:09", new Date(2026, 2, 1, 14, 5, 9).getTime()],
    // Before three o'clock, 03:00 means yesterday.
    ["15:00", new Date(2026, 1, 28, 15).getTime()],
    ["2026-02-28T10:00:00Z", Date.UTC(2026, 1, 28, 10)],
    ["2026-02-28 10:00", new Date(2026, 1, 28, 10).getTime()],
  ])("%s", (given, at) => {
    expect(parseTime(given, now)).toBe(at);
  });

  test.each(["", "24:00", "9:5", "2026-13-01", "10", "10x", "yesterday"])("rejects %j", (given) => {
    expect(() => parseTime(given, now)).toThrow("Invalid time");
  });

  test("rejects times in the future", () => {
    expect(() => parseTime("2026-03-01 15:00", now)).toThrow("It is in the future.");
  });
});

describe("splitCommand", () => {
  test.each([
    ["vi", ["vi"]],
    ["code --wait", ["code", "--wait"]],
    [`"/a b/ed" -c 'set x'`, ["/a b/ed", "-c", "set x"]],
    [`ed "a \\" b" ''`, ["ed", 'a " b', ""]],
    ["  ", []],
  ])("%s", (command, words) => {
    expect(splitCommand(command)).toEqual(words);
  });

  test("a backslash escapes a blank", needs(NOT_ON_WINDOWS), () => {
    expect(splitCommand("/a\\ b/ed $HOME;x")).toEqual(["/a b/ed", "$HOME;x"]);
  });
});

describe("the session of a directory", () => {
  test("has its name and is a valid id for any name", async () => {
    const machine = newMachine();
    try {
      for (const name of ["My Project", "my-agent-tool", "agent", "x-agent", "日本", "..x", "-"]) {
        const made = machine
          .bash(`mkdir -p -- "$NAME" && cd -- "$NAME" && pwd -P`, {
            env: { NAME: `./${name}` },
          })
          .stdout.trim();
        const session = await sessionFor(made);
        expect(checkId("session", session)).toBeUndefined();
        expect(session).toMatch(/^[a-z0-9][a-z0-9_-]*[-_][0-9a-f]{6}$/);
        expect(await sessionFor(made)).toBe(session);
      }
      expect(await sessionFor(machine.cwd)).toMatch(/^project-/);
      expect(await sessionFor(machine.cwd)).not.toBe(await sessionFor(machine.root));
    } finally {
      machine.remove();
    }
  });
});

test("finds the home of each platform", () => {
  const home = homedir();
  expect(homePath({}, "linux")).toBe(join(home, ".local/share/waymark"));
  expect(homePath({ XDG_DATA_HOME: "/data" }, "linux")).toBe(join("/data", "waymark"));
  expect(homePath({ XDG_DATA_HOME: "relative" }, "linux")).toBe(join(home, ".local/share/waymark"));
  expect(homePath({}, "darwin")).toBe(join(home, "Library/Application Support/waymark"));
  expect(homePath({ LOCALAPPDATA: "/local" }, "win32")).toBe(join("/local", "waymark"));
  expect(homePath({ WAYMARK_HOME: "/own" }, "win32")).toBe("/own");
  expect(homePath({ WAYMARK_HOME: "own" }, "linux")).toBe(join(process.cwd(), "own"));
});

describe("colors and Unicode", () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ TERM: "dumb" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
  ])("colors: %j on a terminal: %j", (env, tty, wanted) => {
    expect(wantsColor(env, tty)).toBe(wanted);
  });

  test.each([
    [{}, true],
    [{ LANG: "en_US.UTF-8" }, true],
    [{ LANG: "de_DE.utf8" }, true],
    [{ LANG: "C" }, false],
    [{ LC_ALL: "C", LANG: "en_US.UTF-8" }, false],
    [{ LC_ALL: "", LC_CTYPE: "C.UTF-8", LANG: "C" }, true],
    [{ TERM: "linux", LANG: "C.UTF-8" }, false],
    [{ WAYMARK_ASCII: "1", LANG: "C.UTF-8" }, false],
    [{ WAYMARK_ASCII: "0" }, true],
  ])("Unicode: %j", (env, wanted) => {
    expect(wantsUnicode(env)).toBe(wanted);
  });
});
