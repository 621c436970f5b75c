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

/** What `codex exec --json` prints of a run that leaves one step open, with a line of noise. */
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

describe("J10, in CI", () => {
  it("the log grows line by line, the stream is passed on, the summary is written, open todos fail", async () => {
    const summary = join(folder, "summary.md");
    const { code, stdout, stderr } = await waymark(
      ["pipe", "--tee", "--summary", summary, "--fail-open"],
      RUN,
    );
    expect(stdout.toString()).toBe(RUN);
    expect(stderr).not.toContain("\x1b");
    expect(untimed(stderr)).toBe(`list of 2
!  line 4 skipped: not JSON
✓  Find the slow query  claimed
turn ended with 1 open

▌ t-1                                                                      Codex
▌ ✓  Find the slow query                                           claimed
▌ ○  Add an index
▌ ▯·  1 of 2                                              turn ended with 1 open
waymark: 1 todo is left open
`);
    expect(readFileSync(summary, "utf8").replace(/, \d+s\./, ".")).toBe(`## Todos

### t\\-1 (Codex)

1 of 2 done, 1 only claimed, 1 left open.

- [x] Find the slow query (claimed)
- [ ] Add an index

> [!WARNING]
> Left open: 1. Add an index  
> Not read: 1. line 4 skipped: not JSON  
`);
    expect(code).toBe(1);
  });

  it("without --fail-open open todos and bad lines are no failure, and a report is appended", async () => {
    const summary = join(folder, "summary.md");
    const first = await waymark(["pipe", "--summary", summary], RUN);
    const second = await waymark(["pipe", "--summary", summary], CODEX);
    expect([first.code, second.code]).toEqual([0, 0]);
    const report = readFileSync(summary, "utf8");
    expect(report.match(/^## Todos$/gm)).toHaveLength(2);
    expect(report.endsWith("- [x] Add the index (verified: npm test, exit 0)\n")).toBe(true);
  });

  it("a finished list does not fail with --fail-open", async () => {
    expect((await waymark(["pipe", "--fail-open"], CODEX)).code).toBe(0);
  });

  it("a file that cannot be written is known before the run, not after it", async () => {
    const { code, stdout, stderr } = await waymark(["pipe", "--tee", "--summary", folder], RUN);
    expect([code, stdout.length]).toEqual([3, 0]);
    expect(stderr).toContain("The report cannot be written to");
    expect(stderr).toContain("Name another file with --summary.");
  });

  it("--summary - prints the report behind the log", async () => {
    const { stdout } = await waymark(["pipe", "--summary", "-"], CODEX);
    expect(stdout.toString()).toContain("\n\n## Todos\n\n### ");
  });
});

describe("--json", () => {
  it("prints one event a line, says bad lines beside, and reads its own output back", async () => {
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
      "waymark: line 4 skipped: not JSON\nwaymark: 1 line or entry could not be read\n",
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
  ])("%s is read as %s, with the same outcome when it is named", async (path, id) => {
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
  it("passes every byte on, whatever they are", async () => {
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

  it("passes on what nobody recognises, and says so with code 1", async () => {
    const bytes = randomBytes(100_000);
    const { code, stdout, stderr } = await waymark(["pipe", "--tee"], bytes);
    expect([code, stdout.equals(bytes)]).toEqual([1, true]);
    expect(stderr).toContain("--from");
  });
});

describe("refusals", () => {
  it("nothing recognised: code 1 and the way out", async () => {
    const { code, stdout, stderr } = await waymark(["pipe"], "hello\n{}\n");
    expect([code, stdout.toString()]).toEqual([1, ""]);
    expect(stderr).toContain("name it with --from: waymark, claude-code, codex");
    expect((await waymark(["pipe"], "")).stderr).toContain("Nothing came in.");
    const wrong = await waymark(["pipe", "--from", "gemini"], CODEX);
    expect([wrong.code, wrong.stderr.includes("as that of gemini")]).toEqual([1, true]);
  });

  it.each([
    [["--from", "codx"], "known are waymark, claude-code, codex"],
    [["--json", "--tee"], "--json and --tee"],
    [["--json", "--summary", "-"], "--summary -"],
    [["--tee", "--summary", "-"], "--summary -"],
    [["--summary", ""], "no file name"],
    [["--turn-end", "never"], "keep, complete"],
    [["--style", "boxed"], "waymark, plan"],
    [["--member", "Lead"], "go with --style plan"],
    [["--style", "plan", "--member", "Lead", "--color", "loud"], "no colour"],
    [["--style", "plan", "--color", "cyan"], "give both"],
  ])("%j is a mistake: code 2", async (args, says) => {
    const { code, stdout, stderr } = await waymark(["pipe", ...args], CODEX);
    expect([code, stdout.toString()]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  });

  it("did you mean: a near name is offered", async () => {
    expect((await waymark(["pipe", "--from", "codx"], "")).stderr).toContain("Did you mean codex?");
  });
});

describe("seed 002's view", () => {
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

  it("the name has the member's colour", async () => {
    const args = ["pipe", "--style", "plan", "--member", "Lead", "--color", "magenta"];
    const { stdout } = await waymark(args, RUN, { FORCE_COLOR: "1" });
    expect(stdout.toString()).toContain("\x1b[1;35m📋 Plan (Lead):\x1b[0m");
  });
});

describe("while it runs", () => {
  it("a change is said when it comes, not when the stream ends", async () => {
    const running = start(process.execPath, ["bin/waymark.js", "pipe"]);
    const lines = RUN.split("\n");
    running.child.stdin?.write(`${lines.slice(0, 3).join("\n")}\n`);
    await running.says("list of 2");
    running.child.stdin?.write(`${lines.slice(3).join("\n")}\n`);
    await running.says("✓  Find the slow query");
    running.child.stdin?.end();
    expect((await running.finished).code).toBe(0);
  });

  it("a reader that has seen enough ends it quietly", async () => {
    const many = Buffer.from(RUN.repeat(5_000));
    const script = "node bin/waymark.js pipe --json | head -n 1";
    const running = start("sh", ["-c", script]);
    running.child.stdin?.end(many);
    const { code, stdout, stderr } = await running.finished;
    expect([code, stdout.toString().split("\n").length]).toEqual([0, 2]);
    expect(stderr.replaceAll(/waymark: line \d+ skipped: not JSON\n/g, "")).toBe("");
  });

  it("its own end is 0 when the pipe behind it is closed, and the report is written all the same", async () => {
    const summary = join(folder, "summary.md");
    const script = `(node bin/waymark.js pipe --tee --summary "${summary}"; echo "code $?" >&2) | head -c 10`;
    const running = start("sh", ["-c", script]);
    running.child.stdin?.end(Buffer.from(RUN.repeat(20_000)));
    const { stderr } = await running.finished;
    expect(stderr).toContain("code 0");
    expect(readFileSync(summary, "utf8")).toContain("- [x] Find the slow query");
  });

  it("SIGINT: the agent's last words are still heard, the list stays, and it ends by the signal", async () => {
    const running = start(process.execPath, ["bin/waymark.js", "pipe"]);
    const lines = RUN.split("\n");
    running.child.stdin?.write(`${lines.slice(0, 3).join("\n")}\n`);
    await running.says("list of 2");
    running.child.kill("SIGINT");
    // The program has taken the signal by the time it has printed what two lines change.
    running.child.stdin?.write(`${lines[4]}\n`);
    await running.says("✓  Find the slow query");
    running.child.stdin?.write(`${lines[5]}\n`);
    await running.says("turn ended with 1 open");
    running.child.stdin?.end();
    const { signal, stdout } = await running.finished;
    expect(signal).toBe("SIGINT");
    expect(untimed(stdout.toString())).toBe(`list of 2
✓  Find the slow query  claimed
turn ended with 1 open

▌ t-1                                                                      Codex
▌ ✓  Find the slow query                                           claimed
▌ ○  Add an index
▌ ▯·  1 of 2                                              turn ended with 1 open
`);
  });

  it("SIGINT while the agent goes on: it ends after a moment, at once with a second one", async () => {
    const end = async (signals: number) => {
      const running = start(process.execPath, ["bin/waymark.js", "pipe"]);
      running.child.stdin?.write(RUN.replace(/.*turn.completed.*\n/, ""));
      await running.says("✓  Find the slow query");
      const begun = performance.now();
      running.child.kill("SIGTERM");
      // What it prints of this was read after the signal came.
      running.child.stdin?.write('{"type":"turn.completed","usage":{}}\n');
      await running.says("turn ended");
      if (signals === 2) running.child.kill("SIGTERM");
      const { signal, stdout } = await running.finished;
      expect(signal).toBe("SIGTERM");
      expect(stdout.toString()).toContain("▌ ○  Add an index");
      return performance.now() - begun;
    };
    expect(await end(1)).toBeGreaterThan(1_900);
    // A busy machine may take as long for one of them.
    const quickest = await until(async () => {
      const took = await end(2);
      return took < 1_900 && took;
    }, "an end without the moment of grace");
    expect(quickest).toBeLessThan(1_900);
  });

  it("a hundred megabytes in one line are passed over in bounded memory", async () => {
    const node = '"$NODE" --max-old-space-size=64';
    const shell = `{ printf %s "$RUN"; head -c 104857600 /dev/zero | tr '\\0' x; printf '\\n%s' "$RUN"; } | ${node} bin/waymark.js pipe --json`;
    const running = start("sh", ["-c", shell], { NODE: process.execPath, RUN });
    running.child.stdin?.end();
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(stderr).toContain("line 7 skipped: 104857600 bytes in one line are more than is read");
  });
});

describe("on a real terminal", needs(NO_TTY), () => {
  async function onTerminal(rows: number): Promise<string> {
    const lines = RUN.split("\n").filter(Boolean);
    // Each line comes when what the one before it changes is drawn.
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
    await running.says("list of 2");
    open(3, 4);
    await running.says("✓");
    open(5);
    await running.says("turn ended with 1 open");
    open(6);
    const { stdout } = await running.finished;
    return stdout.toString();
  }

  it("draws in place with two sequences of its own, and leaves the list once", async () => {
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
▌ ✓  Find the slow query                                claimed
▌ ○  Add an index
▌ ▯·  1 of 2                                   turn ended with 1 open
code 0
`);
  });

  it("stays below the height of a very low terminal", async () => {
    const ups = [...(await onTerminal(4)).matchAll(/\x1b\[(\d+)A/g)].map(([, count]) =>
      Number(count),
    );
    expect(Math.max(...ups)).toBe(3);
  });
});
