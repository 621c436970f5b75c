import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOOK_AGENTS } from "../../../src/agents/index.ts";
import { recordQuietly } from "../../../src/servers/hooks/quick.ts";
import { bornOf } from "../../../src/sessions/caller/processes.ts";

/** A program in the place of ours: it writes down that it was called, with what, and answers. */
const WITNESS = `#!/bin/sh
{ printf '%s ' "$@"; cat; } >> "$WITNESS_FILE"
echo answered
`;

const SHELLS = ["dash", "bash", "busybox", "ksh", "mksh", "zsh"].filter(
  (shell) => spawnSync("which", [shell]).status === 0,
);
const POSIX = { bash: ["--posix"], busybox: ["sh"], zsh: ["--emulate", "sh"] };

let home: string;
let witness: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark script-"));
  witness = join(home, "witness.sh");
  writeFileSync(witness, WITNESS, { mode: 0o755 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Situation {
  readonly due?: string;
  /** The line of the session's process; by default this one. */
  readonly process?: string | null;
  readonly waiting?: readonly string[];
}

const OWN = `${process.pid} ${bornOf(process.pid) ?? "unknown"}\n`;

function arrange({ due, process: line = OWN, waiting = [] }: Situation): void {
  rmSync(join(home, "sessions"), { recursive: true, force: true });
  mkdirSync(join(home, "sessions"));
  if (line !== null) writeFileSync(join(home, "sessions", "s.pid"), line);
  rmSync(join(home, "spool"), { recursive: true, force: true });
  rmSync(join(home, "due"), { recursive: true, force: true });
  rmSync(join(home, "woken"), { force: true });
  for (const dir of ["spool", "due"]) mkdirSync(join(home, dir));
  if (due !== undefined) writeFileSync(join(home, "due", "s"), due);
  for (const name of waiting) {
    const file = join(home, "spool", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "{}");
  }
}

function call(
  shell: string,
  event: string,
  input: string | Buffer,
  env: Record<string, string | undefined> = { WAYMARK_HOME: home },
) {
  const before = [...(POSIX[shell as keyof typeof POSIX] ?? []), "bin/waymark-hook"];
  const { status, stdout, stderr } = spawnSync(
    shell,
    [...before, witness, "hook", "claude", event],
    {
      input,
      encoding: "utf8",
      env: { PATH: process.env.PATH, WITNESS_FILE: join(home, "woken"), ...env },
    },
  );
  return { status, stdout, stderr };
}

const SPOOLED = { status: 0, stdout: "", stderr: "" };
const WOKEN = { status: 0, stdout: "answered\n", stderr: "" };

const call1 = JSON.stringify({
  session_id: "s",
  tool_name: "Bash",
  tool_response: { stdout: 'a "quoted" \\n %s $HOME `x` \u00e9' },
});

const posts = (count: number) =>
  Array.from({ length: count }, (_, index) => `s.PostToolUse.claude.${index}`);

const ENDED = spawnSync(process.execPath, ["-e", ""]).pid;

const SITUATIONS: readonly [string, string, string, Situation, boolean][] = [
  ["nothing is due for long", "PostToolUse", call1, { due: "10 1 1\n" }, true],
  [
    "due after two more, one waits",
    "PostToolUse",
    call1,
    { due: "3 1 1\n", waiting: posts(1) },
    true,
  ],
  ["due with this one", "PostToolUse", call1, { due: "3 1 1\n", waiting: posts(2) }, false],
  [
    "due with this one, two are being taken in",
    "PostToolUse",
    call1,
    { due: "3 1 1\n", waiting: [`.open-1-x/${posts(1)}`, `.sealed-1-y/${posts(1)}`] },
    false,
  ],
  [
    "what is taken in does not count",
    "PostToolUse",
    call1,
    { due: "2 1 1\n", waiting: [`.part.sealed-1-y/${posts(1)}`, `.part.open-1-y/${posts(1)}`] },
    true,
  ],
  ["due now", "PostToolUse", call1, { due: "1 0 0\n" }, false],
  [
    "others of the session do not count",
    "AfterTool",
    call1,
    { due: "2 0 0\n", waiting: ["s.PreToolUse.claude.1", "t.PostToolUse.claude.2"] },
    true,
  ],
  [
    "a failure counts as well",
    "PostToolUse",
    call1,
    { due: "2 0 0\n", waiting: ["s.PostToolUseFailure.claude.1"] },
    false,
  ],
  ["what begins is never answered", "PreToolUse", call1, { due: "1 1 1\n" }, true],
  ["a prompt with nothing to say", "UserPromptSubmit", call1, { due: "1 0 1\n" }, true],
  ["a prompt with something to say", "UserPromptSubmit", call1, { due: "9 1 0\n" }, false],
  ["a prompt of another agent", "BeforeAgent", call1, { due: "9 1 0\n" }, false],
  ["a stop with nothing open", "Stop", call1, { due: "1 1 0\n" }, true],
  ["a stop with something open", "Stop", call1, { due: "9 0 1\n" }, false],
  ["a stop of another agent", "AfterAgent", call1, { due: "9 0 1\n" }, false],
  ["a session that begins", "SessionStart", call1, { due: "9 0 0\n" }, false],
  ["a session that ends", "SessionEnd", call1, { due: "9 0 0\n" }, false],
  ["an event nobody knows", "Other", call1, { due: "9 0 0\n" }, false],
  ["a session nobody knows", "PostToolUse", call1, {}, false],
  ["a mark that is none", "PostToolUse", call1, { due: "soon\n" }, false],
  ["an empty mark", "PostToolUse", call1, { due: "" }, false],
  [
    "a list tool of Claude Code",
    "PostToolUse",
    '{"session_id":"s","tool_name":"TodoWrite"}',
    { due: "9 0 0\n" },
    false,
  ],
  [
    "a task tool",
    "PostToolUse",
    '{"session_id":"s","tool_name":"TaskUpdate"}',
    { due: "9 0 0\n" },
    false,
  ],
  [
    "a list tool of Codex",
    "PostToolUse",
    '{"session_id":"s","tool_name":"update_plan"}',
    { due: "9 0 0\n" },
    false,
  ],
  [
    "a list tool of Gemini",
    "AfterTool",
    '{"session_id":"s","tool_name":"write_todos"}',
    { due: "9 0 0\n" },
    false,
  ],
  [
    "a list tool of opencode",
    "PostToolUse",
    '{"session_id":"s","tool_name":"todowrite"}',
    { due: "9 0 0\n" },
    false,
  ],
  [
    "a process that has ended",
    "PreToolUse",
    call1,
    { due: "9 0 0\n", process: `${ENDED} 1\n` },
    false,
  ],
  ["no process yet", "UserPromptSubmit", call1, { due: "9 0 0\n", process: null }, false],
  ["a line that is none", "PreToolUse", call1, { due: "9 0 0\n", process: "$(x) 1\n" }, false],
  ["a process nobody knows", "PreToolUse", call1, { due: "9 0 0\n", process: "0 \n" }, true],
  [
    "a process with a number that is used again",
    "PreToolUse",
    call1,
    { due: "9 0 0\n", process: `${process.pid} 1\n` },
    process.platform !== "linux",
  ],
  ["no session", "PreToolUse", "{}", { due: "9 0 0\n" }, false],
  [
    "a session that is a path",
    "PreToolUse",
    '{"session_id":"../due/s"}',
    { due: "9 0 0\n" },
    false,
  ],
  ["garbage", "PreToolUse", "\u0001garbage", { due: "9 0 0\n" }, false],
  ["nothing at all", "PreToolUse", "", { due: "9 0 0\n" }, false],
];

describe.each(SHELLS)("the script, run by %s", (shell) => {
  test.each(SITUATIONS)("%s: %s", (_, event, input, situation, spooled) => {
    arrange(situation);
    const before = readdirSync(join(home, "spool"));
    expect(call(shell, event, input)).toEqual(spooled ? SPOOLED : WOKEN);
    const added = readdirSync(join(home, "spool")).filter((name) => !before.includes(name));
    if (spooled) {
      expect(added).toEqual([expect.stringMatching(new RegExp(`^s\\.${event}\\.claude\\.\\d+$`))]);
      expect(readFileSync(join(home, "spool", added[0] ?? ""), "utf8")).toBe(input);
      expect(statSync(join(home, "spool", added[0] ?? "")).mode & 0o777).toBe(0o600);
      expect(existsSync(join(home, "woken"))).toBe(false);
    } else {
      expect(added).toEqual([]);
      expect(readFileSync(join(home, "woken"), "utf8")).toBe(`hook claude ${event} ${input}`);
    }
  });

  test("ten megabytes are kept as they came", () => {
    arrange({ due: "9 0 0\n" });
    const input = JSON.stringify({
      session_id: "s",
      tool_name: "Bash",
      tool_response: "\\x\n".repeat(2_500_000),
    });
    const began = performance.now();
    expect(call(shell, "PostToolUse", input)).toEqual(SPOOLED);
    expect(performance.now() - began).toBeLessThan(10_000);
    const [name = ""] = readdirSync(join(home, "spool"));
    expect(readFileSync(join(home, "spool", name), "utf8") === input).toBe(true);
  });

  test("megabytes that name no session are handed on in time", () => {
    arrange({ due: "9 0 0\n" });
    const began = performance.now();
    expect(call(shell, "PostToolUse", `{"x":"${"y".repeat(5_000_000)}"}`)).toEqual(WOKEN);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("a spool that is not there, or is a file, is told to the program", () => {
    arrange({ due: "9 0 0\n" });
    rmSync(join(home, "spool"), { recursive: true });
    expect(call(shell, "PreToolUse", call1)).toEqual(WOKEN);
    writeFileSync(join(home, "spool"), "");
    expect(call(shell, "PreToolUse", call1)).toEqual(WOKEN);
    const one = `hook claude PreToolUse ${call1}`;
    expect(readFileSync(join(home, "woken"), "utf8")).toBe(one + one);
  });

  test("a program that is not there", () => {
    arrange({});
    rmSync(witness);
    expect(call(shell, "PostToolUse", call1)).toEqual(SPOOLED);
  });

  test("the home is where the program looks for it", () => {
    arrange({ due: "9 0 0\n" });
    const xdg = join(home, "data");
    mkdirSync(join(xdg, "waymark", "due"), { recursive: true });
    mkdirSync(join(xdg, "waymark", "spool"));
    cpSync(join(home, "sessions"), join(xdg, "waymark", "sessions"), { recursive: true });
    writeFileSync(join(xdg, "waymark", "due", "s"), "9 0 0\n");
    expect(call(shell, "PreToolUse", call1, { HOME: home, XDG_DATA_HOME: xdg })).toEqual(SPOOLED);
    expect(readdirSync(join(xdg, "waymark", "spool"))).toHaveLength(1);
    const data = join(home, ".local", "share", "waymark");
    mkdirSync(join(data, "due"), { recursive: true });
    mkdirSync(join(data, "spool"));
    cpSync(join(home, "sessions"), join(data, "sessions"), { recursive: true });
    writeFileSync(join(data, "due", "s"), "9 0 0\n");
    for (const XDG_DATA_HOME of [undefined, "", "relative"])
      expect(call(shell, "PreToolUse", call1, { HOME: home, XDG_DATA_HOME })).toEqual(SPOOLED);
    expect(readdirSync(join(data, "spool"))).toHaveLength(3);
    expect(call(shell, "PreToolUse", call1, {})).toEqual(WOKEN);
  });

  test("the program is given certificates only where it may ask a server", () => {
    writeFileSync(witness, `#!/bin/sh\ncat >/dev/null; echo "$NODE_EXTRA_CA_CERTS."\n`);
    const told = (env: Record<string, string>) =>
      call(shell, "Stop", call1, { WAYMARK_HOME: home, NODE_EXTRA_CA_CERTS: "ca.pem", ...env });
    expect(told({}).stdout).toBe(".\n");
    expect(told({ WAYMARK_STORE: "" }).stdout).toBe(".\n");
    expect(told({ WAYMARK_STORE: "postgres://db/x" }).stdout).toBe("ca.pem.\n");
  });
});

describe("the same without a shell", () => {
  test.each(SITUATIONS)("%s: %s", (_, event, input, situation, spooled) => {
    arrange(situation);
    const before = readdirSync(join(home, "spool")).length;
    expect(recordQuietly(home, "claude", event, input)).toBe(spooled);
    expect(readdirSync(join(home, "spool")).length - before).toBe(spooled ? 1 : 0);
  });
});

test("what the script cannot keep, the program keeps, or says why not", () => {
  arrange({ due: "9 0 0\n" });
  const spool = join(home, "spool");
  const program = [process.execPath, "bin/waymark.js", "hook", "claude", "PreToolUse"];
  const happen = () => {
    const env = { PATH: process.env.PATH, WAYMARK_HOME: home };
    const run = spawnSync("sh", ["bin/waymark-hook", ...program], {
      input: call1,
      encoding: "utf8",
      env,
    });
    expect([run.status, run.stdout, run.stderr]).toEqual([0, "", ""]);
  };
  rmSync(spool, { recursive: true });
  for (let count = 0; count < 3; count++) happen();
  expect(readdirSync(spool)).toHaveLength(3);
  rmSync(spool, { recursive: true });
  writeFileSync(spool, "");
  happen();
  expect(readFileSync(join(home, "hook.log"), "utf8")).toMatch(/ claude PreToolUse: ENOTDIR: /);
});

test("the script knows every event by its pace", () => {
  const script = readFileSync("bin/waymark-hook", "utf8");
  const branch = (name: string) =>
    script.split("\n").find((line) => line.trim().startsWith(name)) ?? "";
  const known = {
    record: branch("PreToolUse |"),
    step: branch("PostToolUse |"),
    prompt: branch("UserPromptSubmit |"),
    stop: branch("Stop |"),
  };
  for (const { events } of HOOK_AGENTS)
    for (const [name, { pace, observe }] of Object.entries(events)) {
      if (pace === "ask" || name === "SubagentStop") continue;
      // What tells nothing need not be quick: it need not be asked for.
      if (pace === "record" && observe({}).length === 0) continue;
      expect(known[pace].split(/[ |)]+/), name).toContain(name);
    }
});
