import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import type { Proof } from "../../src/core/checks/proof.ts";
import { isoTime, listForm } from "../../src/core/views/json.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { checkMachine, machineOfSession, relayedSession } from "../../src/core/views/relayed.ts";
import {
  changeForWire,
  forWire,
  pagePath,
  parseTrackPath,
  trackPath,
} from "../../src/core/wire.ts";
import { todo, trackOf } from "./track-of.ts";

describe("track paths", () => {
  test.each([
    ["s", "main", "s~main"],
    ["a~b", "c/d", "a%7Eb~c%2Fd"],
    ["é %", "~", "%C3%A9%20%25~%7E"],
  ])("%j and %j become %j and back", (session, agent, path) => {
    expect(trackPath({ session, agent })).toBe(path);
    expect(parseTrackPath(path)).toEqual({ session, agent });
    expect(pagePath({ session, agent })).toBe(`/track/${encodeURIComponent(path)}`);
  });

  test.each(["", "s", "s~", "~a", "a~b~c", "a~b~", "%~a", "a~%E9"])("rejects %j", (path) => {
    expect(parseTrackPath(path)).toBeUndefined();
  });
});

test("sends no calls and no reminder counters to the page", () => {
  const call = { name: "Read", label: "Read", signature: "s" };
  const activity = { ...emptyActivity(), lastAt: 5, calls: [call] };
  const track = trackOf([todo("1")], {}, { activity });
  const joined: MergedTrack = {
    track,
    hosted: true,
    state: "idle",
    findings: [],
    updatedAt: 1,
    activity,
  };
  const { activity: _, guide: __, ...shown } = track;
  const sent = { ...joined, track: shown, activity: { ...activity, calls: [] } };
  expect(forWire(joined)).toEqual(sent);
  expect(changeForWire({ type: "opened", track: joined })).toEqual({ type: "opened", track: sent });
  const { track: ___, ...rest } = joined;
  const id = { session: "s", agent: "main" };
  expect(changeForWire({ type: "status", status: { ...rest, id, about: {} } })).toEqual({
    type: "status",
    status: { ...rest, id, about: {}, activity: { ...activity, calls: [] } },
  });
  const gone = { type: "gone", id } as const;
  expect(changeForWire(gone)).toBe(gone);
  const { activity: ____, ...silent } = joined;
  expect(forWire(silent)).not.toHaveProperty("activity");
});

describe("JSON of a list", () => {
  test("has the progress, the current and the next todo", () => {
    const track = trackOf([
      todo("1", { status: "completed" }),
      todo("2", { status: "in_progress" }),
      todo("3"),
    ]);
    const form = listForm(track);
    expect(form).toMatchObject({
      session: "s",
      agent: "main",
      current: { id: "2" },
      next: { id: "3" },
      finished: false,
      version: 1,
    });
    expect(form).not.toHaveProperty("refused");
    expect(form).not.toHaveProperty("explanation");
    expect(listForm(trackOf([todo("1", { status: "completed" })]))).toMatchObject({
      current: null,
      next: null,
      finished: true,
    });
    const refused = { at: 1_000, why: "too many" };
    expect(listForm({ ...track, refused, explanation: "why" })).toMatchObject({
      refused: { at: "1970-01-01T00:00:01.000Z", why: "too many" },
      explanation: "why",
    });
  });

  test("has the evidence of each todo with its level", () => {
    const at = Date.UTC(2026, 0, 2);
    const time = "2026-01-02T00:00:00.000Z";
    const done = { status: "completed" } as const;
    const check = { command: "npm test", exitCode: 0, at };
    const proof: Proof = {
      check: "test",
      command: "npm test",
      ok: true,
      exitCode: 0,
      at,
      durationMs: 41_000,
      tree: "9f3c2e1",
      machine: "mbp",
      warnings: [{ kind: "test_skipped", file: "a.test.ts", line: 3, text: "it.skip(" }],
      output: "secret",
      edits: 4,
    };
    const { todos } = listForm(
      trackOf([
        todo("1", { ...done, proof }),
        todo("2", { ...done, check, evidence: ["docs/a.md"] }),
        todo("3", { ...done, evidence: ["docs/a.md"] }),
        todo("4", done),
        todo("5", { ...done, check, proof: { ...proof, staleEdits: 3 } }),
        todo("6", { ...done, check, proof: { ...proof, ok: false, exitCode: 1 } }),
        todo("7"),
      ]),
    );
    expect(todos.map(({ evidence }) => evidence.level)).toEqual([
      "reproduced",
      "verified",
      "reported",
      "none",
      "none",
      "none",
      "none",
    ]);
    const { output: _, edits: __, ...shown } = proof;
    expect(todos[0]?.evidence).toEqual({
      level: "reproduced",
      references: [],
      proof: { ...shown, at: time },
    });
    expect(todos[0]).not.toHaveProperty("proof");
    expect(todos[1]?.evidence).toEqual({
      level: "verified",
      references: ["docs/a.md"],
      check: { ...check, at: time },
    });
    expect(todos[1]?.check).toEqual({ ...check, at: time });
    expect(todos[4]?.evidence.proof).toMatchObject({ staleEdits: 3 });
    expect(todos[6]?.evidence).toEqual({ level: "none", references: [] });
  });

  test("has ISO times, and null for numbers out of range", () => {
    expect(isoTime(1)).toBe("1970-01-01T00:00:00.001Z");
    expect(isoTime(8.64e15)).toBe("+275760-09-13T00:00:00.000Z");
    expect([0, -1, 8.64e15 + 1_000, Number.NaN].map(isoTime)).toEqual([null, null, null, null]);
  });
});

describe("sessions of other machines", () => {
  test("have the machine after the last @", () => {
    expect(relayedSession("s", "m")).toBe("s@m");
    expect(machineOfSession("s@m")).toEqual({ session: "s", machine: "m" });
    expect(machineOfSession("a@b@m")).toEqual({ session: "a@b", machine: "m" });
    expect(["s", "@m", "s@", ""].map(machineOfSession)).toEqual(Array(4).fill(undefined));
  });

  test("validates machine names", () => {
    const fine = ["a", "host-1.local", "A_b", "x".repeat(63)];
    expect(fine.map(checkMachine)).toEqual(fine.map(() => undefined));
    for (const name of ["", "-a", ".a", "a b", "a@b", "x".repeat(64)])
      expect(checkMachine(name)).toContain("63 letters");
  });
});
