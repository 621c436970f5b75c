import { expect, test } from "vitest";
import type { ToolActivity } from "../../../src/core/activity/activity.ts";
import type { CallMark } from "../../../src/core/views/activity-timeline.ts";
import { matchCommits } from "../../../src/core/views/report/commits.ts";
import type { Member } from "../../../src/core/views/report/sessions.ts";
import { stuckOf } from "../../../src/core/views/report/stuck.ts";
import { proofOf } from "../../surfaces/proofs.ts";
import { todo } from "../track-of.ts";
import { ago, done, MINUTE, reported, running } from "./tracks.ts";

type Given = Parameters<typeof reported>[1];
const open = [running("1", ago(3))];
const call = (label: string, at: number, rest: Partial<CallMark> = {}): CallMark =>
  ({ kind: "check", label, at, ...rest }) as CallMark;
const recent = (label: string, startedAt: number, rest: Partial<ToolActivity> = {}) =>
  ({ label, startedAt, ...rest }) as ToolActivity;
const loop = {
  kind: "generic_repeat",
  level: "critical",
  label: "npm test",
  count: 4,
  message: "",
} as const;
const blocked = (id: string, blocker?: string) =>
  todo(id, { status: "blocked", ...(blocker !== undefined && { blocker }) });
const disproved = (id: string, exitCode: number | null) => ({
  ...done(id, ago(4)),
  proof: proofOf(ago(2), { ok: false, exitCode }),
});

test.each<[string, Parameters<typeof reported>[0], Given, object | undefined]>([
  ["waits for the user", [disproved("1", 1)], { state: "needs_you" }, undefined],
  [
    "has a failed proof",
    [disproved("1", 1)],
    { activity: { turn: "running" } },
    { kind: "failed check", on: "npm test", since: ago(2), exitCode: 1 },
  ],
  [
    "has a proof without an exit code",
    [disproved("1", null)],
    {},
    { kind: "failed check", on: "npm test", since: ago(2) },
  ],
  [
    "has a failed proof of an open todo",
    [{ ...disproved("1", 1), status: "pending" }],
    {},
    undefined,
  ],
  ["has nothing left", [done("1", ago(2))], { activity: { turn: "failed" } }, undefined],
  [
    "has a failed turn",
    open,
    { activity: { turn: "failed", lastAt: 5, recent: [] } },
    { kind: "failed turn", since: 5, on: "" },
  ],
  [
    "failed in a call",
    open,
    {
      activity: { turn: "failed", lastAt: 5, recent: [recent("a", 1, { ok: false, exitCode: 2 })] },
    },
    { kind: "failed turn", since: 5, on: "a", exitCode: 2 },
  ],
  [
    "failed after a call",
    open,
    { activity: { turn: "failed", lastAt: 5, recent: [recent("a", 1, { ok: true })] } },
    { kind: "failed turn", since: 5, on: "" },
  ],
  ["has no todos and no turn", [], { activity: { turn: "completed" as never } }, undefined],
  [
    "has no todos and a failed turn",
    [],
    { activity: { turn: "failed", lastAt: 5 } },
    { kind: "failed turn", since: 5, on: "" },
  ],
  ["works", open, { state: "working", activity: { turn: "running", loop } }, undefined],
  [
    "loops",
    open,
    { state: "looping", calls: [], activity: { turn: "running", loop } },
    { kind: "looping", on: "npm test", count: 4 },
  ],
  [
    "loops by its findings",
    open,
    {
      state: "looping",
      findings: [
        { ...loop, kind: "stalled", label: "x" },
        { ...loop, count: 9 },
      ],
      activity: { turn: "running", loop },
    },
    { kind: "looping", on: "npm test", count: 9 },
  ],
  [
    "loops between two calls",
    open,
    {
      state: "looping",
      calls: [call("c", 1), call("a", 2), call("b", 3), call("a", 4), call("d", 5)],
      activity: { turn: "running", loop: { ...loop, label: "a and b" } },
    },
    { kind: "looping", on: "a and b", count: 4, since: 2 },
  ],
  [
    "is silent in a call",
    open,
    {
      state: "stalled",
      activity: { turn: "running", lastAt: 5, open: [recent("a", 1), recent("b", 2)] as never },
    },
    { kind: "stalled", on: "b", since: 5 },
  ],
  [
    "ended in the middle of a turn",
    open,
    { state: "ended", activity: { turn: "running", lastAt: 5 } },
    undefined,
  ],
  [
    "is blocked",
    [blocked("1"), blocked("2", "the key"), done("3", ago(1))],
    {},
    { kind: "blocked", on: "the key" },
  ],
  ["is blocked by nothing that is named", [blocked("1")], {}, { kind: "blocked", on: "" }],
  ["has a todo that is not blocked", [blocked("1"), todo("2")], {}, undefined],
  [
    "has a failed check that passed",
    open,
    { calls: [call("a", 1, { ok: false }), call("a", 2, { ok: true })] },
    undefined,
  ],
  ["has a check without a result", open, { calls: [call("a", 1)] }, undefined],
  ["has a failed edit", open, { calls: [call("a", 1, { kind: "edit", ok: false })] }, undefined],
  [
    "has a failed check",
    open,
    {
      calls: [
        call("a", 1, { ok: false }),
        call("a", 2, { ok: true }),
        call("b", 3, { ok: false }),
        call("a", 4, { ok: false, endedAt: 5 }),
        call("a", 6, { ok: false }),
      ],
      activity: {
        turn: "completed" as never,
        recent: [
          recent("a", 4, { ok: false, exitCode: 1 }),
          recent("a", 6, { ok: false, exitCode: 2 }),
          recent("a", 7, { ok: true, exitCode: 0 }),
          recent("b", 8, { ok: false, exitCode: 3 }),
        ],
      },
    },
    { kind: "failed check", on: "a", since: 5, count: 2, exitCode: 2 },
  ],
])("an agent that %s", (_, todos, given, wanted) => {
  expect(stuckOf(reported(todos, given))).toEqual(wanted);
});

test("the start of a loop is the first known call if earlier ones are not", () => {
  const started = (given: Given, left = 0) => {
    const track = reported(open, {
      state: "looping",
      ...given,
      activity: { turn: "running", loop, ...given?.activity },
    });
    const timeline = track.timeline && { ...track.timeline, left };
    const { since, atLeast } = stuckOf({ ...track, ...(timeline && { timeline }) }) ?? {};
    return [since, atLeast];
  };
  const calls = [call("npm test", 1), call("npm test", 2)];
  expect(started({ calls })).toEqual([1, undefined]);
  expect(started({ calls }, 3)).toEqual([1, true]);
  expect(started({ calls: [call("a", 0), ...calls] }, 3)).toEqual([1, undefined]);
  const { timeline: _, ...bare } = reported(open, {
    state: "looping",
    activity: { turn: "running", loop, recent: [recent("npm test", 7)] },
  });
  expect(stuckOf(bare as never)).toMatchObject({ since: 7, atLeast: true });
});

test("a commit belongs to the todo that fits it best, if one does", () => {
  const member = (
    session: string,
    calls: readonly CallMark[] = [],
    cwd: string | undefined = "/srv",
  ) =>
    ({
      ref: { session, agent: "main", cwd },
      timeline: { calls, happenings: [], left: 0 },
    }) as unknown as Member;
  const worked = (from: number, to?: number) =>
    todo("1", {
      createdAt: from,
      startedAt: from,
      ...(to !== undefined && { finishedAt: to, status: "completed" }),
    });
  const T = 10 * MINUTE;
  const of = (
    at: number,
    candidates: readonly (readonly [Member, ReturnType<typeof worked>])[],
    files: readonly string[] = [],
  ) => {
    const commit = { hash: "h", at, subject: "S", files, root: "/srv", directories: ["/srv"] };
    const { listed } = matchCommits(
      [commit],
      candidates.map(([by, each]) => ({ member: by, todo: each })),
    );
    return listed[0]?.todo?.session;
  };
  const a = member("a");
  expect(of(T, [[a, worked(T, 2 * T)]])).toBe("a");
  expect(of(T, [[a, worked(T + 999)]])).toBe("a");
  expect(of(T - 1, [[a, worked(T)]])).toBeUndefined();
  expect(of(2 * T + 5 * MINUTE, [[a, worked(T, 2 * T)]])).toBe("a");
  expect(of(2 * T + 5 * MINUTE + 1, [[a, worked(T, 2 * T)]])).toBeUndefined();
  expect(of(9 * T, [[a, worked(T)]])).toBe("a");
  expect(of(T, [[member("a", [], "/other"), worked(T)]])).toBeUndefined();
  expect(of(T, [[member("a", [], ""), worked(T)]])).toBeUndefined();
  // Two fit: the one in progress, or the one that edited the files.
  const b = member("b");
  expect(
    of(2 * T, [
      [a, worked(T)],
      [b, worked(T)],
    ]),
  ).toBeUndefined();
  expect(
    of(2 * T + 1, [
      [a, worked(T, 2 * T)],
      [b, worked(T)],
    ]),
  ).toBe("b");
  const editor = (at: number, label = "Edit x.ts", kind = "edit") =>
    member("e", [call(label, at, { kind } as Partial<CallMark>)]);
  const against = (by: Member, at = 2 * T, files = ["src/x.ts", "x.ts"]) =>
    of(
      at,
      [
        [a, worked(T)],
        [by, worked(T)],
      ],
      files,
    );
  expect(against(editor(T))).toBe("e");
  expect(against(editor(T, "x.ts"))).toBe("e");
  expect(against(editor(T, "Edit /srv/src/x.ts"))).toBe("e");
  expect(against(editor(2 * T + 1_000))).toBe("e");
  expect(against(editor(2 * T + 1_001))).toBeUndefined();
  expect(against(editor(T - 1))).toBeUndefined();
  expect(against(editor(T, "Edit ax.ts"))).toBeUndefined();
  expect(against(editor(T, "Edit x.ts", "check"))).toBeUndefined();
});
