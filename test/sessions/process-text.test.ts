import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ancestryIn,
  type Process,
  processInPs,
  processInStat,
} from "../../src/sessions/caller/processes.ts";
import {
  type AgentProcess,
  certainIn,
  type ProcFiles,
  processesInPs,
  processesOf,
  processInProc,
  type RecordedProcess,
} from "../../src/sessions/caller/running.ts";

/** `/proc/PID/stat` with the terminal and the start time of a process. */
const stat = (name: string, { parent = 7, tty = 0, ticks = 4_250 } = {}) =>
  `42 (${name}) S ${parent} 42 42 ${tty} 42 4194304 1 2 3 4 5 6 7 8 20 0 11 0 ${ticks} 1 2\n`;

describe("/proc", () => {
  test("names a process, its parent and its start time", () => {
    expect(processInStat(42, stat("node"))).toStrictEqual({
      pid: 42,
      parent: 7,
      name: "node",
      startTime: "4250",
    });
    expect(processInStat(42, stat("a) (b c"))).toStrictEqual({
      pid: 42,
      parent: 7,
      name: "a) (b c",
      startTime: "4250",
    });
    expect(processInStat(42, "42 (node) S 7")).toStrictEqual({
      pid: 42,
      parent: 7,
      name: "node",
      startTime: "",
    });
  });

  const files = (more: Partial<ProcFiles> = {}): ProcFiles => ({
    stat: stat("a) b"),
    environ: "",
    cmdline: "codex\0",
    cwd: "/p",
    system: "cpu 1 2\nbtime 1700000000\nprocesses 3\n",
    ...more,
  });

  test("has the command line, directory, start and pane of a process", () => {
    const environ =
      "HOME=/root\0TMUX_PANE=%3\0TMUX=/tmp/tmux=1,2\0NOTMUX=1\0KITTY_WINDOW_ID=\0TMUX_";
    const cmdline = "codex\0resume\0s 1";
    expect(processInProc(42, files({ environ, cmdline }))).toStrictEqual({
      pid: 42,
      tty: undefined,
      env: { TMUX_PANE: "%3", TMUX: "/tmp/tmux=1,2", KITTY_WINDOW_ID: "" },
      words: ["codex", "resume", "s 1"],
      cwd: "/p",
      startedAt: 1_700_000_042_500,
      isCertain: false,
    });
  });

  test("has no start of a process where that of the system is unknown", () => {
    for (const system of ["", "no btime 1\n", "btime x\n", "btime 1 2\n"])
      expect(processInProc(42, files({ system })).startedAt).toBeUndefined();
  });

  test("has at most 200 words of a command line", () => {
    const words = Array.from({ length: 201 }, (_, index) => `w${index}`);
    expect(processInProc(1, files({ cmdline: words.join("\0") })).words).toEqual(
      words.slice(0, 200),
    );
  });

  test.each([
    [0, undefined],
    [(4 << 8) | 1, "/dev/tty1"],
    [(4 << 8) | 63, "/dev/tty63"],
    [(4 << 8) | 64, undefined],
    [(5 << 8) | 1, undefined],
    [(135 << 8) | 1, undefined],
    [136 << 8, "/dev/pts/0"],
    [(136 << 8) | 255, "/dev/pts/255"],
    [(137 << 8) | 1, "/dev/pts/257"],
    [(143 << 8) | 2, "/dev/pts/1794"],
    [(144 << 8) | 2, undefined],
    [(136 << 8) | 5 | (1 << 20), "/dev/pts/261"],
    [(4 << 8) | 1 | (1 << 20), undefined],
  ])("has terminal device %i as %s", (tty, path) => {
    expect(processInProc(1, files({ stat: stat("x", { tty }) })).tty).toBe(path);
  });
});

describe("`ps`", () => {
  const output = [
    "    1     0 Mon Nov 17 08:00:01 2026     /sbin/launchd",
    "   12     1 Tue Nov 18 09:10:11 2026     /Applications/My App/bin/a b",
    "  120    12 Tue Nov 18 09:10:12 2026     -zsh",
    "   13    12 broken",
    "",
  ].join("\n");

  test("names a process, its parent and its start time", () => {
    expect([1, 12, 120].map((pid) => processInPs(pid, output))).toStrictEqual([
      { pid: 1, parent: 0, name: "launchd", startTime: "Mon Nov 17 08:00:01 2026" },
      { pid: 12, parent: 1, name: "a b", startTime: "Tue Nov 18 09:10:11 2026" },
      { pid: 120, parent: 12, name: "-zsh", startTime: "Tue Nov 18 09:10:12 2026" },
    ]);
  });

  test("has no process of which the line is missing or broken", () => {
    for (const pid of [2, 13, 20, 0]) expect(processInPs(pid, output)).toBeUndefined();
    expect(processInPs(1, "")).toBeUndefined();
  });

  test("lists the terminal, start and command line of processes", () => {
    const started = "Tue Nov 18 09:10:11 2026";
    const lines = [
      ` 12 ttys001  ${started}     codex resume s1`,
      `  3 pts/4 ${started} /bin/node  x`,
      ` 40 ??       ${started} my-tty`,
      ` 41 xtty       ${started} a`,
      " 50 ttys002  No such day or time     sh",
      "PID TTY STARTED COMMAND",
      "",
    ];
    const at = Date.parse(started);
    const one = (more: object) => ({ env: {}, isCertain: false, startedAt: at, ...more });
    expect(processesInPs(lines.join("\n"))).toStrictEqual([
      one({ pid: 12, tty: "/dev/ttys001", words: ["codex", "resume", "s1"] }),
      one({ pid: 3, tty: "/dev/pts/4", words: ["/bin/node", "", "x"] }),
      one({ pid: 40, tty: undefined, words: ["my-tty"] }),
      one({ pid: 41, tty: undefined, words: ["a"] }),
      one({ pid: 50, tty: "/dev/ttys002", words: ["sh"], startedAt: undefined }),
    ]);
  });
});

describe("the ancestors of a process", () => {
  const one = (pid: number, parent: number): Process => ({ pid, parent, name: "", startTime: "" });
  const pids = (pid: number, parentOf: (pid: number) => number | undefined) =>
    ancestryIn(pid, (each) => {
      const parent = parentOf(each);
      return parent === undefined ? undefined : one(each, parent);
    }).map((each) => each.pid);

  test("end below the first process, and where one is unknown", () => {
    expect(pids(5, (pid) => pid - 1)).toEqual([5, 4, 3, 2]);
    expect(pids(5, (pid) => (pid > 3 ? pid - 1 : undefined))).toEqual([5, 4]);
    expect(pids(2, () => 1)).toEqual([2]);
    expect(pids(1, () => 2)).toEqual([]);
  });

  test("are at most 32", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 100 }), (pid) => {
        expect(pids(pid, (each) => each - 1)).toHaveLength(Math.min(32, pid - 1));
      }),
    );
    expect(pids(9, () => 9)).toHaveLength(32);
  });
});

describe("the processes that may be the agent of a session", () => {
  const process = (pid: number, more: Partial<AgentProcess> = {}): AgentProcess => ({
    pid,
    tty: "/dev/pts/1",
    env: {},
    words: ["codex"],
    cwd: "/p",
    startedAt: 1,
    isCertain: false,
    ...more,
  });
  const sought = { session: "session-1", agentType: "codex", cwd: "/p" };
  const found = (
    all: readonly AgentProcess[],
    recorded: readonly RecordedProcess[] = [],
    more: Partial<typeof sought> = {},
  ) => processesOf({ ...sought, ...more }, recorded, all);

  test("are those that hooks recorded, with the pane that they recorded", () => {
    const all = [
      process(1),
      process(2, { tty: undefined, env: { TMUX: "own" }, words: ["x"], cwd: "/q" }),
      process(3),
    ];
    const recorded = [
      { pid: 3, session: "session-2" },
      { pid: 2, session: "session-1", terminal: { TMUX: "recorded", TMUX_PANE: "%1" } },
    ];
    expect(found(all, recorded)).toStrictEqual([
      process(2, {
        tty: undefined,
        env: { TMUX: "own", TMUX_PANE: "%1" },
        words: ["x"],
        cwd: "/q",
        isCertain: true,
      }),
    ]);
  });

  test("are those whose arguments name it", () => {
    const all = [
      process(1, { words: ["codex", "resume", "session-1"] }),
      process(2, { words: ["codex", "--resume=session-1"] }),
      process(3, { words: ["codex", "session-10"] }),
      process(4, { words: ["codex", "xsession-1"] }),
    ];
    expect(found(all).map(({ pid, isCertain }) => [pid, isCertain])).toEqual([
      [1, true],
      [2, true],
    ]);
    const short = (session: string) =>
      found([process(1, { words: ["codex", session] })], [], { session })[0]?.isCertain;
    expect([short("1234567"), short("12345678")]).toEqual([false, true]);
  });

  test("run the command of the agent in its directory, and are not those of others", () => {
    const all = [
      process(1),
      process(2, { tty: undefined }),
      process(3, { cwd: "/q" }),
      process(4, { cwd: undefined }),
      process(5, { words: ["vim"] }),
      process(6),
    ];
    const recorded = [{ pid: 6, session: "session-2" }];
    expect(found(all, recorded)).toStrictEqual([process(1), process(4, { cwd: undefined })]);
    expect(processesOf({ session: "session-1", agentType: "codex" }, [], all)).toEqual([]);
    expect(found(all, [], { agentType: "unknown" })).toEqual([]);
  });

  test.each([
    [["codex"], true],
    [["/usr/bin/codex", "-x"], true],
    [["codex.exe"], true],
    [["codex.js"], true],
    [["/a/codex.mjs"], true],
    [["codex.cjs"], true],
    [["codex.py"], false],
    [["my-codex"], false],
    [["node", "/usr/bin/codex"], true],
    [["node", "--no-warnings", "/a/codex.js", "x"], true],
    [["nodejs", "codex"], true],
    [["bun", "codex"], true],
    [["deno", "codex"], true],
    [["python", "codex"], true],
    [["/usr/bin/python3", "codex"], true],
    [["node.exe", "codex"], true],
    [["python2", "codex"], false],
    [["xnode", "codex"], false],
    [["node", "other", "codex"], false],
    [["node", "--codex"], false],
    [["node"], false],
    [["vim", "codex"], false],
    [[], false],
  ])("run %j: %s", (words, isAgent) => {
    expect(found([process(1, { words })])).toHaveLength(isAgent ? 1 : 0);
  });

  test("are one for certain, if it is recorded or runs the agent's command", () => {
    const certain = (
      all: readonly AgentProcess[],
      recorded: readonly RecordedProcess[] = [],
      agentType = "codex",
    ) => certainIn({ ...sought, agentType }, recorded, all);
    const editor = process(1, { words: ["vim", "session-1"], isCertain: true });
    const agent = process(2, { isCertain: true });
    expect(certain([editor, agent])).toBe(2);
    expect(certain([agent, process(3)])).toBe(2);
    expect(certain([editor])).toBeUndefined();
    expect(certain([process(3)])).toBeUndefined();
    expect(certain([agent, process(3, { isCertain: true })])).toBeUndefined();
    expect(certain([editor], [{ pid: 1, session: "session-1" }])).toBe(1);
    expect(certain([editor], [{ pid: 1, session: "session-2" }])).toBeUndefined();
    expect(certain([agent], [], "unknown")).toBeUndefined();
    expect(certain([])).toBeUndefined();
  });
});
