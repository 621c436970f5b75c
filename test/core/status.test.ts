import { describe, expect, it } from "vitest";
import { STATUSES } from "../../src/index.ts";
import { parseStatus } from "../../src/internal.ts";
import { newList } from "../tools/call.ts";

const SPELLINGS: Readonly<Record<string, string>> = {
  pending:
    "notStarted|not_started|not-started|not started|Not-Started|todo|open|new|planned|queued|waiting|TODO_STATUS_PENDING",
  in_progress:
    "active|doing|started|ongoing|working|working on|running|current|WIP|inProgress|in progress",
  completed: `Finished|complete|done|closed|finished|resolved|fixed|checked|success|successful|succeeded|passed|implemented
    merged|shipped|verified|true|yes|✓|✔|✔️|✅|☑|☑️|Completed|TODO_STATUS_COMPLETED`,
  cancelled: `canceled|abandoned|abandon|dropped|skipped|deleted|removed|obsolete|rejected|wont do|wontfix|won't do
    won't fix|not needed|CANCELLED`,
  blocked: "on hold|stuck|Blocked",
};

describe("statuses", () => {
  it("are five", () => {
    expect(STATUSES).toEqual(["pending", "in_progress", "completed", "cancelled", "blocked"]);
  });

  it.each(STATUSES)("accepts our own spelling %s without a raw status", (status) => {
    expect(parseStatus(status)).toEqual({ status });
  });

  it.each(
    Object.entries(SPELLINGS).flatMap(([status, all]) =>
      all.split(/\||\n\s*/).map((raw) => [raw, status] as const),
    ),
  )("maps %s to %s and keeps the spelling", (raw, status) => {
    expect(parseStatus(raw)).toEqual({ status, rawStatus: raw });
  });

  it("maps booleans to completed and pending", () => {
    expect([parseStatus(true), parseStatus(false)]).toEqual([
      { status: "completed" },
      { status: "pending" },
    ]);
  });

  it.each(["waiting for review", "__proto__", "toString", ""])(
    "maps the unknown %j to pending and keeps the spelling",
    (raw) => {
      expect(parseStatus(raw)).toEqual({ status: "pending", rawStatus: raw });
    },
  );

  it.each([undefined, null, 3, {}, []])("maps %j to pending", (raw) => {
    expect(parseStatus(raw)).toEqual({ status: "pending" });
  });

  it("drops the raw spelling when the status changes", () => {
    const list = newList();
    list.set([{ text: "Cut", status: "pending", rawStatus: "waiting" }]);
    expect(list.get()[0]?.rawStatus).toBe("waiting");
    list.submit([{ op: "start", target: { any: "1" } }]);
    expect(list.get()[0]).not.toHaveProperty("rawStatus");
  });

  it("sets every field of a todo, and removes one with null", () => {
    const list = newList();
    const fields = {
      activeText: "Cutting",
      phase: "Build",
      notes: ["sharp"],
      priority: "high",
      parent: "a",
      blockedBy: ["b"],
      owner: "me",
      ref: "c",
      evidence: ["photo.png"],
    };
    list.set([{ text: "Cut", status: "blocked", blocker: "no cloth", ...fields }]);
    const todo = { id: "1", text: "Cut", status: "blocked", createdAt: 1_000, movedBy: "agent" };
    expect(list.get()).toEqual([{ ...todo, blocker: "no cloth", ...fields }]);
    const nothing = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));
    list.submit([{ op: "edit", target: { any: "1" }, set: { ...nothing, blocker: null } }]);
    expect(list.get()).toEqual([todo]);
  });
});
