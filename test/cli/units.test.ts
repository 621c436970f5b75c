import { homedir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitCommand } from "../../src/cli/editor.ts";
import { homePath } from "../../src/cli/home.ts";
import { toJson } from "../../src/cli/json.ts";
import { readMoment } from "../../src/cli/moment.ts";
import { nearest } from "../../src/cli/nearest.ts";
import { wantsColor, wantsUnicode } from "../../src/cli/terminal.ts";
import { sessionFor } from "../../src/cli/which-track.ts";
import { checkId } from "../../src/core/ids.ts";
import { newMachine } from "./machine.ts";

describe("the nearest name", () => {
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

describe("times", () => {
  const now = new Date(2026, 2, 1, 14, 30, 10).getTime();
  test.each([
    ["10m", now - 600_000],
    ["1h30m ago", now - 5_400_000],
    ["2d", now - 172_800_000],
    ["14:05", new Date(2026, 2, 1, 14, 5).getTime()],
    ["14:05:09", new Date(2026, 2, 1, 14, 5, 9).getTime()],
    ["2026-02-28T10:00:00Z", Date.UTC(2026, 1, 28, 10)],
    ["2026-02-28 10:00", new Date(2026, 1, 28, 10).getTime()],
  ])("%s", (given, at) => {
    expect(readMoment(given, now)).toBe(at);
  });

  test.each(["", "24:00", "9:5", "2026-13-01", "10", "10x", "yesterday"])("not %j", (given) => {
    expect(() => readMoment(given, now)).toThrow("is no time");
  });

  test("not to come", () => {
    expect(() => readMoment("15:00", now)).toThrow("lies in the future");
  });
});

describe("JSON for terminals", () => {
  const acting = ["a", "\u001b", "\u007f", "\u009b", "\u200f", "\u202e", "\u2066", "\ud800"];
  const text = fc.string({ unit: fc.constantFrom(...acting) });
  test("means the same and holds no character that acts", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), text, (value, more) => {
        const json = toJson({ value, more });
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, more })));
        expect(json).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
        );
      }),
    );
  });

  test("escapes what is beyond the basic plane, too", () => {
    expect(toJson("a\u{e0041}\u202eb")).toBe('"a\\udb40\\udc41\\u202eb"');
  });
});

describe("an editor's command", () => {
  test.each([
    ["vi", ["vi"]],
    ["code --wait", ["code", "--wait"]],
    [`"/a b/ed" -c 'set x'`, ["/a b/ed", "-c", "set x"]],
    [`ed "a \\" b" ''`, ["ed", 'a " b', ""]],
    ["  ", []],
  ])("%s", (command, words) => {
    expect(splitCommand(command)).toEqual(words);
  });

  test.skipIf(process.platform === "win32")("a backslash takes the meaning from a blank", () => {
    expect(splitCommand("/a\\ b/ed $HOME;x")).toEqual(["/a b/ed", "$HOME;x"]);
  });
});

describe("the session of a directory", () => {
  test("names it, and is an id whatever the name", async () => {
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

test("the home of each platform", () => {
  const home = homedir();
  expect(homePath({}, "linux")).toBe(join(home, ".local/share/waymark"));
  expect(homePath({ XDG_DATA_HOME: "/data" }, "linux")).toBe(join("/data", "waymark"));
  expect(homePath({ XDG_DATA_HOME: "relative" }, "linux")).toBe(join(home, ".local/share/waymark"));
  expect(homePath({}, "darwin")).toBe(join(home, "Library/Application Support/waymark"));
  expect(homePath({ LOCALAPPDATA: "/local" }, "win32")).toBe(join("/local", "waymark"));
  expect(homePath({ WAYMARK_HOME: "/own" }, "win32")).toBe("/own");
  expect(homePath({ WAYMARK_HOME: "own" }, "linux")).toBe(join(process.cwd(), "own"));
});

describe("what a terminal wants", () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ TERM: "dumb" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
  ])("colours: %j on a terminal: %j", (env, tty, wanted) => {
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
  ])("signs beyond ASCII: %j", (env, wanted) => {
    expect(wantsUnicode(env)).toBe(wanted);
  });
});
