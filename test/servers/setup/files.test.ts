import { chmodSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookCommand } from "../../../src/agents/common/setup/commands.ts";
import { readConfig, writeAll } from "../../../src/setup/files.ts";
import { findOnPath } from "../../../src/setup/installed.ts";
import { applyPlan } from "../../../src/setup/plan.ts";
import { hookCall } from "../../../src/setup/recognize.ts";
import { findProgram } from "../../../src/setup/this-program.ts";
import { AGENTS, setupOf } from "./agents.ts";
import { newSandbox } from "./sandbox.ts";

let sandbox: ReturnType<typeof newSandbox>;
beforeEach(() => {
  sandbox = newSandbox();
});
afterEach(() => sandbox.end());

const failed = (work: () => void): string => {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
};

describe("all or nothing", () => {
  const change = (name: string, text: string | undefined) => ({
    found: readConfig(sandbox.path(name)),
    text,
  });

  it("restores written files if a later one fails", () => {
    sandbox.write("a.json", "a before");
    sandbox.write("gone.json", "still here");
    sandbox.write("d", "a file, and no folder");
    const before = sandbox.everything();
    const changes = [
      change("a.json", "a after"),
      change("new/folder/b.json", "b"),
      change("gone.json", undefined),
      { found: { path: sandbox.path("d/c.json"), real: sandbox.path("d/c.json") }, text: "c" },
    ];
    const remembering = { keep: () => [], drop: () => undefined };
    expect(failed(() => writeAll(changes, remembering))).toMatch(
      /d\/c\.json cannot be written \(.+\)\. The files that were already written have been restored\.$/,
    );
    expect(sandbox.everything()).toEqual(before);
  });

  it("restores files if a receipt cannot be written or deleted", () => {
    sandbox.write("a.json", "a before");
    const changes = [change("a.json", "a after"), change("new/b.json", "b")];
    const seen: string[] = [];
    const noRoom = () => {
      throw new Error("no room");
    };
    function* keep(folders: readonly string[]) {
      seen.push(`kept for ${folders}`, sandbox.read("a.json"));
      yield () => void seen.push("rolled back");
    }
    function* keepHalf(folders: readonly string[]) {
      yield* keep(folders);
      noRoom();
    }
    const problem = "The record of this setup cannot be written (no room).";
    expect(failed(() => writeAll(changes, { keep: keepHalf, drop: () => undefined }))).toBe(
      `${problem} Nothing was written.`,
    );
    expect(failed(() => writeAll(changes, { keep, drop: noRoom }))).toBe(
      `${problem} The files that were already written have been restored.`,
    );
    const each = [`kept for ${sandbox.path("new")}`, "a before", "rolled back"];
    expect(seen).toEqual([...each, ...each]);
    expect(sandbox.everything()).toEqual({ "a.json": "a before" });
  });

  it("does not write a file that changed since the plan", () => {
    sandbox.write(".claude/settings.json", "{}");
    const plan = sandbox.planned("claude", "waymark");
    sandbox.write(".claude/settings.json", '{"mine":1}');
    expect(failed(() => applyPlan(plan, sandbox.home))).toMatch(
      /settings\.json cannot be written \(another program changed it in the meantime; run the command again\)\. Nothing was written\.$/,
    );
    expect(sandbox.everything()).toEqual({
      ".claude": "folder",
      ".claude/settings.json": '{"mine":1}',
    });
  });

  it("leaves no partial or temporary files", () => {
    sandbox.setUp("claude");
    const files = readdirSync(sandbox.root, { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});

describe("command of this installation", () => {
  it("is the plain name if PATH has this installation, otherwise Node and the script", () => {
    const bin = sandbox.path("bin");
    const script = sandbox.path("lib/waymark.js");
    mkdirSync(bin);
    sandbox.write("lib/waymark.js", "");
    chmodSync(script, 0o755);
    const byFile = { command: process.execPath, prefixArgs: [script] };
    expect(findProgram(script, { PATH: bin }, "linux")).toEqual(byFile);
    symlinkSync(script, join(bin, "waymark"));
    expect(findProgram(script, { PATH: `/nowhere:${bin}` }, "linux")).toEqual({
      command: "waymark",
      prefixArgs: [],
    });
    expect(findProgram(script, { PATH: bin }, "win32")).toEqual(byFile);
    sandbox.write("other/waymark", "");
    chmodSync(sandbox.path("other/waymark"), 0o755);
    expect(findProgram(script, { PATH: `${sandbox.path("other")}:${bin}` }, "linux")).toEqual(
      byFile,
    );
  });

  it("is the script if only npm puts the name on PATH", () => {
    const bin = sandbox.path("_npx/1234/node_modules/.bin");
    const script = sandbox.path("lib/waymark.js");
    mkdirSync(bin, { recursive: true });
    sandbox.write("lib/waymark.js", "");
    chmodSync(script, 0o755);
    symlinkSync(script, join(bin, "waymark"));
    for (const PATH of [bin, `${bin}/`, `/nowhere:${bin}`])
      expect(findProgram(script, { PATH }, "linux")).toEqual({
        command: process.execPath,
        prefixArgs: [script],
      });
  });

  it("skips PATH entries that are no directories or cannot be read", () => {
    const script = sandbox.path("bin/waymark");
    sandbox.write("bin/waymark", "");
    chmodSync(script, 0o755);
    mkdirSync(sandbox.path("folder/waymark"), { recursive: true });
    symlinkSync("loop", sandbox.path("loop"));
    const path = ["bin/waymark", "loop", "none", "folder", "bin"].map(sandbox.path).join(":");
    expect(findOnPath("waymark", path, "linux")).toBe(script);
  });

  it("is preceded by the hook script if that exists", () => {
    const script = sandbox.path("lib/waymark.js");
    const hookScript = sandbox.path("lib/waymark-hook");
    sandbox.write("lib/waymark.js", "");
    sandbox.write("lib/waymark-hook", "");
    const byFile = { command: process.execPath, prefixArgs: [script] };
    const bin = sandbox.path("bin");
    mkdirSync(bin);
    expect(findProgram(script, { PATH: bin }, "linux")).toEqual({ ...byFile, hookScript });
    expect(findProgram(script, { PATH: bin }, "win32")).toEqual(byFile);
    chmodSync(script, 0o755);
    symlinkSync(script, join(bin, "waymark"));
    const named = { command: "waymark", prefixArgs: [] };
    expect(findProgram(script, { PATH: bin }, "linux")).toEqual({ ...named, hookScript });
    symlinkSync(hookScript, join(bin, "waymark-hook"));
    const program = findProgram(script, { PATH: bin }, "linux");
    expect(program).toEqual({ ...named, hookScript: "waymark-hook" });
    const line = hookCommand("claude", "Stop", program, "linux", { mode: "native" });
    expect(line).toBe("waymark-hook waymark hook --native claude Stop");
    expect(hookCall(line)).toMatchObject({ agent: "claude", event: "Stop", asSetupDoes: true });
  });

  it("is quoted if needed, and recognized again", () => {
    const program = { command: "/opt/my node/node", prefixArgs: ["/it's/waymark.js"] };
    const line = hookCommand("codex", "Stop", program, "linux");
    expect(line).toBe("'/opt/my node/node' '/it'\\''s/waymark.js' hook codex Stop");
    expect(hookCommand("codex", "Stop", program, "win32")).toBe(
      '"/opt/my node/node" "/it\'s/waymark.js" hook codex Stop',
    );
    expect(hookCall(line)).toMatchObject({ agent: "codex", event: "Stop" });
    expect(hookCall(hookCommand("codex", "Stop", program, "win32"))?.event).toBe("Stop");
  });

  it.each([
    "waymark hook claude Stop",
    "waymark-hook waymark hook --native --off-in=commit claude Stop",
    "/usr/bin/node /opt/waymark/bin/waymark.js hook claude Stop",
    "/opt/bin/waymark hook claude Stop",
    "npx -y waymark@latest hook claude Stop",
    "~/.local/bin/waymark hook claude Stop",
    '"/opt/my bin/waymark" hook claude Stop',
    "$HOME/bin/waymark hook claude Stop",
    "WAYMARK_HOME=/srv/x waymark hook claude Stop",
    "env WAYMARK_HOME=/srv/x waymark hook claude Stop",
    "waymark hook claude Stop || true",
    "waymark hook claude Stop >/dev/null 2>&1 || exit 0",
  ])("recognizes a Waymark hook: %s", (line) => {
    expect(hookCall(line)).toMatchObject({ agent: "claude", event: "Stop" });
  });

  it.each([
    "waymark todos",
    "git hook claude Stop",
    "waymark hook claude Stop && rm x",
    "notify-send done; waymark hook claude Stop",
    "echo waymark hook claude Stop",
    "timeout 5 waymark hook claude Stop",
    "waymark hook claude Stop | tee log",
    "waymark hook claude Stop # mine",
    "waymark hook claude $EVENT",
    "waymark hook claude Stop > log",
    "waymark hook claude Stop || rm x",
    "true || waymark hook claude Stop",
    "env",
    'waymark hook claude "$(cat event)"',
    "my-waymark hook claude Stop",
    "waymark hook claude",
    3,
    undefined,
  ])("does not recognize: %s", (line) => {
    expect(hookCall(line)).toBeUndefined();
  });
});

it("hooks each event of every agent once", () => {
  for (const agent of AGENTS)
    for (const mode of ["waymark", "native"] as const) {
      const events = setupOf(agent).events({ mode, version: "99" });
      expect(new Set(events).size).toBe(events.length);
      const plan = sandbox.planned(agent, mode, { version: "99" });
      const text = plan.steps.map((step) => step.text ?? "").join("\n");
      const hook = mode === "native" ? "hook --native" : "hook";
      for (const event of events) expect(text).toContain(`waymark ${hook} ${agent} ${event}"`);
    }
});
