// Start-up time: hooks and status lines run many times a minute beside the agent.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serverTable } from "./mcp-server.mjs";
import { median, table } from "./measure.mjs";

const bin = fileURLToPath(new URL("../bin/", import.meta.url));
const program = join(bin, "waymark.js");
const script = join(bin, "waymark-hook");
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40);
const SESSION = "bench";

function event(name, more = {}) {
  return JSON.stringify({ session_id: SESSION, cwd: "/tmp", hook_event_name: name, ...more });
}

const call = (index) => ({
  tool_name: "Bash",
  tool_use_id: `toolu_${index}`,
  tool_input: { command: `make step${index}` },
  tool_response: { stdout: "x".repeat(2_000), stderr: "", interrupted: false },
});

export async function run() {
  const home = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const env = { ...process.env, HOME: home, USERPROFILE: home, WAYMARK_HOME: home };
  const node = (args, input) => ({ command: process.execPath, args, input });
  const speaking = (args, input = "") => ({ ...node([program, ...args], input), speaks: true });
  const quiet = () => {
    writeFileSync(join(home, "due", SESSION), "1000000 0 0\n");
    rmSync(join(home, "spool"), { recursive: true, force: true });
    mkdirSync(join(home, "spool"));
  };
  const rows = {
    "node -e 0": { ...node(["-e", "0"], ""), before: quiet },
    "hook quiet": {
      ...node([program, "hook", "claude", "PostToolUse"], event("PostToolUse", call(1))),
      before: quiet,
    },
    "hook recording (sh)": {
      command: "/bin/sh",
      args: [script, process.execPath, program, "hook", "claude", "PostToolUse"],
      input: event("PostToolUse", call(2)),
      before: quiet,
    },
    "hook speaking": speaking(
      ["hook", "claude", "SessionStart"],
      event("SessionStart", { source: "compact" }),
    ),
    statusline: speaking(["statusline"], event("Status")),
    "--version": speaking(["--version"]),
    "--help": speaking(["--help"]),
    "todos --json": speaking(["todos", "--json", "--session", SESSION]),
    ls: speaking(["ls", "--all"]),
    "task ready": speaking(["task", "ready"]),
    "tool todos": speaking(["tool", "todos", "--session", SESSION], "{}"),
  };
  try {
    prepare(env);
    const times = measure(rows, env);
    const base = times["node -e 0"];
    table(
      Object.entries(times).map(([what, ms]) => ({
        what,
        ms: ms.toFixed(1),
        "x node -e 0": (ms / base).toFixed(2),
      })),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  console.log("");
  await serverTable();
}

/** A session with an open list and a task, so that there is output. */
function prepare(env) {
  const todos = [{ text: "Write it", status: "in_progress" }, { text: "Test it" }];
  const calls = [
    [["hook", "claude", "SessionStart"], event("SessionStart", { source: "startup" })],
    [["tool", "todos", "--session", SESSION], JSON.stringify({ todos })],
    [["task", "add", "Ship it"], ""],
  ];
  for (const [args, input] of calls)
    spawnSync(process.execPath, [program, ...args], { input, env });
}

function measure(rows, env) {
  const taken = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, { command, args, input, before, speaks = false }] of Object.entries(rows)) {
      before?.();
      const start = performance.now();
      const { status, stdout } = spawnSync(command, args, { input, env, encoding: "utf8" });
      taken[name].push(performance.now() - start);
      if (status !== 0 || (stdout !== "") !== speaks)
        throw new Error(`${name} ended with ${status} and said ${JSON.stringify(stdout)}`);
    }
  return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, median(all)]));
}
