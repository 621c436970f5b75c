import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ACTIVITY_POLICY,
  type Activity,
  emptyActivity,
  findingsAt,
  newLoopFinding,
  newStallFinding,
  stallsAt,
  stateAt,
} from "../../src/core/activity/activity.ts";
import type { StreamBody, StreamEvent } from "../../src/core/stream/events.ts";
import { cpuTime } from "../cpu-time.ts";
import { sized } from "../full.ts";
import { event, noteActivity, todoList } from "./events.ts";

function activityAfter(bodies: readonly StreamBody[]): Activity {
  const activity = emptyActivity();
  bodies.forEach((body, index) => {
    noteActivity(activity, event(body, { timestamp: (index + 1) * 1_000 }));
  });
  return activity;
}

const started = (name: string, more: { callId?: string; input?: unknown } = {}): StreamBody => ({
  type: "tool.started",
  name,
  ...more,
});
const completed = (
  more: { callId?: string; name?: string; output?: string; exitCode?: number } = {},
): StreamBody => ({ type: "tool.completed", ...more });

/** One complete call, with the same input each time. */
const poll = (name: string, output: string): StreamBody[] => [
  started(name, { input: { id: "build-7" } }),
  completed({ name, output }),
];

describe("pairing calls with their results", () => {
  it("pairs by id, with the last call if an id is reused", () => {
    const activity = activityAfter([
      started("Bash", { callId: "a", input: { command: "sleep 9" } }),
      started("Bash", { callId: "a", input: { command: "npm test" } }),
      completed({ callId: "a", exitCode: 0 }),
    ]);
    expect(activity.recent.map(({ label }) => label)).toEqual(["npm test"]);
    expect(activity.open.map(({ label }) => label)).toEqual(["sleep 9"]);
  });

  it("pairs by id in any order of results", () => {
    const activity = activityAfter([
      started("Bash", { callId: "a", input: { command: "npm test" } }),
      started("Bash", { callId: "b", input: { command: "npm run lint" } }),
      completed({ callId: "b", exitCode: 0 }),
      completed({ callId: "a", exitCode: 1 }),
    ]);
    expect(activity.open).toEqual([]);
    expect(activity.recent).toEqual([
      {
        callId: "b",
        name: "Bash",
        label: "npm run lint",
        startedAt: 2_000,
        endedAt: 3_000,
        ok: true,
        exitCode: 0,
      },
      {
        callId: "a",
        name: "Bash",
        label: "npm test",
        startedAt: 1_000,
        endedAt: 4_000,
        ok: false,
        exitCode: 1,
      },
    ]);
    expect(activity.counts).toEqual({
      turns: 0,
      tools: 2,
      failed: 1,
      writes: 0,
      rejected: 0,
      skipped: 0,
    });
  });

  it("pairs calls of one name first in, first out if there is no id", () => {
    const activity = activityAfter([
      started("read", { input: { path: "one" } }),
      started("write", { input: { path: "two" } }),
      started("read", { input: { path: "three" } }),
      completed({ name: "read" }),
      completed({ name: "write" }),
      completed({ name: "read" }),
    ]);
    expect(activity.open).toEqual([]);
    expect(
      activity.recent.map(({ label, startedAt, endedAt }) => [label, startedAt, endedAt]),
    ).toEqual([
      ["read one", 1_000, 4_000],
      ["write two", 2_000, 5_000],
      ["read three", 3_000, 6_000],
    ]);
  });

  it("counts a result without a start as a call", () => {
    expect(activityAfter([completed({ name: "read" }), completed()]).recent).toEqual([
      { name: "read", label: "read", startedAt: 1_000, endedAt: 1_000, ok: true },
      { name: "tool", label: "tool", startedAt: 2_000, endedAt: 2_000, ok: true },
    ]);
  });

  it("closes open calls when the turn ends", () => {
    for (const type of ["turn.completed", "turn.cancelled"] as const) {
      const activity = activityAfter([{ type: "turn.started" }, started("Bash"), { type }]);
      expect([activity.open, activity.turn]).toEqual([[], type.slice("turn.".length)]);
    }
  });

  it("labels a call with its most telling input, on one line of at most 120 characters", () => {
    const labels = activityAfter([
      started("Bash", { input: { command: "make\nall", description: "builds" } }),
      started("shell", { input: { command: ["git", "status"] } }),
      started("Read", { input: { file_path: "src/a.ts", limit: 3 } }),
      started("Grep", { input: { pattern: "x".repeat(500) } }),
      started("Noop", { input: null }),
    ]).open.map(({ label }) => label);
    expect(labels).toEqual([
      "make all",
      "git status",
      "Read src/a.ts",
      `Grep ${"x".repeat(115)}`,
      "Noop",
    ]);
  });
});

describe("loops", () => {
  it("records when the calls counted as a loop, until they change", () => {
    const activity = emptyActivity();
    const since: (number | undefined)[] = [];
    for (let count = 1; count <= 32; count++) {
      for (const body of poll("build_status", "running"))
        noteActivity(activity, event(body, { timestamp: 1_000 * count }));
      since.push(activity.loopSince);
    }
    expect(new Set(since.slice(0, 9))).toEqual(new Set([undefined]));
    expect(new Set(since.slice(9))).toEqual(new Set([10_000]));
    for (const body of poll("build_status", "done")) noteActivity(activity, event(body));
    expect(activity.loopSince).toBeUndefined();
  });

  it("warns after ten unchanged polls, is critical after twenty, and reports each once", () => {
    const activity = emptyActivity();
    const received: [number, string, string][] = [];
    for (let count = 1; count <= 25; count++) {
      for (const body of poll("build_status", "running")) noteActivity(activity, event(body));
      const notice = newLoopFinding(activity);
      if (notice) received.push([count, notice.level, notice.message]);
    }
    expect(received).toEqual([
      [10, "warning", "build_status, 10 times, nothing changed"],
      [20, "critical", "build_status, 20 times, nothing changed"],
    ]);
    // Another call in between does not start a new finding.
    noteActivity(activity, event(started("Bash")));
    noteActivity(activity, event(completed({ name: "Bash" })));
    for (const body of poll("build_status", "running")) noteActivity(activity, event(body));
    expect([activity.loop?.level, newLoopFinding(activity)]).toEqual(["critical", undefined]);
    for (const body of poll("build_status", "done")) noteActivity(activity, event(body));
    expect([activity.loop, newLoopFinding(activity)]).toEqual([undefined, undefined]);
  });

  /** The findings that are reported during the calls. */
  const reports = (calls: readonly (readonly StreamBody[])[]): string[] => {
    const activity = emptyActivity();
    return calls.flatMap((bodies) => {
      for (const body of bodies) noteActivity(activity, event(body));
      const notice = newLoopFinding(activity);
      return notice ? [`${notice.kind} ${notice.level} ${notice.label}`] : [];
    });
  };
  const shell = (command: string, output: string, exitCode = 0): StreamBody[] => [
    started("Bash", { input: { command } }),
    completed({ name: "Bash", output, exitCode }),
  ];
  const edit = (file: string, text: string): StreamBody[] => [
    started("Edit", { input: { file_path: file, new_string: text } }),
    completed({ name: "Edit", output: "ok" }),
  ];
  const repeated = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));

  it("reports a ping-pong once, not with each call", () => {
    const turns = repeated(19, (index) => shell(index % 2 ? "git status" : "ls", "nothing"));
    expect(reports(turns)).toEqual(["ping_pong warning git status and ls"]);
  });

  it("reports a call once that is repeated between other calls", () => {
    const calls = repeated(40, (index) =>
      index % 2 ? shell("gh run view", "queued") : shell(`cat ${index}.ts`, `${index}`),
    );
    expect(reports(calls)).toEqual(["generic_repeat warning gh run view"]);
  });

  it("counts a test run with fewer failures as progress", () => {
    const runs = repeated(30, (index) => shell("npm test", `${40 - index} failed in 3.1s`, 1));
    expect(reports(runs)).toEqual([]);
  });

  it("counts a repeated failing test run as progress if there are new edits in between", () => {
    const runs = repeated(15, (index) => [
      ...edit("src/a.ts", `attempt ${index}`),
      ...shell("npm test", "1 failed", 1),
    ]);
    expect(reports(runs)).toEqual([]);
    const again = repeated(8, () => [
      ...edit("src/a.ts", "attempt"),
      ...shell("npm test", "1 failed", 1),
    ]);
    expect(reports(again)).toEqual(["ping_pong warning Edit src/a.ts and npm test"]);
  });

  it("treats test runs that differ only in times as equal", () => {
    const runs = repeated(10, (index) =>
      shell(
        "npm test",
        `\u001b[31m1 failed\u001b[39m | 4 passed\n Start at 10:01:0${index}\n Duration ${index}.23s (pid ${index})`,
        1,
      ),
    );
    expect(reports(runs)).toEqual(["generic_repeat warning npm test"]);
  });

  it("counts polls with new output as progress", () => {
    const polls = repeated(40, (index) => poll("build_status", `step ${index} of 40`));
    expect(reports(polls)).toEqual([]);
  });

  it("distinguishes reads of different files if only their results are reported", () => {
    const read = (file: string): StreamBody[] => [
      { type: "tool.completed", name: "Read", input: { file_path: file }, output: "" },
    ];
    expect(reports(repeated(30, (index) => read(`src/${index}.ts`)))).toEqual([]);
    expect(reports(repeated(10, () => read("src/a.ts")))).toEqual([
      "generic_repeat warning Read src/a.ts",
    ]);
    // Without start and input, only the name of the call is known.
    expect(reports(repeated(30, () => [completed({ name: "Read", output: "" })]))).toEqual([]);
  });

  it("resets with a user prompt", () => {
    const asked = repeated(30, (): StreamBody[] => [
      { type: "turn.started", prompt: "Is it done?" },
      ...poll("build_status", "running"),
    ]);
    expect(reports(asked)).toEqual([]);
  });

  it("recognizes an unknown tool by its result", () => {
    const unknown: StreamBody[] = [
      started("frob"),
      { type: "tool.failed", name: "frob", output: "Error: unknown tool frob" },
    ];
    const activity = activityAfter(Array.from({ length: 10 }, () => unknown).flat());
    expect(activity.loop?.kind).toBe("unknown_tool_repeat");
    const other = activityAfter(
      Array.from({ length: 10 }, (_, index): StreamBody[] => [
        started("frob"),
        { type: "tool.failed", name: "frob", output: `exit ${index}` },
      ]).flat(),
    );
    expect(other.loop).toBeUndefined();
  });

  it("counts a new status as progress, but not a reworded list", () => {
    const activity = emptyActivity();
    const write = (text: string, done = 0) => {
      const lines = [0, 1, 2].map((place) => `${place < done ? "x" : " "} ${text} ${place}`);
      noteActivity(activity, todoList(lines));
    };
    for (let count = 1; count < 10; count++) write(`Wording ${count}`);
    expect(activity.loop).toBeUndefined();
    write("Wording 10");
    expect(activity.loop).toEqual({
      kind: "generic_repeat",
      level: "warning",
      label: "writing the list",
      count: 10,
      message: "writing the list, 10 times, same result",
    });
    for (let count = 11; count <= 20; count++) write(`Wording ${count}`);
    expect(activity.loop?.level).toBe("critical");
    write("Wording 21", 1);
    expect(activity.loop).toBeUndefined();
  });

  it("reports a loop only while the agent works", () => {
    const activity = activityAfter(
      Array.from({ length: 10 }, () => poll("job_status", "same")).flat(),
    );
    const { lastAt } = activity;
    expect(findingsAt(activity, "working", lastAt)).toEqual([activity.loop]);
    expect(findingsAt(activity, "idle", lastAt)).toEqual([]);
    expect(findingsAt(activity, "ended", lastAt)).toEqual([]);
  });
});

describe("stall", () => {
  const { stallAfter, stallAfterRunning, inactiveAfter } = ACTIVITY_POLICY;
  const thinking = () => activityAfter([{ type: "turn.started" }, { type: "turn.started" }]);
  const running = () =>
    activityAfter([
      { type: "turn.started" },
      started("Bash", { input: { command: "terraform apply" } }),
    ]);

  it("starts after 60 seconds without activity, and becomes idle after 30 minutes", () => {
    const activity = thinking();
    const stateAfter = (silence: number) => stateAt(activity, false, activity.lastAt + silence);
    expect([stallAfter, inactiveAfter]).toEqual([60_000, 1_800_000]);
    expect([0, 59_999, 60_000, 1_799_999, 1_800_000].map(stateAfter)).toEqual([
      "working",
      "working",
      "stalled",
      "stalled",
      "idle",
    ]);
    expect(stateAt(activity, true, activity.lastAt + 60_000)).toBe("ended");
    noteActivity(activity, event({ type: "turn.completed" }, { timestamp: 3_000 }));
    expect(stateAt(activity, false, 3_000 + 60_000)).toBe("idle");
  });

  it("starts after 5 minutes while a command runs", () => {
    const activity = running();
    const stateAfter = (silence: number) => stateAt(activity, false, activity.lastAt + silence);
    expect(stallAfterRunning).toBe(300_000);
    expect([60_000, 299_999, 300_000, 1_800_000, 2_040_000].map(stateAfter)).toEqual([
      "working",
      "working",
      "stalled",
      "stalled",
      "idle",
    ]);
  });

  const ran = (activity: Activity, command: string, from: number, to: number) => {
    const input = { command };
    noteActivity(activity, event(started("Bash", { input }), { timestamp: from }));
    noteActivity(activity, event(completed({ name: "Bash" }), { timestamp: to }));
  };

  it("starts after three times the longest earlier run of the command, if that is longer", () => {
    const activity = thinking();
    ran(activity, "npm run e2e", 10_000, 610_000);
    ran(activity, "npm run e2e", 620_000, 700_000);
    const input = { command: "npm run e2e", description: "Again" };
    noteActivity(activity, event(started("Bash", { input }), { timestamp: 1_000_000 }));
    expect(stallsAt(activity)).toBe(1_000_000 + 3 * 600_000);
    expect(stateAt(activity, false, 2_799_999)).toBe("working");
    expect(stateAt(activity, false, 2_800_000)).toBe("stalled");
    noteActivity(activity, event(completed({ name: "Bash" }), { timestamp: 2_900_000 }));
    expect(stallsAt(activity)).toBe(2_900_000 + 60_000);
    noteActivity(
      activity,
      event(started("Bash", { input: { command: "make" } }), { timestamp: 3_000_000 }),
    );
    expect(stallsAt(activity)).toBe(3_000_000 + 300_000);
  });

  it("remembers the runs of at most 16 commands", () => {
    const activity = thinking();
    for (let index = 0; index < 40; index++)
      ran(activity, `make ${index}`, index * 100_000, index * 100_000 + 30_000);
    expect(activity.slow?.map(({ label }) => label)).toEqual(
      Array.from({ length: 16 }, (_, index) => `make ${index + 24}`),
    );
  });

  it("follows the policy", () => {
    const policy = { ...ACTIVITY_POLICY, stallAfter: 10_000, stallAfterRunning: 20_000 };
    const silent = thinking();
    expect(stateAt(silent, false, silent.lastAt + 10_000, policy)).toBe("stalled");
    const activity = running();
    expect(stateAt(activity, false, activity.lastAt + 19_999, policy)).toBe("working");
    expect(stateAt(activity, false, activity.lastAt + 20_000, policy)).toBe("stalled");
  });

  it("reports the duration and the running command", () => {
    const activity = running();
    const now = activity.lastAt + 250_000;
    expect(findingsAt(activity, "stalled", now)).toEqual([
      {
        kind: "stalled",
        level: "warning",
        label: "terraform apply",
        count: 250,
        message: "no output for 4m 10s, in terraform apply",
      },
    ]);
    const waiting = activityAfter([{ type: "turn.started" }]);
    expect(
      findingsAt(waiting, "stalled", waiting.lastAt + 61_000).map(({ message }) => message),
    ).toEqual(["no output for 1m 1s"]);
  });

  it("reports its start and its end once", () => {
    const activity = thinking();
    const notices: [number, string][] = [];
    const look = (now: number) => {
      const notice = newStallFinding(activity, stateAt(activity, false, now), now);
      if (notice) notices.push([now, notice]);
    };
    for (let now = 2_000; now <= 200_000; now += 15_000) look(now);
    noteActivity(activity, event({ type: "tool.updated" }, { timestamp: 201_000 }));
    for (let now = 201_000; now <= 400_000; now += 15_000) look(now);
    expect(notices).toEqual([
      [62_000, "stalled"],
      [201_000, "resumed"],
      [261_000, "stalled"],
    ]);
  });

  it("does not report an end if the turn ends", () => {
    const activity = running();
    expect(newStallFinding(activity, "stalled", 70_000)).toBe("stalled");
    expect(newStallFinding(activity, "idle", 80_000)).toBeUndefined();
    expect(activity.stalledAt).toBeUndefined();
  });

  it("does not count a warning as activity", () => {
    const activity = running();
    const warning: StreamBody = { type: "warning", code: "bad_line", message: "not JSON" };
    noteActivity(activity, event(warning, { timestamp: 90_000 }));
    expect([activity.lastAt, activity.counts.skipped]).toEqual([2_000, 1]);
  });

  it("does not start while a subagent works", () => {
    const activity = running();
    expect(stateAt(activity, false, 310_000)).toBe("stalled");
    expect(stateAt(activity, false, 310_000, ACTIVITY_POLICY, 399_000)).toBe("working");
  });
});

describe("a call whose result is never reported", () => {
  it("is closed when the agent starts a call after a later one has ended", () => {
    const activity = activityAfter([
      { type: "turn.started" },
      started("mcp__waymark__todos", { callId: "lost" }),
      started("Bash", { callId: "b", input: { command: "ls" } }),
      completed({ callId: "b" }),
    ]);
    expect(activity.open.map(({ callId }) => callId)).toEqual(["lost"]);
    noteActivity(activity, event(started("Bash", { callId: "c" }), { timestamp: 9_000 }));
    expect(activity.open.map(({ callId }) => callId)).toEqual(["c"]);
    noteActivity(activity, event(completed({ callId: "c" }), { timestamp: 9_500 }));
    expect(stateAt(activity, false, 9_500 + 60_000)).toBe("stalled");
  });

  it("still pairs with a late result", () => {
    const activity = activityAfter([
      started("Bash", { callId: "slow", input: { command: "make" } }),
      started("Bash", { callId: "b", input: { command: "ls" } }),
      completed({ callId: "b" }),
      started("Bash", { callId: "c", input: { command: "ls" } }),
      completed({ callId: "slow" }),
    ]);
    expect(activity.recent.at(-1)).toMatchObject({ label: "make", startedAt: 1_000 });
    expect([activity.counts.tools, activity.left]).toEqual([3, []]);
  });

  it("is closed by the next prompt after an interrupted turn", () => {
    const activity = activityAfter([
      { type: "turn.started" },
      started("Bash", { callId: "a" }),
      { type: "turn.started" },
    ]);
    expect(activity.open).toEqual([]);
  });

  it("stays open if it runs a subagent, whose calls may be reported as its parent's", () => {
    const activity = activityAfter([
      started("Task", { callId: "task" }),
      started("Read", { callId: "b" }),
      completed({ callId: "b" }),
      started("Read", { callId: "c" }),
      completed({ callId: "c" }),
    ]);
    expect(activity.open.map(({ callId }) => callId)).toEqual(["task"]);
  });
});

it("starts a turn with a tool call if the agent does not report turns", () => {
  const activity = activityAfter([started("Bash")]);
  expect([activity.turn, activity.turnStartedAt]).toEqual(["running", 1_000]);
});

it("counts refused lists and skipped lines separately, and ignores unknown lists", () => {
  const warning = (code: "list_rejected" | "list_unknown" | "bad_line"): StreamBody => ({
    type: "warning",
    code,
    message: "",
  });
  const { counts } = activityAfter([
    warning("list_rejected"),
    warning("list_unknown"),
    warning("bad_line"),
    warning("bad_line"),
  ]);
  expect([counts.rejected, counts.skipped]).toEqual([1, 2]);
});

describe("bounds", () => {
  const bodies = fc.oneof(
    fc.record({
      type: fc.constant("tool.started" as const),
      name: fc.constantFrom("a", "b", "status", "n".repeat(10_000)),
      callId: fc.constantFrom("1", "2", "i".repeat(10_000)),
      input: fc.jsonValue({ maxDepth: 2 }),
    }),
    fc.record({ type: fc.constant("tool.started" as const), name: fc.constantFrom("a", "b") }),
    fc.record({
      type: fc.constantFrom("tool.completed" as const, "tool.failed" as const),
      name: fc.constantFrom("a", "b", "n".repeat(10_000)),
      output: fc.constantFrom("", "unknown tool", "o".repeat(5_000)),
    }),
    fc.constantFrom<StreamBody>(
      { type: "turn.started" },
      { type: "turn.completed" },
      { type: "todo_list", todoId: "t", items: [{ text: "x", status: "pending" }] },
      { type: "message", role: "assistant", text: "…" },
    ),
  );

  it("keeps at most 64 open, 20 recent and 30 watched calls, each of bounded size", () => {
    fc.assert(
      fc.property(fc.array(bodies, { maxLength: 300 }), (all) => {
        const activity = activityAfter(all as StreamBody[]);
        expect(activity.open.length).toBeLessThanOrEqual(64);
        expect(activity.recent.length).toBeLessThanOrEqual(20);
        expect(activity.calls.length).toBeLessThanOrEqual(30);
        expect(activity.left?.length ?? 0).toBeLessThanOrEqual(16);
        expect(activity.slow?.length ?? 0).toBeLessThanOrEqual(16);
        expect(JSON.stringify(activity).length).toBeLessThan(120_000);
      }),
      { numRuns: 300 },
    );
  });

  it("cuts a long id and still pairs it", () => {
    const long = (index: number) => `${index}${"i".repeat(100_000)}`;
    const calls = Array.from({ length: 64 }, (_, index) => started("a", { callId: long(index) }));
    const activity = activityAfter([...calls, completed({ callId: long(5), name: "a" })]);
    expect([activity.open.length, activity.recent[0]?.startedAt]).toEqual([63, 6_000]);
    expect(JSON.stringify(activity).length).toBeLessThan(50_000);
  });

  const run = (count: number): [Activity, number] => {
    const activity = emptyActivity();
    const begun = cpuTime();
    for (let index = 0; index < count; index++) noteActivity(activity, storm(index));
    return [activity, cpuTime() - begun];
  };
  const storm = (index: number): StreamEvent => {
    const timestamp = index + 1;
    if (index % 7 === 3) return todoList(["  a", index % 2 ? "> b" : "x b"], { timestamp });
    if (index % 3 === 0)
      return event(started(`tool ${index % 11}`, { input: { index: index % 5 } }), { timestamp });
    return event(completed({ name: `tool ${index % 11}`, output: `${index % 4}` }), { timestamp });
  };

  it("stays within its limits after very many events", () => {
    const [activity] = run(sized(10_000, 1_000_000));
    expect(activity.open.length).toBeLessThanOrEqual(64);
    expect(activity.recent.length).toBe(20);
    expect(activity.calls.length).toBe(30);
  }, 120_000);

  it("takes linear time", () => {
    run(sized(2_000, 20_000));
    const ratios = [0, 1, 2].map(() => {
      const [, once] = run(sized(6_000, 50_000));
      const [, twice] = run(sized(12_000, 100_000));
      return twice / once;
    });
    // Quadratic cost would make it four.
    expect(Math.min(...ratios)).toBeLessThan(2.8);
  }, 120_000);
});
