import { describe, expect, test } from "vitest";
import {
  LATEST_TIME,
  LONGEST_DELAY,
  LONGEST_LEASE,
  type TaskOp,
} from "../../../src/tasks/model.ts";
import { checkOp } from "../../../src/tasks/rules/check.ts";

const SENDER = { by: "user", via: "test" } as const;

/** The op as it is carried out, or the problem with it. */
function checked(op: object, sender: object = SENDER): unknown {
  const result = checkOp(op as TaskOp, sender as typeof SENDER);
  return result.ok ? result.op : result.problem;
}
/** The field of a new task, or the problem with it. */
function drafted(field: string, value: unknown): unknown {
  const result = checked({ op: "add", tasks: [{ subject: "s", [field]: value }] });
  return typeof result === "string"
    ? result
    : (result as { tasks: object[] }).tasks[0]?.[field as never];
}
function edited(field: string, value: unknown): unknown {
  const result = checked({ op: "edit", id: "t1", set: { [field]: value } });
  return typeof result === "string" ? result : (result as { set: object }).set[field as never];
}
const emoji = "😀";

describe("texts of tasks", () => {
  test.each([
    ["subject", " a\nb ", "a b"],
    ["subject", "x".repeat(500), "x".repeat(500)],
    ["subject", emoji.repeat(500), emoji.repeat(500)],
    ["subject", emoji.repeat(501), "subject has 501 characters; the limit is 500."],
    ["subject", "x".repeat(501), "subject has 501 characters; the limit is 500."],
    ["subject", "", "subject is empty."],
    ["subject", " \n ", "subject is empty."],
    ["subject", 5, "subject must be text."],
    ["description", "a\r\nb\rc  \n", "a\nb\nc"],
    ["description", "  a\tb", "  a\tb"],
    ["description", " \n", "description is empty."],
    ["description", 5, "description must be text."],
    ["description", "x".repeat(100_000), "x".repeat(100_000)],
    ["description", "x".repeat(100_001), "description has 100001 characters; the limit is 100000."],
    ["ref", "x".repeat(200), "x".repeat(200)],
    ["ref", "x".repeat(201), "ref has 201 characters; the limit is 200."],
    ["labels", [" a ", "b", "a"], ["a", "b"]],
    ["labels", ["a", ""], "labels[1] is empty."],
    ["labels", "a", "labels must be a list of texts."],
    ["labels", Array(50).fill("a"), ["a"]],
    ["labels", Array(51).fill("a"), "labels has 51 entries; the limit is 50."],
    ["blockedBy", Array(1_000).fill("t1"), ["t1"]],
    ["blockedBy", Array(1_001).fill("t1"), "blockedBy has 1001 entries; the limit is 1000."],
    ["evidence", ["a\r\nb", "a\nb"], ["a\nb", "a\nb"]],
    ["evidence", ["a", ""], "evidence[1] is empty."],
    ["evidence", "a", "evidence must be a list of texts."],
    ["evidence", Array(50).fill("a"), Array(50).fill("a")],
    ["evidence", Array(51).fill("a"), "evidence has 51 entries; the limit is 50."],
    ["evidence", ["x".repeat(2_001)], "evidence[0] has 2001 characters; the limit is 2000."],
  ])("%s: %j", (field, given, expected) => {
    expect(drafted(field, given)).toEqual(expected);
  });

  test.each(["subject", "description", "ref"])("%s has no control characters", (field) => {
    for (const bad of ["\u0000", "\u001b[31m", "\u0007", "\u202e"])
      expect(drafted(field, `a${bad}b`)).toMatch(
        new RegExp(`^${field} contains a control character: .+\\. Send plain text\\.$`),
      );
  });
});

describe("numbers, times and objects of tasks", () => {
  const PRIORITY = "priority must be a priority from 0 (most urgent) to 4.";
  const MOMENT = "notBefore must be a time in milliseconds.";
  const ATTEMPTS = "maxAttempts must be a whole number from 1 to 1000.";
  const bytes = (count: number) => ({ k: "x".repeat(count - '{"k":""}'.length) });
  const loop: { own?: object } = {};
  loop.own = loop;
  test.each([
    ["priority", 0, 0],
    ["priority", 4, 4],
    ["priority", 5, PRIORITY],
    ["priority", -1, PRIORITY],
    ["priority", "1", PRIORITY],
    ["maxAttempts", 1, 1],
    ["maxAttempts", 1_000, 1_000],
    ["maxAttempts", 0, ATTEMPTS],
    ["maxAttempts", 1_001, ATTEMPTS],
    ["maxAttempts", 1.5, ATTEMPTS],
    ["notBefore", 0, 0],
    ["notBefore", 1.9, 1],
    ["notBefore", LATEST_TIME, LATEST_TIME],
    ["notBefore", LATEST_TIME + 1, MOMENT],
    ["notBefore", -1, MOMENT],
    ["notBefore", Number.NaN, MOMENT],
    ["notBefore", "1", MOMENT],
    ["status", "failed", "failed"],
    ["status", "claimed", "status must be open, done, failed or cancelled."],
    ["metadata", { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ["metadata", { a: undefined, b: 1 }, { b: 1 }],
    ["metadata", JSON.parse('{"__proto__": {"x": 1}, "a": 1}'), { a: 1 }],
    ["metadata", null, "metadata must be an object."],
    ["metadata", [], "metadata must be an object."],
    ["metadata", "a", "metadata must be an object."],
    ["metadata", { a: 1n }, "metadata must be JSON."],
    ["metadata", loop, "metadata must be JSON."],
    ["metadata", bytes(65_536), bytes(65_536)],
    ["metadata", bytes(65_537), "metadata has 65537 bytes; the limit is 65536."],
  ])("%s: %o", (field, given, expected) => {
    expect(drafted(field, given)).toEqual(expected);
  });
});

describe("fields of an edit", () => {
  test.each(["description", "activeText", "parent", "check", "notBefore", "deadline"])(
    "%s is removed by null",
    (field) => {
      expect(edited(field, null)).toBe(null);
      expect(drafted(field, null)).toMatch(new RegExp(`^${field} must be `));
    },
  );

  test("others are not, and unknown ones are left out", () => {
    expect(edited("subject", null)).toBe("subject must be text.");
    expect(edited("labels", null)).toBe("labels must be a list of texts.");
    expect(checked({ op: "edit", id: " t1 ", set: { subject: "a", status: "done" } })).toEqual({
      op: "edit",
      id: "t1",
      set: { subject: "a" },
    });
    expect(checked({ op: "edit", id: "t1", set: null })).toBe(" must be an object.");
    expect(
      checked({ op: "edit", id: "t1", set: {}, base: { description: null, priority: 1 } }),
    ).toEqual({ op: "edit", id: "t1", set: {}, base: { description: null } });
  });
});

describe("tasks that are added", () => {
  const add = (...tasks: readonly object[]) => checked({ op: "add", tasks });

  test("need a subject, which the problem names by its place if there are several", () => {
    expect(add({})).toBe("subject is required.");
    expect(add({ subject: "a" }, {})).toBe("tasks[1].subject is required.");
    expect(add({ subject: "a" }, { subject: "b", priority: 9 })).toMatch(/^tasks\[1\]\.priority /);
    expect(checked({ op: "add", tasks: [null] })).toBe(" must be an object.");
    expect(checked({ op: "add", tasks: ["a", "b"] })).toBe("tasks[0] must be an object.");
  });

  test("are a list of at most 100,000", () => {
    expect(add()).toBe("tasks is empty.");
    expect(checked({ op: "add", tasks: "a" })).toBe("tasks is empty.");
    expect(add(...Array(100_001).fill({}))).toBe(
      "tasks has 100001 entries; the limit is 100000 per call.",
    );
  });

  test("have different names", () => {
    const named = (name: string) => ({ subject: "s", name });
    expect(add(named("a"), { subject: "s" }, { subject: "s" }, named("b"))).toMatchObject({
      tasks: [{ name: "a" }, {}, {}, { name: "b" }],
    });
    expect(add(named("a"), named("b"), named(" a"))).toBe(
      "tasks[2].name is the name of an earlier task in this call.",
    );
  });
});

describe("other ops", () => {
  const held = [{ id: "t1" }];
  const owner = "ann";
  const proof = { check: "test", tree: "", exitCode: 0, at: 1, machine: "m" };

  test.each<[string, object]>([
    ["claim", { op: "claim", owner }],
    ["claim in full", { op: "claim", owner, id: "t1", label: "l", lease: 1, count: 1 }],
    ["claim at the limits", { op: "claim", owner, lease: LONGEST_LEASE, count: 10_000 }],
    ["renew", { op: "renew", owner, held }],
    [
      "renew in full",
      { op: "renew", owner, held: [{ id: "t1", epoch: 0 }, { id: "t2" }], lease: 5 },
    ],
    ["release", { op: "release", owner, held }],
    ["release in full", { op: "release", owner, held, reason: "r" }],
    ["finish", { op: "finish", owner, held }],
    [
      "finish in full",
      { op: "finish", owner, held, evidence: ["e"], proofs: [proof], force: true },
    ],
    ["fail", { op: "fail", owner, held, reason: "r" }],
    ["fail at once", { op: "fail", owner, held, reason: "r", retryIn: 0 }],
    ["fail for long", { op: "fail", owner, held, reason: "r", retryIn: LONGEST_DELAY }],
    ["cancel", { op: "cancel", id: "t1" }],
    ["cancel in full", { op: "cancel", id: "t1", reason: "r" }],
    ["reopen", { op: "reopen", id: "t1" }],
    ["assign", { op: "assign", id: "t1", owner }],
    [
      "assign in full",
      { op: "assign", id: "t1", owner, lease: 1, from: { owner: "ben", epoch: 0 } },
    ],
  ])("%s is carried out as given", (_, op) => {
    expect(checked(op)).toStrictEqual(op);
    expect(checked({ ...op, other: 1 })).toStrictEqual(op);
  });

  test("finish without force is not forced", () => {
    expect(checked({ op: "finish", owner, held, force: false })).toStrictEqual({
      op: "finish",
      owner,
      held,
    });
  });

  test.each<[string, object]>([
    ["op is unknown.", { op: "explode" }],
    ["owner must be text.", { op: "claim" }],
    ["id is empty.", { op: "claim", owner, id: "" }],
    ["label is empty.", { op: "claim", owner, label: "" }],
    [`lease must be a whole number from 1 to ${LONGEST_LEASE}.`, { op: "claim", owner, lease: 0 }],
    ["count must be a whole number from 1 to 10000.", { op: "claim", owner, count: 10_001 }],
    ["held must name at least one task.", { op: "renew", owner, held: [] }],
    ["held must name at least one task.", { op: "renew", owner, held: "t1" }],
    [
      "held names more than 100000 tasks.",
      { op: "renew", owner, held: Array(100_001).fill(held[0]) },
    ],
    ["held names a task twice.", { op: "renew", owner, held: Array(100_000).fill(held[0]) }],
    [
      "held names a task twice.",
      { op: "finish", owner, held: [{ id: "t1" }, { id: "t2" }, { id: " t1" }] },
    ],
    [
      "epoch must be a whole number from 0 to 9007199254740991.",
      { op: "renew", owner, held: [{ id: "t1", epoch: -1 }] },
    ],
    ["reason is empty.", { op: "release", owner, held, reason: "" }],
    ["reason must be text.", { op: "fail", owner, held }],
    [
      `retryIn must be a whole number from 0 to ${LONGEST_DELAY}.`,
      { op: "fail", owner, held, reason: "r", retryIn: -1 },
    ],
    ["reason is empty.", { op: "cancel", id: "t1", reason: " " }],
    [
      "from.epoch must be a whole number from 0 to 9007199254740991.",
      { op: "assign", id: "t1", owner, from: { owner: "ben" } },
    ],
    ["proofs must be a list of proofs.", { op: "finish", owner, held, proofs: proof }],
    ["proofs has more than 100000 entries.", { op: "finish", owner, held, proofs: Array(100_001) }],
    ["proofs[0] must be an object.", { op: "finish", owner, held, proofs: [null] }],
    ["proofs[0] must be an object.", { op: "finish", owner, held, proofs: ["ok"] }],
    [
      "proofs[1] is not of a check that passed: exitCode must be 0.",
      { op: "finish", owner, held, proofs: [proof, { ...proof, exitCode: 1 }] },
    ],
    [
      "proofs[0].tree must be text.",
      { op: "finish", owner, held, proofs: [{ ...proof, tree: undefined }] },
    ],
    [
      "proofs[0].tree has 201 characters; the limit is 200.",
      { op: "finish", owner, held, proofs: [{ ...proof, tree: "x".repeat(201) }] },
    ],
    ["proofs[0].check is empty.", { op: "finish", owner, held, proofs: [{ ...proof, check: "" }] }],
    [
      "proofs[0].at must be a time in milliseconds.",
      { op: "finish", owner, held, proofs: [{ ...proof, at: "now" }] },
    ],
    [
      "proofs[0].machine must be text.",
      { op: "finish", owner, held, proofs: [{ ...proof, machine: 1 }] },
    ],
  ])("refuses: %s", (problem, op) => {
    expect(checked(op)).toBe(problem);
  });
});

describe("the sender", () => {
  const op = { op: "reopen", id: "t1" };

  test("has plain names", () => {
    expect(checked(op, { ...SENDER, key: "k", actor: "ann" })).toEqual(op);
    expect(checked(op, { ...SENDER, key: "" })).toBe("key is empty.");
    expect(checked(op, { ...SENDER, actor: "x".repeat(201) })).toMatch(/^actor has 201 characters/);
    expect(checked(op, { ...SENDER, via: "" })).toBe("via is empty.");
  });

  test.each([
    ["no op", () => checkOp(undefined as never, SENDER)],
    ["null as op", () => checkOp(null as never, SENDER)],
    ["text as op", () => checkOp("add" as never, SENDER)],
    ["no sender", () => checkOp(op as never, undefined as never)],
    ["an unknown author", () => checkOp(op as never, { by: "cat", via: "test" } as never)],
    ["no program", () => checkOp(op as never, { by: "agent" } as never)],
  ])("%s is a mistake of the caller", (_, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/store\.apply\(op, \{ by: "agent", via: "my-program" \}\)/);
  });

  test.each(["agent", "user", "system"])("may be the %s", (by) => {
    expect(checked(op, { by, via: "test" })).toEqual(op);
  });
});
