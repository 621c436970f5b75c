import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { waymark } from "./running.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-line-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function line(args: readonly string[], input = "", env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await waymark(["statusline", ...args], input, {
    WAYMARK_HOME: home,
    NO_COLOR: "1",
    ...env,
  });
  return { code, stdout: stdout.toString(), stderr };
}

const fine = (stdout: string) => ({ code: 0, stdout: `${stdout}\n`, stderr: "" });

async function write(session: string, todos: readonly unknown[]): Promise<void> {
  const input = JSON.stringify({ todos });
  await waymark(["tool", "todos", "--session", session], input, { WAYMARK_HOME: home });
}

const claude = (session: string) =>
  JSON.stringify({ session_id: session, cwd: "/p", model: { id: "m" }, workspace: {} });

describe("waymark statusline", () => {
  test("shows the session that Claude Code names, or the newest", async () => {
    await write("one", [{ text: "Read", status: "completed" }, { text: "Write" }]);
    await write("two", [{ text: "Test" }]);
    expect(await line([], claude("one"))).toEqual(fine("▌ ▯· 1/2 next Write"));
    expect(await line([], claude("two"))).toEqual(fine("▌ · 0/1 next Test"));
    expect(await line([], claude("three"))).toEqual(fine("▌ no todos yet"));
    expect(await line([])).toEqual(fine("▌ · 0/1 next Test"));
    expect(await line(["--ascii"], claude("one"))).toEqual(fine("| [=.] 1/2 next Write"));
    expect((await line(["--tmux"])).stdout).toMatch(/^wm \S+ 0\/1\n$/);
  });

  test("takes the width from the option or COLUMNS", async () => {
    await write("one", [{ text: "Write a long story about it all" }]);
    expect(await line(["--width", "20"])).toEqual(fine("▌ · 0/1 next Write…"));
    expect(await line(["--width=20"])).toEqual(fine("▌ · 0/1 next Write…"));
    expect(await line([], "", { COLUMNS: "20" })).toEqual(fine("▌ · 0/1 next Write…"));
    expect(await line([], "", { COLUMNS: "no" })).toEqual(
      fine("▌ · 0/1 next Write a long story about it all"),
    );
  });

  test("measures wide characters", async () => {
    await write("one", [{ text: "漢字を書く文章" }]);
    expect(await line(["--width", "20"])).toEqual(fine("▌ · 0/1 next 漢字を…"));
  });

  test("uses colors unless NO_COLOR is set", async () => {
    const { stdout } = await line([], "", { NO_COLOR: "" });
    expect(stdout).toContain("\u001b[");
  });

  test.each([
    ["garbage", "{{{"],
    ["a number", "3"],
    ["null", "null"],
    ["a list", "[]"],
    ["a session that is none", '{"session_id":{}}'],
  ])("shows the newest session for %s as input", async (_, input) => {
    expect(await line([], input)).toEqual(fine("▌ no todos yet"));
  });

  test("ignores a broken or hostile status file", async () => {
    for (const text of ["{", "{}", "[1,null,[],{}]", '[{"session":"s","todos":5}]']) {
      writeFileSync(join(home, "status.json"), text);
      expect(await line([], claude("s"))).toEqual(fine("▌ no todos yet"));
      expect((await line(["--tmux"])).code).toBe(0);
    }
    expect((await line([], "", { WAYMARK_HOME: "/proc/none/x" })).stdout).toBe("▌ no todos yet\n");
  });

  test("ingests pending events in the background", async () => {
    await write("one", [{ text: "Write" }]);
    mkdirSync(join(home, "spool"), { recursive: true });
    const file = join(home, "spool", "one.PreToolUse.claude.1");
    writeFileSync(file, '{"session_id":"one","tool_name":"Bash"}');
    utimesSync(file, 1_000, 1_000);
    expect((await line([], claude("one"))).code).toBe(0);
    await expect.poll(() => readdirSync(join(home, "spool"))).toEqual([]);
  });

  test("does not retry failed events with every line", async () => {
    const tried = join(home, "tried");
    const observer = join(home, "witness.cjs");
    writeFileSync(
      observer,
      `require("node:child_process").spawn = (_, [, command]) => {
        require("node:fs").appendFileSync(${JSON.stringify(tried)}, command + " ");
        return { on() {}, unref() {} };
      };`,
    );
    const draw = async () => {
      const { code } = await line([], claude("one"), { NODE_OPTIONS: `--require=${observer}` });
      expect(code).toBe(0);
      return readFileSync(tried, "utf8");
    };
    const file = join(home, "spool", "one.PreToolUse.claude.1");
    const folded = join(home, "folded");
    const ago = (path: string, seconds: number) => {
      const at = Date.now() / 1_000 - seconds;
      utimesSync(path, at, at);
    };
    mkdirSync(join(home, "spool"));
    writeFileSync(file, '{"session_id":"one","tool_name":"Bash"}');
    ago(file, 100);
    expect(await draw()).toBe("ls ");
    expect(await draw()).toBe("ls ");
    ago(folded, 60);
    expect(await draw()).toBe("ls ls ");
    expect(await draw()).toBe("ls ls ");
    // Later events are not the ones that failed.
    ago(folded, 20);
    ago(file, 10);
    expect(await draw()).toBe("ls ls ls ");
  });

  test("reports invalid arguments", async () => {
    const { code, stderr } = await line(["--width", "wide"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--width");
    expect((await line(["--help"])).stdout).toContain("waymark statusline");
  });
});
