import { describe, expect, it } from "vitest";
import { STATUSES } from "../../src/index.ts";
import { readStatus } from "../../src/internal.ts";
import { newList } from "../tools/call.ts";

describe("SPEC A2, statuses", () => {
  it("SPEC A2: there are five", () => {
    expect(STATUSES).toEqual(["pending", "in_progress", "completed", "cancelled", "blocked"]);
  });

  it.each(STATUSES)("SPEC A2: %s is our own spelling and has no raw one", (status) => {
    expect(readStatus(status)).toEqual({ status });
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
  ])("SPEC A2: %s is %s, and its spelling is kept", (raw, status) => {
    expect(readStatus(raw)).toEqual({ status, rawStatus: raw });
  });

  it("SPEC A2: booleans say done or not", () => {
    expect([readStatus(true), readStatus(false)]).toEqual([
      { status: "completed" },
      { status: "pending" },
    ]);
  });

  it.each(["waiting for review", "__proto__", "toString", ""])(
    "SPEC A2: %j is kept raw and counts as pending",
    (raw) => {
      expect(readStatus(raw)).toEqual({ status: "pending", rawStatus: raw });
    },
  );

  it.each([undefined, null, 3, {}, []])("SPEC A2: %j is pending", (raw) => {
    expect(readStatus(raw)).toEqual({ status: "pending" });
  });

  it("SPEC A2: the raw spelling leaves with the status it spelled", () => {
    const list = newList();
    list.set([{ text: "Cut", status: "pending", rawStatus: "waiting" }]);
    expect(list.get()[0]?.rawStatus).toBe("waiting");
    list.submit([{ op: "start", target: { any: "1" } }]);
    expect(list.get()[0]).not.toHaveProperty("rawStatus");
  });

  it("SPEC A1: a todo can have all its fields, and null takes one away", () => {
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
