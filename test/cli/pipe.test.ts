import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needs } from "../skipped.ts";
import { until } from "../until.ts";
import { start, waymark } from "./running.ts";
import { NO_TTY } from "./tty.ts";

const fixture = (path: string) => readFileSync(join("test/fixtures", path));
const CODEX = fixture("codex/exec/simple.jsonl");

/** The output of `codex exec --json` for a run with one open step, and a line of noise. */
const RUN = [
  '{"type":"thread.started","thread_id":"t-1"}',
  '{"type":"turn.started"}',
  '{"type":"item.started","item":{"id":"item_0","type":"todo_list","items":[{"text":"Find the slow query","completed":false},{"text":"Add an index","completed":false}]}}',
  "WARN something that is no record",
  '{"type":"item.updated","item":{"id":"item_0","type":"todo_list","items":[{"text":"Find the slow query","completed":true},{"text":"Add an index","completed":false}]}}',
  '{"type":"turn.completed","usage":{}}',
  "",
].join("\n");

/** Log lines without the time of day. */
const untimed = (text: string) =>
  text.replace(/^\d\d:\d\d:\d\d {2}/gm, "").replace(/ \d\d:\d\d$/gm, "");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-pipe-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("in CI", () => {
  it("logs each change, copies the stream, writes the report, and fails on open todos", async () => {
    const summary = join(folder, "summary.md");
    const { code, stdout, stderr } = await waymark(
      ["pipe", "--tee", "--summary", summary, "--fail-open"],
      RUN,
    );
    expect(stdout.toString()).toBe(RUN);
    expect(stderr).not.toContain("\x1b");
    expect(untimed(stderr)).toBe(`list: 2 todos
!  skipped line 4: not JSON
✓  Find the slow query  unverified
turn ended with 1 open

▌ t-1                                                                      Codex
▌ ✓  Find the slow query                                        unverified
▌ ○  Add an index
▌ ▯·  1 of 2                                              turn ended with 1 open
waymark: 1 todo is still open.
`);
    expect(readFileSync(summary, "utf8").replace(/, \d+s\./, ".")).toBe(`## Todos

### t\\-1 (Codex)

1 of 2 done, 1 unverified, 1 left open.

- [x] Find the slow query (unverified)
- [ ] Add an index

> [!WARNING]
> 1 left open: Add an index  
> Skipped 1: line 4: not JSON  
`);
    expect(code).toBe(1);
  });

  it("succeeds with open todos and bad lines without --fail-open, and appends the report", async () => {
    const summary = join(folder, "summary.md");
    const first = await waymark(["pipe", "--summary", summary], RUN);
    const second = await waymark(["pipe", "--summary", summary], CODEX);
    expect([first.code, second.code]).toEqual([0, 0]);
    const report = readFileSync(summary, "utf8");
    expect(report.match(/^## Todos$/gm)).toHaveLength(2);
    expect(report.endsWith("- [x] Add the index (verified: npm test, exit 0)\n")).toBe(true);
  });

  it("succeeds with --fail-open if the list is finished", async () => {
    expect((await waymark(["pipe", "--fail-open"], CODEX)).code).toBe(0);
  });

  it("fails before the run if the report cannot be written", async () => {
    const { code, stdout, stderr } = await waymark(["pipe", "--tee", "--summary", folder], RUN);
    expect([code, stdout.length]).toEqual([3, 0]);
    expect(stderr).toContain("Cannot write the report to");
    expect(stderr).toContain("Name another file with --summary.");
  });

  it("--summary - prints the report after the log", async () => {
    const { stdout } = await waymark(["pipe", "--summary", "-"], CODEX);
    expect(stdout.toString()).toContain("\n\n## Todos\n\n### ");
  });
});

describe("--json", () => {
  it("prints one event per line, warns about bad lines, and reads its own output", async () => {
    const first = await waymark(["pipe", "--json"], RUN);
    const events = first.stdout
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ type, agentType }) => [type, agentType])).toEqual([
      ["session.started", "codex"],
      ["turn.started", "codex"],
      ["todo_list", "codex"],
      ["warning", "codex"],
      ["todo_list", "codex"],
      ["turn.completed", "codex"],
    ]);
    expect(events[4].items).toEqual([
      { text: "Find the slow query", status: "completed" },
      { text: "Add an index", status: "pending" },
    ]);
    expect(first.stderr).toBe(
      "waymark: skipped line 4: not JSON\nwaymark: Skipped 1 line or entry that could not be read.\n",
    );
    const second = await waymark(["pipe", "--json"], first.stdout);
    expect(second.stdout.equals(first.stdout)).toBe(true);
    const third = await waymark(["pipe", "--json", "--from", "waymark"], second.stdout);
    expect(third.stdout.equals(first.stdout)).toBe(true);
  });

  it.each([
    ["claude-code/tasks/stream.jsonl", "claude-code"],
    ["claude-code/todo-write/stream-2.0.jsonl", "claude-code"],
    ["gemini/0.61/stream.jsonl", "gemini"],
    ["opencode/1.18/run.jsonl", "opencode"],
    ["qwen/0.24/stream.jsonl", "qwen"],
    ["acp/v1/both-sides.jsonl", "acp"],
    ["codex/app-server/turns.jsonl", "codex"],
  ])("detects %s as %s, with the same result as --from", async (path, id) => {
    const found = await waymark(["pipe", "--json"], fixture(path));
    const named = await waymark(["pipe", "--json", "--from", id], fixture(path));
    const types = (bytes: Buffer) =>
      bytes
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
        .map(({ type, agentType }) => `${type} ${agentType}`);
    expect([found.code, types(found.stdout)]).toEqual([named.code, types(named.stdout)]);
    expect(types(found.stdout)).toContain(`todo_list ${id}`);
  });
});

describe("--tee", () => {
  it("copies every byte unchanged", async () => {
    const garbage = Buffer.concat([
      CODEX,
      randomBytes(200_000),
      Buffer.from("\n\r\n\0\n{}\n"),
      CODEX,
      Buffer.from("no end of line"),
    ]);
    const { code, stdout } = await waymark(["pipe", "--tee"], garbage);
    expect([code, stdout.equals(garbage)]).toEqual([0, true]);
  });

  it("copies an unknown stream and exits with 1", async () => {
    const bytes = randomBytes(100_000);
    const { code, stdout, stderr } = await waymark(["pipe", "--tee"], bytes);
    expect([code, stdout.equals(bytes)]).toEqual([1, true]);
    expect(stderr).toContain("--from");
  });
});

describe("errors", () => {
  it("exits with 1 and a hint for an unknown format", async () => {
    const { code, stdout, stderr } = await waymark(["pipe"], "hello\n{}\n");
    expect([code, stdout.toString()]).toEqual([1, ""]);
    expect(stderr).toContain("pass --from: waymark, claude-code, codex");
    expect((await waymark(["pipe"], "")).stderr).toContain("The input is empty.");
    const wrong = await waymark(["pipe", "--from", "gemini"], CODEX);
    expect([wrong.code, wrong.stderr.includes("not a stream of gemini")]).toEqual([1, true]);
  });

  it.each([
    [["--from", "codx"], "Use one of: waymark, claude-code, codex"],
    [["--json", "--tee"], "--json and --tee"],
    [["--json", "--summary", "-"], "--summary -"],
    [["--tee", "--summary", "-"], "--summary -"],
    [["--summary", ""], "Missing a file name"],
    [["--turn-end", "never"], "keep, complete"],
    [["--style", "boxed"], "waymark, plan"],
    [["--member", "Lead"], "need --style plan"],
    [["--style", "plan", "--member", "Lead", "--color", "loud"], 'Invalid --color "loud"'],
    [["--style", "plan", "--color", "cyan"], "--color needs --member"],
  ])("exits with 2 for %j", async (args, says) => {
    const { code, stdout, stderr } = await waymark(["pipe", ...args], CODEX);
    expect([code, stdout.toString()]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  });

  it("suggests a similar name", async () => {
    expect((await waymark(["pipe", "--from", "codx"], "")).stderr).toContain("Did you mean codex?");
  });
});

describe("the plan style", () => {
  it("--style plan with a member; --turn-end complete shows all as completed", async () => {
    const plan = ["pipe", "--style", "plan", "--member", "Lead"];
    const keep = await waymark(plan, RUN);
    expect(keep.stdout.toString().split("\n\n")[1]).toBe(`📋 Plan (Lead):
✅ Find the slow query
⭕ Add an index
turn ended with 1 open
`);
    const complete = await waymark([...plan, "--turn-end", "complete"], RUN);
    expect(complete.stdout.toString().split("\n\n")[1]).toBe(`📋 Plan (Lead):
✅ Find the slow query
✅ Add an index
turn ended
`);
  });

  it("prints the name in the color of the member", async () => {
    const args = ["pipe", "--style", "plan", "--member", "Lead", "--color", "magenta"];
    const { stdout } = await waymark(args, RUN, { FORCE_COLOR: "1" });
    expect(stdout.toString()).toContain("\x1b[1;35m📋 Plan (Lead):\x1b[0m");
  });
});

describe("while the agent runs", () => {
  it("prints a change when it arrives", async () => {
    const running = start(process.execPath, ["bin/waymark.js", "pipe"]);
    const lines = RUN.split("\n");
    running.child.stdin?.write(`${lines.slice(0, 3).join("\n")}\n`);
    await running.untilPrinted("list: 2 todos");
    running.child.stdin?.write(`${lines.slice(3).join("\n")}\n`);
    await running.untilPrinted("✓  Find the slow query");
    running.child.stdin?.end();
    expect((await running.finished).code).toBe(0);
  });

  it("ends quietly when the reader closes the pipe", async () => {
    const many = Buffer.from(RUN.repeat(5_000));
    const script = "node bin/waymark.js pipe --json | head -n 1";
    const running = start("sh", ["-c", script]);
    running.child.stdin?.end(many);
    const { code, stdout, stderr } = await running.finished;
    expect([code, stdout.toString().split("\n").length]).toEqual([0, 2]);
    expect(stderr.replaceAll(/waymark: skipped line \d+: not JSON\n/g, "")).toBe("");
  });

  it("exits with 0 and writes the report when the reader closes the pipe", async () => {
    const summary = join(folder, "summary.md");
    const script = `(node bin/waymark.js pipe --tee --summary "${summary}"; echo "code $?" >&2) | head -c 10`;
    const running = start("sh", ["-c", script]);
    running.child.stdin?.end(Buffer.from(RUN.repeat(20_000)));
    const { stderr } = await running.finished;
    expect(stderr).toContain("code 0");
    expect(readFileSync(summary, "utf8")).toContain("- [x] Find the slow query");
  });

  it("reads the last lines of the agent after SIGINT, keeps the list, and ends by the signal", async () => {
    const running = start(process.execPath, ["bin/waymark.js", "pipe"]);
    const lines = RUN.split("\n");
    running.child.stdin?.write(`${lines.slice(0, 3).join("\n")}\n`);
    await running.untilPrinted("list: 2 todos");
    running.child.kill("SIGINT");
    // The program has received the signal when it has printed the next two changes.
    running.child.stdin?.write(`${lines[4]}\n`);
    await running.untilPrinted("✓  Find the slow query");
    running.child.stdin?.write(`${lines[5]}\n`);
    await running.untilPrinted("turn ended with 1 open");
    running.child.stdin?.end();
    const { signal, stdout } = await running.finished;
    expect(signal).toBe("SIGINT");
    expect(untimed(stdout.toString())).toBe(`list: 2 todos
✓  Find the slow query  unverified
turn ended with 1 open

▌ t-1                                                                      Codex
▌ ✓  Find the slow query                                        unverified
▌ ○  Add an index
▌ ▯·  1 of 2                                              turn ended with 1 open
`);
  });

  it("ends a moment after SIGINT if the agent continues, and at once on a second SIGINT", async () => {
    const end = async (signals: number) => {
      const running = start(process.execPath, ["bin/waymark.js", "pipe"]);
      running.child.stdin?.write(RUN.replace(/.*turn.completed.*\n/, ""));
      await running.untilPrinted("✓  Find the slow query");
      const begun = performance.now();
      running.child.kill("SIGTERM");
      // This line is read after the signal.
      running.child.stdin?.write('{"type":"turn.completed","usage":{}}\n');
      await running.untilPrinted("turn ended");
      if (signals === 2) running.child.kill("SIGTERM");
      const { signal, stdout } = await running.finished;
      expect(signal).toBe("SIGTERM");
      expect(stdout.toString()).toContain("▌ ○  Add an index");
      return performance.now() - begun;
    };
    expect(await end(1)).toBeGreaterThan(1_900);
    // A busy machine may take that long.
    const quickest = await until(async () => {
      const took = await end(2);
      return took < 1_900 && took;
    }, "an end without the moment of grace");
    expect(quickest).toBeLessThan(1_900);
  });

  it("skips a line of a hundred megabytes in bounded memory", async () => {
    const node = '"$NODE" --max-old-space-size=64';
    const shell = `{ printf %s "$RUN"; head -c 104857600 /dev/zero | tr '\\0' x; printf '\\n%s' "$RUN"; } | ${node} bin/waymark.js pipe --json`;
    const running = start("sh", ["-c", shell], { NODE: process.execPath, RUN });
    running.child.stdin?.end();
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(stderr).toContain("skipped line 7: the line is too long (104857600 bytes)");
  });
});

describe("on a terminal", needs(NO_TTY), () => {
  async function onTerminal(rows: number): Promise<string> {
    const lines = RUN.split("\n").filter(Boolean);
    // Each line is written when the change of the previous one is drawn.
    const gate = (place: number) => join(folder, `gate-${rows}-${place}`);
    const feed = lines
      .map(
        (line, place) =>
          `until [ -e '${gate(place)}' ]; do sleep 0.05; done; printf '%s\\n' '${line}'`,
      )
      .join("; ");
    const last = `until [ -e '${gate(lines.length)}' ]; do sleep 0.05; done`;
    const shell = `stty cols 70 rows ${rows}; { ${feed}; ${last}; } | "$NODE" bin/waymark.js pipe; echo "code $?"`;
    const running = start("/usr/bin/script", ["-qec", shell, "/dev/null"], {
      NODE: process.execPath,
      TERM: "xterm-256color",
      SHELL: "/bin/sh",
    });
    const open = (...places: number[]) => {
      for (const place of places) writeFileSync(gate(place), "");
    };
    open(0, 1, 2);
    await running.untilPrinted("list: 2 todos");
    open(3, 4);
    await running.untilPrinted("✓");
    open(5);
    await running.untilPrinted("turn ended with 1 open");
    open(6);
    const { stdout } = await running.finished;
    return stdout.toString();
  }

  it("draws in place with two control sequences and leaves the list once", async () => {
    const raw = await onTerminal(24);
    const sequences = new Set(
      [...raw.matchAll(/\x1b\[([0-9;?]*)([A-Za-z])/g)].map(([, , end]) => end),
    );
    expect([...sequences].sort()).toEqual(["A", "K", "m"]);
    expect(raw).not.toMatch(/\x1b[^[]/);
    const ups = [...raw.matchAll(/\x1b\[(\d+)A/g)].map(([, count]) => Number(count));
    expect(Math.max(...ups)).toBe(5);
    const last = raw.slice(raw.lastIndexOf("\x1b[5A")).replace(/\x1b\[[0-9;]*[A-Za-z]/g, "");
    expect(untimed(last.replaceAll("\r", ""))).toBe(`
▌ t-1                                                           Codex
▌ ✓  Find the slow query                             unverified
▌ ○  Add an index
▌ ▯·  1 of 2                                   turn ended with 1 open
code 0
`);
  });

  it("fits a terminal of a few rows", async () => {
    const ups = [...(await onTerminal(4)).matchAll(/\x1b\[(\d+)A/g)].map(([, count]) =>
      Number(count),
    );
    expect(Math.max(...ups)).toBe(3);
  });
});
