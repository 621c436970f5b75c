import { expect, test } from "vitest";
import { applyObservation, emptyActivity } from "../../src/core/activity/activity.ts";
import { verifiedByCheck } from "../../src/core/activity/apply-observations.ts";
import { exitOfValue } from "../../src/core/activity/evidence/exit-code.ts";
import { type Observation, observationOf } from "../../src/core/activity/observation.ts";
import { outcomeFingerprint } from "../../src/core/activity/outcome-fingerprint.ts";
import { emptyTrack, evolve, foldEvents } from "../../src/core/evolve.ts";
import type { Change, Event, Rejection } from "../../src/core/model.ts";
import { modelText } from "../../src/core/text/model-text.ts";
import { viewOf } from "../../src/core/views/view.ts";
import { todo } from "./track-of.ts";

const ID = { session: "s", agent: "main" };
const added: Change = { type: "todo.added", todo: { id: "1", text: "Cut", status: "pending" } };
const rejected: Rejection[] = [{ code: "too_many", message: modelText`The list is full.` }];

function event(seq: number, changes: readonly Change[], more: Partial<Event> = {}): Event {
  return { seq, key: `k${seq}`, at: seq * 10, by: "agent", via: "test", changes, ...more };
}

test("keeps a partly refused write until the next write of the agent", () => {
  const partly = event(1, [added], { rejected });
  const refused = { at: 10, why: "The list is full.", partial: true };
  expect(foldEvents(ID, [partly]).refused).toEqual(refused);
  const noted: Change = { type: "todo.noted", id: "1", note: "n" };
  expect(foldEvents(ID, [partly, event(2, [noted], { by: "user" })]).refused).toEqual(refused);
  expect(foldEvents(ID, [partly, event(2, [noted])])).not.toHaveProperty("refused");
  expect(foldEvents(ID, [partly, event(2, [])])).not.toHaveProperty("refused");
  const plan: Change = { type: "plan.drafted", planId: "p", delta: "1." };
  expect(foldEvents(ID, [partly, event(2, [plan])]).refused).toEqual(refused);
});

test("keeps an explanation until the agent adds or removes todos", () => {
  const first = evolve(emptyTrack(ID), event(1, [added], { comment: "why" }));
  const noted: Change = { type: "todo.noted", id: "1", note: "n" };
  expect(first.explanation).toBe("why");
  expect(evolve(first, event(2, [noted])).explanation).toBe("why");
  expect(evolve(first, event(2, [noted], { comment: "" })).explanation).toBe("why");
  expect(evolve(first, event(2, [noted], { comment: "new" })).explanation).toBe("new");
  expect(evolve(first, event(2, [noted], { comment: "new", by: "user" })).explanation).toBe("why");
  const more: Change = { type: "todo.added", todo: { id: "2", text: "Sew", status: "pending" } };
  expect(evolve(first, event(2, [more]))).not.toHaveProperty("explanation");
  expect(evolve(first, event(2, [{ type: "todo.removed", id: "1" }]))).not.toHaveProperty(
    "explanation",
  );
});

test("verifies only completions that the check could cover", () => {
  const check = { command: "npm test", exitCode: 0, at: 100 };
  const done = (id: string, more: object) =>
    todo(id, { status: "completed", createdAt: 1, finishedAt: 50, ...more });
  const { finishedAt: _, ...undated } = done("undated", {});
  const todos = [
    done("1", {}),
    done("at the check", { finishedAt: 100 }),
    done("after", { finishedAt: 101 }),
    undated,
    done("of the user", { movedBy: "user" }),
    done("backed before", { check }),
    done("begun after", { startedAt: 101 }),
    done("begun with", { startedAt: 100 }),
    todo("open"),
  ];
  const activity = { ...emptyActivity(), check };
  const proven = (which: "before the check" | "all") =>
    verifiedByCheck({ todos, activity }, which).map((change) => "id" in change && change.id);
  expect(proven("before the check")).toEqual(["1", "at the check", "undated", "begun with"]);
  expect(proven("all")).toEqual(["1", "at the check", "after", "undated", "begun with"]);
  expect(verifiedByCheck({ todos, activity: emptyActivity() }, "all")).toEqual([]);
});

test("cuts the data of a session start", () => {
  const long = "x".repeat(100_000);
  expect(observationOf({ type: "session.started" }, 5)).toEqual({ type: "session.started", at: 5 });
  const seen = observationOf({ type: "session.started", cwd: "/p", title: "a\nb" }, 5);
  expect(seen).toEqual({ type: "session.started", at: 5, cwd: "/p", title: "a b" });
  const cut = observationOf({ type: "session.started", cwd: long, title: long }, 5);
  expect(JSON.stringify(cut).length).toBeLessThan(30_000);
});

test("keeps a plan up to its limit in pieces of any size", () => {
  const draft = (seq: number, delta: string): Event =>
    event(seq, [{ type: "plan.drafted", planId: "p", delta }]);
  const pieces = [draft(1, "a".repeat(150_000)), draft(2, "b".repeat(100_000)), draft(3, "c")];
  expect(foldEvents(ID, pieces).plan?.text).toBe("a".repeat(150_000) + "b".repeat(50_000));
});

test("uses the worst of several results", () => {
  const parts = (...exits: readonly object[]) => exitOfValue(exits);
  const [passed, failed, stopped] = [{ exitCode: 0 }, { exitCode: 2 }, { timedOut: true }];
  expect(parts(passed, failed, passed)).toEqual({ code: 2 });
  expect(parts(passed, {}, passed)).toEqual({ code: 0 });
  expect(parts(failed, stopped)).toEqual({ interrupted: true });
  expect(exitOfValue({ metadata: passed, result: failed })).toEqual({ code: 2 });
});

test("includes only known data in a view", () => {
  const track = emptyTrack(ID);
  const bare = viewOf(track, 1);
  for (const field of ["title", "agentType", "cwd", "refused", "explanation", "current", "next"])
    expect(bare).not.toHaveProperty(field);
  const about = { title: "T", agentType: "codex", cwd: "/p", explanation: "why" };
  expect(viewOf({ ...track, ...about }, 1)).toMatchObject(about);
});

test("compares long outputs by their ends", () => {
  const lines = (at: number, text: string) =>
    outcomeFingerprint(
      true,
      0,
      Array.from({ length: 4_000 }, (_, n) => (n === at ? text : `line ${n}`)).join("\n"),
    );
  const whole = lines(-1, "");
  expect(lines(2_000, "other")).toBe(whole);
  expect([lines(1, "other"), lines(3_998, "other")]).not.toContain(whole);
  expect(outcomeFingerprint(true, 0, "a")).not.toBe(outcomeFingerprint(true, 0, "b"));
});

test("ends a running turn, but keeps a failed one, when the session ends or idles", () => {
  const activity = (...types: readonly string[]) => {
    const seen = emptyActivity();
    for (const [at, type] of types.entries())
      applyObservation(seen, { type, at: at + 1 } as Observation);
    return seen.turn;
  };
  for (const end of ["turn.idle", "session.ended"]) {
    expect(activity("turn.started", end)).toBe("completed");
    expect(activity("turn.started", "turn.failed", end)).toBe("failed");
    expect(activity(end)).toBe("none");
  }
});
