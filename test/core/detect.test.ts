import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Call,
  DETECTOR_POLICY,
  detectLoop,
  type Finding,
  findingKey,
  fingerprint,
} from "../../src/core/activity/detect.ts";
import { sized } from "../full.ts";

const call = (name: string, outcome = "same", more: Partial<Call> = {}): Call => ({
  name,
  signature: name,
  outcome,
  label: name,
  ...more,
});
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The finding after each call, with the window of the policy. */
function found(calls: readonly Call[]): (Finding | undefined)[] {
  return calls.map((_, index) =>
    detectLoop(calls.slice(Math.max(0, index + 1 - DETECTOR_POLICY.window), index + 1)),
  );
}

/** The call at which each finding first appears. */
function firsts(calls: readonly Call[]): Record<string, number> {
  const seen: Record<string, number> = {};
  found(calls).forEach((finding, index) => {
    if (!finding) return;
    const name = `${finding.kind} ${finding.level}`;
    seen[name] ??= index + 1;
  });
  return seen;
}

it("has the documented thresholds", () => {
  expect(DETECTOR_POLICY).toEqual({
    window: 30,
    warn: 10,
    critical: 20,
    unknownTool: 10,
    breaker: 30,
  });
});

describe("generic_repeat", () => {
  it("warns after ten same calls, and is critical after twenty with the same outcome", () => {
    expect(firsts(times(29, () => call("make")))).toEqual({
      "generic_repeat warning": 10,
      "generic_repeat critical": 20,
    });
    expect(found(times(12, () => call("make"))).at(-1)).toEqual({
      kind: "generic_repeat",
      level: "warning",
      label: "make",
      count: 12,
      message: "make, 12 times, same result",
    });
  });

  it("counts a new outcome as progress", () => {
    expect(firsts(times(60, (index) => call("make", `outcome ${index}`)))).toEqual({});
    expect(firsts(times(60, (index) => call("make", `outcome ${index % 2}`)))).toEqual({});
  });

  it("counts an edit between two runs as progress, but not the same edit again", () => {
    const edit = (name: string): Call => call(name, "ok", { progress: "edit" });
    const fixing = times(60, (index) => (index % 2 ? call("make") : edit(`edit ${index}`)));
    expect(firsts(fixing)).toEqual({});
    const [first = edit("edit"), ...others] = times(30, () => call("edit", "ok"));
    const same = [edit("edit"), first, ...others];
    expect(firsts(same)["generic_repeat warning"]).toBe(10);
  });

  it("counts all matching calls of the window", () => {
    const mixed = times(30, (index) => call(index % 3 === 0 ? "make" : `other ${index}`));
    expect(firsts([...mixed, call("make")])).toEqual({ "generic_repeat warning": 28 });
    const sparse = times(90, (index) => call(index % 4 === 0 ? "make" : `other ${index}`));
    expect(firsts(sparse)).toEqual({});
  });

  it("restarts the count with a new outcome", () => {
    const calls = [
      ...times(19, () => call("make")),
      call("make", "new"),
      ...times(18, () => call("make", "new")),
    ];
    expect(firsts(calls)).toEqual({ "generic_repeat warning": 10 });
    expect(firsts([...calls, call("make", "new")])["generic_repeat critical"]).toBe(39);
  });
});

describe("known_poll_no_progress", () => {
  const poll = (outcome = "running") => call("poll", outcome, { poll: true });

  it("warns after ten unchanged polls, and is critical after twenty", () => {
    expect(firsts(times(29, () => poll()))).toEqual({
      "known_poll_no_progress warning": 10,
      "known_poll_no_progress critical": 20,
    });
    expect(detectLoop(times(10, () => poll()))).toEqual({
      kind: "known_poll_no_progress",
      level: "warning",
      label: "poll",
      count: 10,
      message: "poll, 10 times, nothing changed",
    });
  });

  it("counts new output as progress", () => {
    expect(firsts(times(60, (index) => poll(`line ${index}`)))).toEqual({});
  });

  it("ignores other calls in between", () => {
    const calls = times(30, (index) => (index % 3 === 2 ? call(`read ${index}`) : poll()));
    expect(firsts(calls)).toEqual({
      "known_poll_no_progress warning": 14,
      "known_poll_no_progress critical": 29,
    });
  });
});

describe("ping_pong", () => {
  const pair = (count: number, right: (index: number) => string = () => "same") =>
    times(count, (index) => (index % 2 === 0 ? call("left") : call("right", right(index))));

  it("warns after ten alternating calls, and is critical after twenty with stable outcomes", () => {
    expect(firsts(pair(30))).toEqual({ "ping_pong warning": 10, "ping_pong critical": 20 });
    expect(detectLoop(pair(10))).toEqual({
      kind: "ping_pong",
      level: "warning",
      label: "left and right",
      count: 10,
      message: "left and right, 10 times, alternating",
    });
  });

  it("ignores calls while one side has new outcomes", () => {
    // The side without new outcomes is called fifteen times in the window.
    expect(firsts(pair(60, (index) => `new ${index}`))).toEqual({ "generic_repeat warning": 19 });
    expect(firsts(pair(18, (index) => `new ${index}`))).toEqual({});
  });

  it("has the same label whichever side came last", () => {
    const labels = found(pair(16)).flatMap((finding) => finding?.label ?? []);
    expect(new Set(labels)).toEqual(new Set(["left and right"]));
  });

  it("accepts a running call only as the newest of each side", () => {
    const running = pair(20).map((each, index): Call => {
      const { outcome, ...rest } = each;
      return index >= 18 || outcome === undefined ? rest : each;
    });
    expect(detectLoop(running)?.level).toBe("critical");
    const { outcome: _, ...unknown } = call("left");
    expect(detectLoop(running.with(4, unknown))?.level).toBe("warning");
  });

  it("ends with a third call", () => {
    const calls = [...pair(9), call("third"), ...pair(9)];
    expect(firsts(calls)).toEqual({ "generic_repeat warning": 19 });
  });
});

describe("a continued finding", () => {
  /** The findings in order, each detected with the one before it. */
  const story = (calls: readonly Call[]): (string | undefined)[] => {
    let former: Finding | undefined;
    return calls.map((_, index) => {
      const window = calls.slice(Math.max(0, index + 1 - DETECTOR_POLICY.window), index + 1);
      former = detectLoop(window, DETECTOR_POLICY, former);
      return former && `${former.level} ${former.label}`;
    });
  };
  const changes = (all: readonly (string | undefined)[]) =>
    all.filter((each, index) => index === 0 || each !== all[index - 1]);

  it("covers a cycle of three calls", () => {
    const cycle = times(60, (index) => call(["plan", "act", "check"][index % 3] ?? ""));
    expect(changes(story(cycle))).toEqual([undefined, "warning plan"]);
  });

  it("survives a few other calls and ends when the agent moves on", () => {
    const loop = times(12, () => call("make"));
    const others = times(6, (index) => call(`read ${index}`));
    expect(story([...loop, ...others]).slice(12)).toEqual([
      ...times(4, () => "warning make"),
      undefined,
      undefined,
    ]);
  });

  it("ends immediately with a new outcome or a new edit", () => {
    const loop = times(12, () => call("make"));
    expect(story([...loop, call("make", "new")]).at(-1)).toBeUndefined();
    expect(story([...loop, call("fix", "ok", { progress: "edit" })]).at(-1)).toBeUndefined();
  });

  it("is replaced by a more severe one", () => {
    expect(changes(story(times(40, () => call("make"))))).toEqual([
      undefined,
      "warning make",
      "critical make",
    ]);
  });
});

describe("unknown_tool_repeat", () => {
  const unknown = (name = "frobnicate") => call(name, "no such tool", { unknown: true });

  it("is critical after ten calls of an unknown tool", () => {
    expect(firsts(times(12, () => unknown()))).toEqual({ "unknown_tool_repeat critical": 10 });
    expect(detectLoop(times(10, () => unknown()))).toEqual({
      kind: "unknown_tool_repeat",
      level: "critical",
      label: "frobnicate",
      count: 10,
      message: "frobnicate, 10 times, the tool does not exist",
    });
  });

  it("counts one tool at a time", () => {
    const calls = times(20, (index) => unknown(`tool ${Math.floor(index / 9)}`));
    expect(firsts(calls)).toEqual({});
  });
});

describe("global_circuit_breaker", () => {
  it("is critical after thirty identical outcomes of any tool", () => {
    expect(firsts(times(40, () => call("make")))["global_circuit_breaker critical"]).toBe(30);
    const polls = times(40, () => call("poll", "same", { poll: true }));
    expect(firsts(polls)["global_circuit_breaker critical"]).toBe(30);
    expect(detectLoop(times(30, () => call("make")))).toEqual({
      kind: "global_circuit_breaker",
      level: "critical",
      label: "make",
      count: 30,
      message: "make, 30 times, same result",
    });
  });

  it("does not trigger with another outcome in the window", () => {
    const calls = [call("make", "other"), ...times(29, () => call("make"))];
    expect(firsts(calls)).toEqual({ "generic_repeat warning": 11, "generic_repeat critical": 21 });
  });
});

describe("order of checks", () => {
  it("reports the first match of unknown tool, breaker, poll, ping-pong, repeat", () => {
    const all = times(30, () => call("poll", "same", { poll: true, unknown: true }));
    expect(detectLoop(all)?.kind).toBe("unknown_tool_repeat");
    const known = all.map(({ unknown: _, ...rest }) => rest);
    expect(detectLoop(known)?.kind).toBe("global_circuit_breaker");
    expect(detectLoop(known.slice(1))?.kind).toBe("known_poll_no_progress");
    const turns = times(30, (index) =>
      index % 2 === 0 ? call("left") : (known[0] ?? call("poll")),
    );
    expect(detectLoop(turns)?.kind).toBe("known_poll_no_progress");
    expect(detectLoop(turns.slice(0, -1))?.kind).toBe("ping_pong");
    expect(detectLoop(times(29, () => call("make")))?.kind).toBe("generic_repeat");
  });
});

it("keeps the key of a finding while its count grows, and changes it with the severity", () => {
  const keys = found(times(30, () => call("make"))).map(
    (finding) => finding && findingKey(finding),
  );
  expect([...new Set(keys)]).toEqual([
    undefined,
    "generic_repeat:warning:make",
    "generic_repeat:critical:make",
    "global_circuit_breaker:critical:make",
  ]);
});

it("finds nothing in an empty window", () => {
  expect(detectLoop([])).toBeUndefined();
});

describe("fingerprint", () => {
  it("does not depend on the order of keys, at any depth", () => {
    expect(fingerprint({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      fingerprint({ b: { d: null, c: [1, 2] }, a: 1 }),
    );
    expect(fingerprint([1, 2])).not.toBe(fingerprint([2, 1]));
    expect(fingerprint({ a: "1" })).not.toBe(fingerprint({ a: 1 }));
    expect(fingerprint(undefined)).toBe(fingerprint(undefined));
  });

  it("distinguishes different values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [first, second] = [a, b].map((value) => JSON.stringify(sorted(value)));
        expect(fingerprint(a) === fingerprint(b)).toBe(first === second);
      }),
      { numRuns: sized(500, 10_000) },
    );
  });

  it("accepts values nested deeper than any record", () => {
    let deep: unknown = "end";
    for (let level = 0; level < 20_000; level++) deep = level % 2 ? { deep } : [deep];
    expect(fingerprint(deep)).toMatch(/^[0-9a-f]{16}$/);
    expect(fingerprint({ deep, a: 1 })).not.toBe(fingerprint({ deep, a: 2 }));
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ["list", ...value.map(sorted)];
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ["object", ...entries.map(([key, inner]) => [key, sorted(inner)])];
}
