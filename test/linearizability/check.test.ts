import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../full.ts";
import { isLinearizable, type Model, type Operation, violationOf } from "./search.ts";
import { type OneOutput, TASK, type TaskInput } from "./tasks.ts";

type Register = Operation<number | "read", number>;

/** A register: a write returns what was there before. */
const REGISTER: Model<number, number | "read", number> = {
  initial: 0,
  step(state, { input, output }) {
    if (output !== undefined && output !== state) return undefined;
    return input === "read" ? state : input;
  },
  key: String,
};

const FOREVER = Number.POSITIVE_INFINITY;
const call = (from: number, to: number, input: number | "read", output?: number): Register => ({
  client: "c",
  from,
  to,
  input,
  output,
});

const KNOWN: readonly (readonly [string, boolean, readonly Register[]])[] = [
  ["nothing happened", true, []],
  ["a read follows a write", true, [call(0, 1, 7, 0), call(2, 3, "read", 7)]],
  ["a stale read", false, [call(0, 1, 7, 0), call(2, 3, "read", 0)]],
  ["a read during a write sees either state", true, [call(0, 9, 7, 0), call(1, 2, "read", 0)]],
  [
    "reads go back in time during a write",
    false,
    [call(0, 9, 7, 0), call(1, 2, "read", 7), call(3, 4, "read", 0)],
  ],
  ["two writes replace the same value", false, [call(0, 9, 7, 0), call(1, 8, 8, 0)]],
  ["an open write took effect", true, [call(0, FOREVER, 7), call(5, 6, "read", 7)]],
  ["an open write had no effect", true, [call(0, FOREVER, 7), call(5, 6, "read", 0)]],
  [
    "an open write takes effect late",
    true,
    [call(0, FOREVER, 7), call(5, 6, "read", 0), call(7, 8, "read", 7)],
  ],
  [
    "an open write takes effect once",
    false,
    [call(0, FOREVER, 7), call(1, 2, 8, 7), call(3, 4, 9, 7)],
  ],
  ["an open write had effect before it began", false, [call(0, 1, "read", 7), call(2, FOREVER, 7)]],
  [
    "the order of concurrent writes depends on a later read",
    true,
    [call(0, 5, 7, 8), call(0, 5, 8, 0), call(6, 7, "read", 7)],
  ],
];

/** Tries every order. */
function bruteForce(operations: readonly Register[], state = REGISTER.initial): boolean {
  if (operations.every(({ output }) => output === undefined)) return true;
  return operations.some((each) => {
    const others = operations.filter((other) => other !== each);
    if (others.some(({ to, output }) => output !== undefined && to < each.from)) return false;
    const after = REGISTER.step(state, each);
    return after !== undefined && bruteForce(others, after);
  });
}

const HISTORIES = fc.array(
  fc
    .record({
      from: fc.nat(12),
      length: fc.nat(6),
      input: fc.oneof(fc.constant("read" as const), fc.integer({ min: 1, max: 3 })),
      output: fc.option(fc.nat(3), { nil: undefined }),
    })
    .map(({ from, length, input, output }) =>
      call(from, output === undefined ? FOREVER : from + length, input, output),
    ),
  { maxLength: 7 },
);

const LEASE = 1_000;

function claimOf(owner: string, from: number, to: number, output: OneOutput) {
  const input: TaskInput = { op: "claim", owner, id: "t1", lease: LEASE, began: from };
  return { client: owner, from, to, input, output };
}

const claimed = (owner: string, at: number, epoch: number): OneOutput => ({
  ended: at,
  task: { status: "claimed", owner, epoch, attempts: epoch, leaseUntil: at + LEASE, updatedAt: at },
});

describe("the checker of histories", () => {
  it.each(KNOWN)("decides a known history: %s", (_, expected, operations) => {
    expect(isLinearizable(REGISTER, operations)).toBe(expected);
  });

  it("agrees with a search of every order", { tags: ["vacuous-test"] }, () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(HISTORIES, (operations) => {
        const expected = bruteForce(operations);
        if (expected) accepted++;
        else refused++;
        expect(isLinearizable(REGISTER, operations)).toBe(expected);
        expect(violationOf(REGISTER, operations) === undefined).toBe(expected);
      }),
      { numRuns: sized(2_000, 50_000) },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(sized(200, 5_000));
  });

  it("decides a long history with concurrent and open calls", () => {
    const operations: Register[] = [];
    for (let n = 0; n < 1_000; n++) operations.push(call(10 * n, 10 * n + 25, n + 1, n));
    for (let n = 0; n < 5; n++) operations.push(call(100 * n, FOREVER, 5_000 + n));
    expect(isLinearizable(REGISTER, operations)).toBe(true);
    operations.push(call(9_000, 9_001, "read", 1));
    expect(isLinearizable(REGISTER, operations)).toBe(false);
  });

  it("reduces a history to its shortest part that no order explains", () => {
    const operations: Register[] = [];
    for (let n = 0; n < 100; n++) operations.push(call(10 * n, 10 * n + 5, n + 1, n));
    const stale = call(502, 507, "read", 7);
    const violation = violationOf(REGISTER, [...operations, stale]);
    expect(violation).toMatchObject({ last: stale, states: [50, 51] });
    expect(violation?.part.map(({ from }) => from)).toStrictEqual([500, 502]);
    expect(violation?.before).toHaveLength(50);
  });

  it("accepts a claim of an expired lease and refuses one of a current lease", () => {
    const first = claimOf("ann", 0, 10, claimed("ann", 5, 1));
    const second = (at: number) => claimOf("bob", at - 5, at + 5, claimed("bob", at, 2));
    expect(isLinearizable(TASK, [first, second(1_004)])).toBe(false);
    expect(isLinearizable(TASK, [first, second(1_005)])).toBe(true);
    const held = (at: number) => {
      const refused = { code: "held", holder: "ann", epoch: 1, leaseUntil: 1_005 } as const;
      return claimOf("bob", at, at + 5, { ended: at + 5, refused });
    };
    expect(isLinearizable(TASK, [first, held(900)])).toBe(true);
    expect(isLinearizable(TASK, [first, held(3_000)])).toBe(false);
  });
});
