import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentSummary } from "../../src/core/wire.ts";
import { findAgents } from "../../src/doctor/find-agents.ts";
import { thisMachine } from "../../src/sessions/transcripts/discover.ts";
import { shellCommandIn } from "../../src/setup/shell-command.ts";
import { findProgram } from "../../src/setup/this-program.ts";
import { newMachine } from "./machine.ts";

const SCRIPT = join(process.cwd(), "bin/waymark.js");
const PROGRAM = findProgram(SCRIPT, { PATH: "" }, process.platform);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "waymark-found-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

const codexProgram = (version: string) =>
  write("bin/codex", `#!/bin/sh\necho codex-cli ${version}\n`, 0o755);

/** The machine with the home directory of the test, and no programs but those in its `bin`. */
async function summary(agent: string): Promise<AgentSummary> {
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin` };
  const machine = thisMachine(root, env);
  const all = await findAgents({ machine, env, home: join(root, "waymark"), program: PROGRAM });
  const found = all.find((each) => each.agent === agent);
  if (!found) throw new Error(`no ${agent}`);
  // The page gets it as JSON.
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
  return found;
}

test("finds nothing in an empty home directory and lists where it looked", async () => {
  expect(await summary("codex")).toEqual({
    agent: "codex",
    name: "Codex",
    where: ["~/.codex/sessions", "~/.codex/archived_sessions"],
    found: false,
    list: "unknown",
    command: expect.stringMatching(/waymark\.js setup codex$/),
  });
  expect(await summary("hermes")).toMatchObject({ found: false, command: null });
});

test("reports a list that is off by default, unless the configuration turns it on", async () => {
  codexProgram("0.166.0");
  expect(await summary("codex")).toMatchObject({ found: true, list: "off" });
  write(".codex/config.toml", "[tools.update_plan]\nenabled = true\n");
  expect(await summary("codex")).toMatchObject({ found: true, list: "on" });
  write(".codex/config.toml", "[tools.update_plan\n");
  expect(await summary("codex")).toMatchObject({ found: true, list: "unknown" });
});

test("reports no list state for an older or unknown version", async () => {
  codexProgram("0.100.0");
  expect(await summary("codex")).toMatchObject({ found: true, list: "unknown" });
  codexProgram("unknown");
  expect(await summary("codex")).toMatchObject({ found: true, list: "unknown" });
  write("bin/codex", "#!/bin/sh\nexit 3\n", 0o755);
  expect(await summary("codex")).toMatchObject({ found: true, list: "unknown" });
});

test("reports an agent that is set up, without a command to run", async () => {
  codexProgram("0.166.0");
  const machine = newMachine();
  try {
    const env = {
      HOME: root,
      WAYMARK_HOME: join(root, "waymark"),
      PATH: dirname(process.execPath),
    };
    expect(machine.run(["setup", "codex", "--yes"], { env }).status).toBe(0);
    expect(await summary("codex")).toMatchObject({ found: true, list: "on", command: null });
  } finally {
    machine.remove();
  }
});

test("reports an unreadable session folder as a problem, not as a missing agent", async () => {
  mkdirSync(join(root, ".codex"));
  symlinkSync("sessions", join(root, ".codex/sessions"));
  expect(await summary("codex")).toMatchObject({
    found: true,
    problem: "~/.codex/sessions cannot be read",
  });
});

test("suggests the path of the program if waymark is not on PATH", () => {
  const typed = (PATH: string, cwd: string) =>
    shellCommandIn(findProgram(SCRIPT, { PATH }, "linux"), { PATH }, cwd, "linux");
  const node = dirname(process.execPath);
  expect(typed(node, process.cwd())).toBe("node bin/waymark.js");
  expect(typed(node, dirname(SCRIPT))).toBe("node waymark.js");
  expect(typed(node, root)).toBe(`node ${SCRIPT}`);
  expect(typed("", root)).toBe(`${process.execPath} ${SCRIPT}`);
  mkdirSync(join(root, "bin"));
  symlinkSync(SCRIPT, join(root, "bin/waymark"));
  expect(typed(join(root, "bin"), root)).toBe("waymark");
});
