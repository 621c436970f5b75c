import { describe, expect, it } from "vitest";
import { STATUSES } from "../../src/index.ts";
import { parseStatus } from "../../src/internal.ts";
import { newList } from "../tools/call.ts";

describe("statuses", () => {
  it("are five", () => {
    expect(STATUSES).toEqual(["pending", "in_progress", "completed", "cancelled", "blocked"]);
  });

  it.each(STATUSES)("accepts our own spelling %s without a raw status", (status) => {
    expect(parseStatus(status)).toEqual({ status });
  });

  it.each([
    ["abandoned", "cancelled"],
    ["canceled", "cancelled"],
    ["done", "completed"],
    ["complete", "completed"],
    ["not-started", "pending"],
    ["not_started", "pending"],
    ["inProgress", "in_progress"],
    ["in-progress", "in_progress"],
    ["In Progress", "in_progress"],
    ["TODO_STATUS_IN_PROGRESS", "in_progress"],
    ["Completed", "completed"],
    ["finished", "completed"],
    ["Finished", "completed"],
    ["resolved", "completed"],
    ["fixed", "completed"],
    ["success", "completed"],
    ["✅", "completed"],
    ["true", "completed"],
    ["notStarted", "pending"],
    ["started", "in_progress"],
    ["working-on", "in_progress"],
    ["WIP", "in_progress"],
    ["skipped", "cancelled"],
    ["won't do", "cancelled"],
    ["on hold", "blocked"],
  ])("maps %s to %s and keeps the spelling", (raw, status) => {
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
