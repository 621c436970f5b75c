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
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOOK_AGENTS } from "../../../src/agents/hooks.ts";
import { spoolIfNothingDue } from "../../../src/servers/hooks/quick.ts";
import { startTimeOf } from "../../../src/sessions/caller/processes.ts";

/** Replaces our program: records its arguments and input, and answers. */
const WITNESS = `#!/bin/sh
{ printf '%s ' "$@"; cat; } >> "$CALLS_FILE"
echo answered
`;

const SHELLS = ["dash", "bash", "busybox", "ksh", "mksh", "zsh"].filter(
  (shell) => spawnSync("which", [shell]).status === 0,
);
const POSIX = { bash: ["--posix"], busybox: ["sh"], zsh: ["--emulate", "sh"] };

let home: string;
let fakeProgram: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark script-"));
  fakeProgram = join(home, "fakeProgram.sh");
  writeFileSync(fakeProgram, WITNESS, { mode: 0o755 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Situation {
  readonly due?: string;
  /** The recorded process of the session (default: this process). */
  readonly process?: string | null;
  readonly waiting?: readonly string[];
  /** Files that sessions edit, as `SESSION/NAME` (default: the session has a directory without marks). */
  readonly marks?: readonly string[];
}

const OWN = `${process.pid} ${startTimeOf(process.pid) ?? "unknown"}\n`;

function arrange({ due, process: line = OWN, waiting = [], marks = [] }: Situation): void {
  rmSync(join(home, "sessions"), { recursive: true, force: true });
  mkdirSync(join(home, "sessions"));
  if (line !== null) writeFileSync(join(home, "sessions", "s.pid"), line);
  rmSync(join(home, "spool"), { recursive: true, force: true });
  rmSync(join(home, "due"), { recursive: true, force: true });
  rmSync(join(home, "calls"), { force: true });
  rmSync(join(home, "edits"), { recursive: true, force: true });
  for (const dir of ["spool", "due", "edits"]) mkdirSync(join(home, dir));
  mkdirSync(join(home, "edits", "s"));
  for (const mark of marks) {
    mkdirSync(dirname(join(home, "edits", mark)), { recursive: true });
    writeFileSync(join(home, "edits", mark), "");
  }
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
    [...before, fakeProgram, "hook", "claude", event],
    {
      input,
      encoding: "utf8",
      env: { PATH: process.env.PATH, CALLS_FILE: join(home, "calls"), ...env },
    },
  );
  return { status, stdout, stderr };
}

const SPOOLED = { status: 0, stdout: "", stderr: "" };
const ANSWERED = { status: 0, stdout: "answered\n", stderr: "" };

const call1 = JSON.stringify({
  session_id: "s",
  tool_name: "Bash",
  tool_response: { stdout: 'a "quoted" \\n %s $HOME `x` \u00e9' },
});

const editOf = (path: string, tool = "Edit") =>
  JSON.stringify({
    session_id: "s",
    transcript_path: "/home/t.ts",
    tool_name: tool,
    tool_input: { file_path: path, old_string: '"file_path":"/x/other.ts"', new_string: "" },
  });
const patchOf = (...paths: readonly string[]) =>
  JSON.stringify({
    session_id: "s",
    tool_name: "apply_patch",
    tool_input: { command: paths.map((path) => `*** Update File: ${path}\n@@\n+a\n`).join("") },
  });

const posts = (count: number) =>
  Array.from({ length: count }, (_, index) => `s.PostToolUse.claude.${index}`);

const ENDED = spawnSync(process.execPath, ["-e", ""]).pid;

const MARKED: Situation = { due: "9 0 0\n", marks: ["t/b.ts", "s/own.ts"] };

const SITUATIONS: readonly [string, string, string, Situation, boolean][] = [
  ["nothing is due for long", "PostToolUse", call1, { due: "10 1 1\n" }, true],
  [
    "due after two more steps, one pending",
    "PostToolUse",
    call1,
    { due: "3 1 1\n", waiting: posts(1) },
    true,
  ],
  ["due with this one", "PostToolUse", call1, { due: "3 1 1\n", waiting: posts(2) }, false],
  [
    "due with this step, two being ingested",
    "PostToolUse",
    call1,
    { due: "3 1 1\n", waiting: [`.open-1-x/${posts(1)}`, `.sealed-1-y/${posts(1)}`] },
    false,
  ],
  [
    "ingested events do not count",
    "PostToolUse",
    call1,
    { due: "2 1 1\n", waiting: [`.part.sealed-1-y/${posts(1)}`, `.part.open-1-y/${posts(1)}`] },
    true,
  ],
  ["due now", "PostToolUse", call1, { due: "1 0 0\n" }, false],
  ["an edit of a file that no other session edits", "PreToolUse", editOf("/p/a.ts"), MARKED, true],
  ["an edit of a file that another session edits", "PreToolUse", editOf("/p/b.ts"), MARKED, false],
  ["the end of such an edit", "PostToolUse", editOf("/p/b.ts"), MARKED, false],
  ["a file that another session reads", "PreToolUse", editOf("/p/b.ts", "Read"), MARKED, true],
  ["a file that only this session edits", "PreToolUse", editOf("/p/own.ts"), MARKED, true],
  ["a patch of one file", "PreToolUse", patchOf("p/a.ts"), MARKED, true],
  ["a patch of a file that another session edits", "PreToolUse", patchOf("p/b.ts"), MARKED, false],
  ["a patch of several files", "PreToolUse", patchOf("p/a.ts", "p/b.ts"), MARKED, false],
  ["a name that is no mark", "PreToolUse", editOf("/p/a \u00e9.ts"), MARKED, false],
  [
    "another session edits files without a plain name",
    "PreToolUse",
    editOf("/p/a.ts"),
    { due: "9 0 0\n", marks: ["t/_"] },
    false,
  ],
  [
    "other events of the session do not count",
    "AfterTool",
    call1,
    { due: "2 0 0\n", waiting: ["s.PreToolUse.claude.1", "t.PostToolUse.claude.2"] },
    true,
  ],
  [
    "a failed call counts as well",
    "PostToolUse",
    call1,
    { due: "2 0 0\n", waiting: ["s.PostToolUseFailure.claude.1"] },
    false,
  ],
  [
    "an agent that names the event first",
    "PreToolUse",
    '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Read"}',
    { due: "9 0 0\n" },
    true,
  ],
  [
    "a list tool of Copilot CLI",
    "PostToolUse",
    '{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"sql"}',
    { due: "9 0 0\n" },
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
  ["an unknown event", "Other", call1, { due: "9 0 0\n" }, false],
  ["an unknown session", "PostToolUse", call1, {}, false],
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
  ["an unknown process", "PreToolUse", call1, { due: "9 0 0\n", process: "0 \n" }, true],
  [
    "a process id that was reused",
    "PreToolUse",
    call1,
    { due: "9 0 0\n", process: `${process.pid} 1\n` },
    process.platform !== "linux",
  ],
  ["no session", "PreToolUse", "{}", { due: "9 0 0\n" }, false],
  [
    "a session id that is a path",
    "PreToolUse",
    '{"session_id":"../due/s"}',
    { due: "9 0 0\n" },
    false,
  ],
  ["garbage", "PreToolUse", "\u0001garbage", { due: "9 0 0\n" }, false],
  ["nothing at all", "PreToolUse", "", { due: "9 0 0\n" }, false],
];

describe.each(SHELLS)("bin/waymark-hook in %s", (shell) => {
  test.each(SITUATIONS)("%s: %s", (_, event, input, situation, spooled) => {
    arrange(situation);
    const before = readdirSync(join(home, "spool"));
    expect(call(shell, event, input)).toEqual(spooled ? SPOOLED : ANSWERED);
    const added = readdirSync(join(home, "spool")).filter((name) => !before.includes(name));
    if (spooled) {
      expect(added).toEqual([expect.stringMatching(new RegExp(`^s\\.${event}\\.claude\\.\\d+$`))]);
      expect(readFileSync(join(home, "spool", added[0] ?? ""), "utf8")).toBe(input);
      expect(statSync(join(home, "spool", added[0] ?? "")).mode & 0o777).toBe(0o600);
      expect(existsSync(join(home, "calls"))).toBe(false);
    } else {
      expect(added).toEqual([]);
      expect(readFileSync(join(home, "calls"), "utf8")).toBe(`hook claude ${event} ${input}`);
    }
  });

  test("spools ten megabytes unchanged", () => {
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

  test("passes megabytes without a session id to the program in time", () => {
    arrange({ due: "9 0 0\n" });
    const began = performance.now();
    expect(call(shell, "PostToolUse", `{"x":"${"y".repeat(5_000_000)}"}`)).toEqual(ANSWERED);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("runs the program if the spool is missing or a file", () => {
    arrange({ due: "9 0 0\n" });
    rmSync(join(home, "spool"), { recursive: true });
    expect(call(shell, "PreToolUse", call1)).toEqual(ANSWERED);
    writeFileSync(join(home, "spool"), "");
    expect(call(shell, "PreToolUse", call1)).toEqual(ANSWERED);
    const one = `hook claude PreToolUse ${call1}`;
    expect(readFileSync(join(home, "calls"), "utf8")).toBe(one + one);
  });

  test("marks the file of an edit, unless that is disabled", () => {
    arrange({ due: "9 0 0\n", marks: ["t/b.ts"] });
    const off = { WAYMARK_HOME: home, WAYMARK_COLLISIONS: "off" };
    expect(call(shell, "PreToolUse", editOf("/p/b.ts"), off)).toEqual(SPOOLED);
    expect(readdirSync(join(home, "edits", "s"))).toEqual([]);
    expect(call(shell, "PreToolUse", editOf("/p/a.ts"))).toEqual(SPOOLED);
    expect(call(shell, "PreToolUse", editOf(`/p/${"x".repeat(120_000)}`))).toEqual(ANSWERED);
    expect(readdirSync(join(home, "edits", "s")).sort()).toEqual(["_", "a.ts"]);
    rmSync(join(home, "edits", "s"), { recursive: true });
    expect(call(shell, "PreToolUse", editOf("/p/a.ts"))).toEqual(ANSWERED);
  });

  test.each<[string, string, string, string | undefined, boolean]>([
    ["no file", "Stop", call1, undefined, true],
    ["a file without a check", "Stop", call1, "max-todos = 3\n", true],
    ["a file that may name a check", "Stop", call1, "# none\nstop-check = 'x'", false],
    ["a file with escapes", "Stop", call1, '"st\\u006fp-check" = 1\n', false],
    ["a long file", "Stop", call1, "# x\n".repeat(600), false],
    ["a file and a call", "PostToolUse", call1, "stop-check = 'x'\n", true],
    [
      "no file and a list write",
      "PreToolUse",
      '{"session_id":"s","tool_name":"TodoWrite"}',
      undefined,
      true,
    ],
    [
      "a file and a list write",
      "PreToolUse",
      '{"session_id":"s","tool_name":"TodoWrite"}',
      "ascii = true\n",
      false,
    ],
  ])("%s: %s", (_, event, input, text, spooled) => {
    arrange({ due: "9 0 0\n" });
    const file = join(home, "waymark", "config.toml");
    mkdirSync(dirname(file), { recursive: true });
    if (text !== undefined) writeFileSync(file, text);
    const past = Date.now() / 1_000 - 60;
    for (const path of [dirname(file), ...(text === undefined ? [] : [file])])
      utimesSync(path, past, past);
    const env = { WAYMARK_HOME: home, XDG_CONFIG_HOME: home };
    expect(call(shell, event, input, env)).toEqual(spooled ? SPOOLED : ANSWERED);
    // The variable wins over the file.
    const set = { ...env, WAYMARK_STOP_CHECK: "", WAYMARK_OFF_IN: "" };
    expect(call(shell, event, input, set)).toEqual(SPOOLED);
    utimesSync(dirname(file), past + 120, past + 120);
    expect(call(shell, event, input, set)).toEqual(ANSWERED);
  });

  test("exits silently if the program is missing", () => {
    arrange({});
    rmSync(fakeProgram);
    expect(call(shell, "PostToolUse", call1)).toEqual(SPOOLED);
  });

  test("finds the same home as the program", () => {
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
    expect(call(shell, "PreToolUse", call1, {})).toEqual(ANSWERED);
  });

  test("passes certificates only if the program may connect to a server", () => {
    writeFileSync(fakeProgram, `#!/bin/sh\ncat >/dev/null; echo "$NODE_EXTRA_CA_CERTS."\n`);
    const passed = (env: Record<string, string>) =>
      call(shell, "Stop", call1, { WAYMARK_HOME: home, NODE_EXTRA_CA_CERTS: "ca.pem", ...env });
    expect(passed({}).stdout).toBe(".\n");
    expect(passed({ WAYMARK_STORE: "" }).stdout).toBe(".\n");
    expect(passed({ WAYMARK_STORE: "postgres://db/x" }).stdout).toBe("ca.pem.\n");
  });
});

describe("spoolIfNothingDue", () => {
  test.each(SITUATIONS)("%s: %s", (_, event, input, situation, spooled) => {
    arrange(situation);
    const before = readdirSync(join(home, "spool")).length;
    expect(spoolIfNothingDue(home, "claude", event, input)).toBe(spooled);
    expect(readdirSync(join(home, "spool")).length - before).toBe(spooled ? 1 : 0);
  });
});

test("spools in the program what the script cannot spool, or logs why not", () => {
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

test("has every event in the branch of its timing", () => {
  const script = readFileSync("bin/waymark-hook", "utf8");
  const branch = (name: string) =>
    script.split("\n").find((line) => line.trim().startsWith(name)) ?? "";
  const known = {
    never: branch("PreToolUse |"),
    step: branch("PostToolUse |"),
    prompt: branch("UserPromptSubmit |"),
    stop: branch("Stop |"),
  };
  for (const { events } of HOOK_AGENTS)
    for (const [name, { timing, observe }] of Object.entries(events)) {
      if (timing === "always" || name === "SubagentStop") continue;
      // Events without observations are not hooked.
      if (timing === "never" && observe({}).length === 0) continue;
      expect(known[timing].split(/[ |)]+/), name).toContain(name);
    }
});
