import { chmodSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookCommand } from "../../../src/agents/common/setup/commands.ts";
import { readConfig, writeAll } from "../../../src/setup/files.ts";
import { findOnPath } from "../../../src/setup/installed.ts";
import { carryOut } from "../../../src/setup/plan.ts";
import { hookCall } from "../../../src/setup/recognize.ts";
import { findProgram } from "../../../src/setup/this-program.ts";
import { AGENTS, setupOf } from "./agents.ts";
import { newPlace } from "./place.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.end());

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
    found: readConfig(place.path(name)),
    text,
  });

  it("what was written before the one that fails is put back", () => {
    place.write("a.json", "a before");
    place.write("gone.json", "still here");
    place.write("d", "a file, and no folder");
    const before = place.everything();
    const changes = [
      change("a.json", "a after"),
      change("new/folder/b.json", "b"),
      change("gone.json", undefined),
      { found: { path: place.path("d/c.json"), real: place.path("d/c.json") }, text: "c" },
    ];
    const remembering = { keep: () => [], drop: () => undefined };
    expect(failed(() => writeAll(changes, remembering))).toMatch(
      /d\/c\.json could not be written \(.+\)\. What had been written before was put back; nothing is changed\.$/,
    );
    expect(place.everything()).toEqual(before);
  });

  it("also when what is remembered cannot be kept, or not be forgotten", () => {
    place.write("a.json", "a before");
    const changes = [change("a.json", "a after"), change("new/b.json", "b")];
    const seen: string[] = [];
    const noRoom = () => {
      throw new Error("no room");
    };
    function* keep(folders: readonly string[]) {
      seen.push(`kept for ${folders}`, place.read("a.json"));
      yield () => void seen.push("taken back");
    }
    function* keepHalf(folders: readonly string[]) {
      yield* keep(folders);
      noRoom();
    }
    const words = "What is remembered of it could not be written (no room).";
    expect(failed(() => writeAll(changes, { keep: keepHalf, drop: () => undefined }))).toBe(
      `${words} Nothing is changed.`,
    );
    expect(failed(() => writeAll(changes, { keep, drop: noRoom }))).toBe(
      `${words} What had been written before was put back; nothing is changed.`,
    );
    const each = [`kept for ${place.path("new")}`, "a before", "taken back"];
    expect(seen).toEqual([...each, ...each]);
    expect(place.everything()).toEqual({ "a.json": "a before" });
  });

  it("a file that changed after it was shown is left alone", () => {
    place.write(".claude/settings.json", "{}");
    const plan = place.planned("claude", "waymark");
    place.write(".claude/settings.json", '{"mine":1}');
    expect(failed(() => carryOut(plan, place.home))).toMatch(
      /settings\.json could not be written \(it was changed by somebody else in the meantime; run the command again\)\. Nothing is changed\.$/,
    );
    expect(place.everything()).toEqual({
      ".claude": "folder",
      ".claude/settings.json": '{"mine":1}',
    });
  });

  it("nobody finds half a file, nor what it is made of", () => {
    place.setUp("claude");
    const files = readdirSync(place.root, { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});

describe("the program", () => {
  it("is its name where that means this installation, else Node and the file", () => {
    const bin = place.path("bin");
    const script = place.path("lib/waymark.js");
    mkdirSync(bin);
    place.write("lib/waymark.js", "");
    chmodSync(script, 0o755);
    const byFile = { command: process.execPath, before: [script] };
    expect(findProgram(script, { PATH: bin }, "linux")).toEqual(byFile);
    symlinkSync(script, join(bin, "waymark"));
    expect(findProgram(script, { PATH: `/nowhere:${bin}` }, "linux")).toEqual({
      command: "waymark",
      before: [],
    });
    expect(findProgram(script, { PATH: bin }, "win32")).toEqual(byFile);
    place.write("other/waymark", "");
    chmodSync(place.path("other/waymark"), 0o755);
    expect(findProgram(script, { PATH: `${place.path("other")}:${bin}` }, "linux")).toEqual(byFile);
  });

  it("is the file where only npm puts its name on the path", () => {
    const bin = place.path("_npx/1234/node_modules/.bin");
    const script = place.path("lib/waymark.js");
    mkdirSync(bin, { recursive: true });
    place.write("lib/waymark.js", "");
    chmodSync(script, 0o755);
    symlinkSync(script, join(bin, "waymark"));
    for (const PATH of [bin, `${bin}/`, `/nowhere:${bin}`])
      expect(findProgram(script, { PATH }, "linux")).toEqual({
        command: process.execPath,
        before: [script],
      });
  });

  it("is looked for beyond what is no folder, or cannot be entered", () => {
    const script = place.path("bin/waymark");
    place.write("bin/waymark", "");
    chmodSync(script, 0o755);
    mkdirSync(place.path("folder/waymark"), { recursive: true });
    symlinkSync("loop", place.path("loop"));
    const path = ["bin/waymark", "loop", "none", "folder", "bin"].map(place.path).join(":");
    expect(findOnPath("waymark", path, "linux")).toBe(script);
  });

  it("has the script before it that spares its start, where there is one", () => {
    const script = place.path("lib/waymark.js");
    const quick = place.path("lib/waymark-hook");
    place.write("lib/waymark.js", "");
    place.write("lib/waymark-hook", "");
    const byFile = { command: process.execPath, before: [script] };
    const bin = place.path("bin");
    mkdirSync(bin);
    expect(findProgram(script, { PATH: bin }, "linux")).toEqual({ ...byFile, quick });
    expect(findProgram(script, { PATH: bin }, "win32")).toEqual(byFile);
    chmodSync(script, 0o755);
    symlinkSync(script, join(bin, "waymark"));
    const named = { command: "waymark", before: [] };
    expect(findProgram(script, { PATH: bin }, "linux")).toEqual({ ...named, quick });
    symlinkSync(quick, join(bin, "waymark-hook"));
    const program = findProgram(script, { PATH: bin }, "linux");
    expect(program).toEqual({ ...named, quick: "waymark-hook" });
    const line = hookCommand("claude", "Stop", program, "linux", { mode: "native" });
    expect(line).toBe("waymark-hook waymark hook --native claude Stop");
    expect(hookCall(line)).toMatchObject({ agent: "claude", event: "Stop", asSetupDoes: true });
  });

  it("is quoted where its path needs it, and known again", () => {
    const program = { command: "/opt/my node/node", before: ["/it's/waymark.js"] };
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
  ])("runs a hook of Waymark: %s", (line) => {
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
  ])("is not a hook of Waymark and nothing else: %s", (line) => {
    expect(hookCall(line)).toBeUndefined();
  });
});

it("every agent names its events once, and hooks each of them", () => {
  for (const agent of AGENTS)
    for (const mode of ["waymark", "native"] as const) {
      const events = setupOf(agent).events({ mode, version: "99" });
      expect(new Set(events).size).toBe(events.length);
      const plan = place.planned(agent, mode, { version: "99" });
      const text = plan.steps.map((step) => step.text ?? "").join("\n");
      const hook = mode === "native" ? "hook --native" : "hook";
      for (const event of events) expect(text).toContain(`waymark ${hook} ${agent} ${event}"`);
    }
});
