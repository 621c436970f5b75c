import { describe, expect, it } from "vitest";
import type { ProofRecord } from "../../src/core/checks/proof.ts";
import { withProofRows } from "../../src/core/views/history.ts";
import { proofOf, WARNINGS } from "../surfaces/proofs.ts";
import { edit, newList, shown } from "../tools/call.ts";

function story() {
  const list = newList();
  list.set([{ text: "Cut", status: "in_progress" }, { text: "Sew" }], { via: "TodoWrite" });
  edit(list, { op: "edit", target: { any: "2" }, set: { text: "Glue" } });
  edit(list, { op: "note", target: { any: "2" }, text: "strong" });
  list.submit([{ op: "finish", target: { any: "1" } }], { by: "system", via: "import" });
  list.submit([{ op: "edit", target: { any: "2" }, set: { priority: "high" } }]);
  list.submit([{ op: "remove", target: { any: "2" } }]);
  return list;
}

describe("history", () => {
  it("records author, source, time and the time in the former status", () => {
    const agent = { by: "agent", via: "library" } as const;
    const user = { by: "user", via: "test" } as const;
    expect(story().history()).toEqual([
      {
        ...agent,
        via: "TodoWrite",
        at: 1_000,
        todo: "1",
        text: "Cut",
        from: null,
        to: "in_progress",
        change: "added",
        seq: 1,
      },
      {
        ...agent,
        via: "TodoWrite",
        at: 1_000,
        todo: "2",
        text: "Sew",
        from: null,
        to: "pending",
        change: "added",
        seq: 1,
      },
      {
        ...user,
        at: 2_000,
        todo: "2",
        text: "Glue",
        from: "pending",
        to: "pending",
        change: "reworded",
        detail: "Sew",
        seq: 2,
      },
      {
        ...user,
        at: 3_000,
        todo: "2",
        text: "Glue",
        from: "pending",
        to: "pending",
        change: "noted",
        detail: "strong",
        seq: 3,
      },
      {
        by: "system",
        via: "import",
        at: 4_000,
        todo: "1",
        text: "Cut",
        from: "in_progress",
        to: "completed",
        change: "moved",
        after: 3_000,
        seq: 4,
      },
      {
        ...agent,
        at: 5_000,
        todo: "2",
        text: "Glue",
        from: "pending",
        to: "pending",
        change: "edited",
        detail: "priority",
        seq: 5,
      },
      {
        ...agent,
        at: 6_000,
        todo: "2",
        text: "Glue",
        from: "pending",
        to: null,
        change: "removed",
        seq: 6,
      },
    ]);
  });

  it("shows the list at any time in the past", () => {
    const list = story();
    const textsAt = (time: number) =>
      list.at(time).todos.map(({ text, status }) => `${text} ${status}`);
    expect([999, 1_000, 1_999, 2_000, 4_000, 6_000].map(textsAt)).toEqual([
      [],
      ["Cut in_progress", "Sew pending"],
      ["Cut in_progress", "Sew pending"],
      ["Cut in_progress", "Glue pending"],
      ["Cut completed", "Glue pending"],
      ["Cut completed"],
    ]);
    expect(list.at(Number.MAX_SAFE_INTEGER)).toEqual(list.read());
  });

  it("reports only the moved todo of a new order", () => {
    const list = newList();
    list.set(["Cut", "Sew", "Iron", "Pack"].map((text) => ({ text })));
    const rows = () =>
      list
        .history()
        .filter(({ change }) => change === "reordered")
        .map(({ by, text, from, to, detail }) => [by, text, from, to, detail]);
    edit(list, { op: "move", target: { any: "4" }, to: 0 });
    const first = ["user", "Pack", "pending", "pending", "position 4 -> 1"];
    expect(rows()).toEqual([first]);
    // A new todo in the middle was not moved, and neither were the todos below it.
    list.set(["Pack", "Cut", "Glue", "Sew", "Iron"].map((text) => ({ text })));
    expect(rows()).toEqual([first]);
    edit(list, { op: "move", target: { any: "4" }, to: 4 });
    expect(rows()).toEqual([first, ["user", "Pack", "pending", "pending", "position 1 -> 5"]]);
  });

  it("keeps the author of the current status", () => {
    const list = newList();
    list.set([{ text: "Cut" }]);
    edit(list, { op: "start", target: { any: "1" } });
    expect(list.get()[0]).toMatchObject({ movedBy: "user", startedAt: 2_000 });
  });

  it("records a repeated list as an event, but not as a revision", () => {
    const list = newList();
    list.set([{ text: "Cut" }]);
    list.set([{ text: "Cut" }]);
    expect([list.read().version, list.read().revision, shown(list)]).toEqual([2, 1, ["1 [ ] Cut"]]);
  });

  it("clears the end of a reopened todo and updates the start of a restarted one", () => {
    const list = newList();
    list.set([{ text: "Cut", status: "in_progress" }]);
    list.submit([{ op: "finish", target: { any: "1" } }]);
    expect(list.get()[0]).toMatchObject({ startedAt: 1_000, finishedAt: 2_000 });
    list.submit([{ op: "start", target: { any: "1" } }]);
    expect(list.get()[0]).toMatchObject({ startedAt: 3_000 });
    expect(list.get()[0]).not.toHaveProperty("finishedAt");
  });

  it("has the runs of checks after the change of the same text that was known then", () => {
    const rows = story().history();
    const record = (more: Partial<ProofRecord> = {}): ProofRecord => ({
      ...proofOf(2_500),
      id: { session: "s", agent: "main" },
      todo: { id: "1", text: "Cut" },
      ...more,
    });
    const added = (...records: readonly ProofRecord[]) =>
      withProofRows(rows, records).flatMap((row, index) =>
        row.change === "proof" ? [[index, row.seq, row.todo, row.from, row.to, row.detail]] : [],
      );
    expect(added(record())).toEqual([
      [3, 2, "1", "in_progress", "in_progress", "passed: npm test, exit 0"],
    ]);
    expect(added(record({ ok: false, exitCode: null, ended: "timeout" }))[0]?.at(-1)).toBe(
      "timed out: npm test",
    );
    expect(added(record({ warnings: WARNINGS }))[0]?.at(-1)).toBe(
      "passed with warnings: npm test, exit 0",
    );
    expect(added(record({ warnings: WARNINGS, accepted: true }))[0]?.at(-1)).toBe(
      "accepted: npm test, exit 0",
    );
    expect(added(record({ at: 999 }), record({ todo: { id: "1", text: "Sew it" } }))).toEqual([]);
    expect(withProofRows(rows, [])).toBe(rows);
  });
});
