// Passes connection strings with a password to every command; no output may repeat the password.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { newMachine } from "../cli/machine.ts";
import { encodings, end, form, secret, start } from "../core/connection-strings.ts";
import { sized } from "../full.ts";

const X = "CONNECTION";
const COMMANDS = [
  [X],
  ["task", X],
  ["help", X],
  ["tool", X],
  ["todos", X, X],
  ["todos", `--${X}`],
  ["todos", `--since=${X}`],
  ["history", "--session", "s", "--since", X],
  ["history", "--session", X],
  ["show", X],
  ["ls", "--home", X],
  ["ls", "--limit", X],
  ["mcp", "--lease", X],
  ["mcp", "--tools", `todos,${X}`],
  ["mcp", "--max-todos", X],
  ["mcp", "--off-in", X],
  ["serve", "--port", X],
  ["pipe", "--notify", X],
  ["relay", "--once", "--store", X],
  ["demo", "--speed", X],
  ["pipe", "--from", X],
  ["setup", X],
  ["completion", X],
  ["statusline", "--style", X],
  ["todo", "done", X, "--session", "s", "--json"],
  ["todo", "import", X, "--session", "s"],
  ["task", "ls", "--store", X],
  ["task", "ls", "--status", X],
  ["task", "claim", "--lease", X],
  ["task", "done", X],
  ["task", "edit", "t1", "--meta", X],
  ["task", "import", X],
  ["task", "history", X, "--json"],
  ["plan", "approve", X],
] as const;

/** Passed by a variable instead. */
const VARIABLES = [
  [{ WAYMARK_STORE: X }, ["doctor", "--json"]],
  [{ WAYMARK_STORE: X }, ["task", "ls"]],
  [{ WAYMARK_STORE: X }, ["ls", "--json"]],
  [{ WAYMARK_TOOLS: X }, ["mcp"]],
  [{ WAYMARK_MAX_TODOS: X }, ["mcp"]],
  [{ WAYMARK_OFF_IN: X }, ["mcp"]],
] as const;

/** Some of each form, the same for each run of a seed. */
function givenStrings(seed: number): string[] {
  const given = fc
    .tuple(form, secret, fc.constantFrom(...encodings))
    .map(([form, secret, encode]) => form(encode(secret)))
    .filter((text) => !text.includes("\0"));
  return fc.sample(given, { numRuns: COMMANDS.length + VARIABLES.length, seed });
}

const machine = () => {
  const made = newMachine();
  onTestFinished(() => made.remove());
  made.run(["todo", "add", "One", "--session", "s"]);
  made.run(["task", "add", "One"]);
  return made;
};

function expectNoPassword(output: string, what: unknown): void {
  const message = `${JSON.stringify(what)}: ${output.slice(0, 2_000)}`;
  for (const part of [start, end]) {
    expect(output.includes(part), message).toBe(false);
    for (const encode of encodings) expect(output.includes(encode(part)), message).toBe(false);
  }
}

const put = (text: string, given: string) => text.replaceAll(X, () => given);

test("no command prints or logs it", { tags: ["printed-password"], timeout: 600_000 }, () => {
  const { run } = machine();
  for (let round = 0; round < sized(1, 12); round++) {
    const given = givenStrings(2_026 + round);
    const calls = [...COMMANDS.map((args) => [{}, args] as const), ...VARIABLES];
    for (const [place, [env, args]] of calls.entries()) {
      const text = given[place] ?? "";
      const variables = Object.entries(env).map(([name, value]) => [name, put(value, text)]);
      const { stdout, stderr } = run(
        args.map((arg) => put(arg, text)),
        { env: { WAYMARK_DEBUG: "1", ...Object.fromEntries(variables) } },
      );
      expectNoPassword(stdout + stderr, { args, env, text });
    }
  }
});

test("MCP results and logs do not repeat it when the store is unreachable", {
  tags: ["printed-password"],
}, () => {
  const { run, home } = machine();
  const hook = JSON.stringify({ session_id: "s", tool_name: "Bash", tool_input: {} });
  const lines = (messages: readonly object[]) =>
    messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("");
  const client = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  for (const text of givenStrings(7).slice(0, sized(6, 40))) {
    const env = { WAYMARK_STORE: text, WAYMARK_TOOLS: "tasks" };
    const mcp = run(["mcp"], {
      env,
      input: lines([
        { id: 1, method: "initialize", params: client },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/list" },
        { id: 3, method: "tools/call", params: { name: "tasks", arguments: { op: "list" } } },
      ]),
    });
    expectNoPassword(mcp.stdout + mcp.stderr, { text });
    for (const event of ["SessionStart", "PostToolUse"])
      run(["hook", "claude", event], { env, input: hook });
    for (const name of ["hook.log", "refused.log"].filter((name) => existsSync(join(home, name))))
      expectNoPassword(readFileSync(join(home, name), "utf8"), { text, name });
  }
});
