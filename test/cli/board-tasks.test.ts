import { expect, test } from "vitest";
import type { Task, TaskEvent } from "../../src/tasks/model.ts";
import { newBoards } from "./boards.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();
const { board, write } = boards;

describeOnTerminal("tasks on the board of a terminal", () => {
  test("shows tasks live, with their owners and leases", async () => {
    const { machine } = boards;
    machine.run(["task", "add", "Dig the pond"]);
    machine.run(["task", "add", "Fill the pond", "--blocked-by", "t1"]);
    const tty = board(80, 24);
    await tty.shows("t tasks");
    tty.type("t");
    await tty.shows("blocked by t1");
    await tty.until(([head = ""]) => head.includes("1 ready · 1 blocked"), "how many wait");
    const claimed = machine.run(["task", "claim", "t1", "--as", "mole"]);
    expect(claimed.status).toBe(0);
    await tty.until((lines) => lines.some((line) => /mole, [34]m \d/.test(line)), "the lease");
    const done = machine.run(["task", "done", "t1", "--as", "mole", "--epoch", "1"]);
    expect(done.status).toBe(0);
    await tty.until(([head = ""]) => head.includes("1 ready · 1 done"), "the next one ready");
    tty.type("\r");
    await tty.shows("priority 2");
    tty.type("tq");
    expect(await tty.finished).toBe(0);
  });

  test("shows a paused queue, pauses and resumes it, and retries a failed task", async () => {
    const { machine } = boards;
    machine.run(["task", "add", "Dig the pond", "--max-attempts", "1"]);
    machine.run(["task", "claim", "t1", "--as", "mole"]);
    const why = ["--reason", "a rock"];
    machine.run(["task", "fail", "t1", "--as", "mole", "--epoch", "1", ...why]);
    machine.run(["task", "add", "Fill the pond"]);
    machine.run(["task", "pause", "--as", "ann", "--reason", "it rains"]);
    const tty = board(100, 24);
    await tty.shows("t tasks");
    tty.type("t");
    await tty.shows("Queue paused by ann just now: it rains. Claimed tasks continue.");
    await tty.shows("FAILED");
    await tty.shows("1 of 1: a rock");
    tty.type("P");
    await tty.shows("Resumed the queue. Press u to undo.");
    await tty.until((lines) => lines.every((line) => !line.includes("Queue paused")), "no strip");
    expect(machine.json(["task", "queue"])).toMatchObject({ paused: null });
    tty.type("u");
    await tty.shows("just now: it rains.");
    expect(machine.json(["task", "queue"])).toMatchObject({ paused: { reason: "it rains" } });
    // Another process resumes it.
    machine.run(["task", "resume"]);
    await tty.until((lines) => lines.every((line) => !line.includes("Queue paused")), "no strip");
    tty.type("j");
    await tty.shows("y retry");
    tty.type("y");
    await tty.shows("Reopened t1.");
    expect((machine.json(["task", "show", "t1"]) as Task).status).toBe("open");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("adds, completes with evidence and assigns tasks, and shows refusals", async () => {
    const { machine } = boards;
    const tty = board(80, 24);
    await tty.shows("t tasks");
    tty.type("t");
    await tty.shows("No tasks yet.");
    tty.type("nDig the \u202epond\r");
    await tty.shows("subject contains a control character: U+202E at position 9.");
    await tty.shows("Nothing was changed.");
    tty.type("nDig the pond\r");
    await tty.shows("Added t1.");
    await tty.shows("› ○  t1 P2  Dig the pond");
    tty.type("nFill the pond\r");
    await tty.shows("› ○  t2 P2  Fill the pond");
    tty.type("bt1\r");
    await tty.shows("t2 is now blocked by t1.");
    await tty.shows("blocked by t1");
    tty.type("omole\r");
    await tty.shows("t2 is blocked by t1, not done yet.");
    tty.type("<0");
    await tty.shows("t1 P0");
    tty.type("omole\r");
    await tty.shows("Assigned t1 to mole. Press u to undo.");
    tty.type("u");
    await tty.shows("Undone.");
    tty.type("omole\r");
    await tty.shows("Assigned t1 to mole.");
    await tty.until((lines) => lines.some((line) => /mole, [34]m \d/.test(line)), "the lease");
    tty.type("\r");
    await tty.shows("assigned to mole, epoch 2  you via board");
    tty.type("onobody\r");
    await tty.shows("Released t1. mole can no longer update it.");
    tty.type(" a photo\r");
    await tty.shows("Evidence: a photo");
    tty.type(" ");
    await tty.shows("Reopened t1.");
    tty.type("xtoo wet\r");
    await tty.shows("Reason: too wet");
    tty.type("\x1b");
    await tty.shows("Fill the pond");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    const found = machine.json(["task", "list", "--all"]) as Task[];
    expect(
      found.map(({ id, subject, status, priority, blockedBy, reason }) => ({
        id,
        subject,
        status,
        priority,
        blockedBy,
        reason,
      })),
    ).toEqual([
      {
        id: "t1",
        subject: "Dig the pond",
        status: "cancelled",
        priority: 0,
        blockedBy: [],
        reason: "too wet",
      },
      {
        id: "t2",
        subject: "Fill the pond",
        status: "open",
        priority: 2,
        blockedBy: ["t1"],
        reason: undefined,
      },
    ]);
    const events = machine.json(["task", "history", "t1"]) as TaskEvent[];
    expect(events.map(({ type, by, via }) => [type, by, via].join(" "))).toEqual(
      [
        "added",
        "edited",
        "assigned",
        "released",
        "assigned",
        "released",
        "done",
        "reopened",
        "cancelled",
      ].map((type) => `${type} user board`),
    );
  });

  test("promotes a todo to a task, once", async () => {
    write("yard", [
      ["Rake the leaves", "in_progress"],
      ["Water the roses", "pending"],
    ]);
    const tty = board(80, 24);
    await tty.shows("Rake the leaves");
    tty.type("\rT");
    await tty.shows("todo 1 is task t1: Rake the leaves");
    tty.type("jT");
    await tty.shows("todo 2 is task t2: Water the roses");
    tty.type("T");
    await tty.until(
      (lines) => lines.some((line) => /Water the roses +task t2$/.test(line)),
      "the task beside the todo",
    );
    tty.type("q");
    expect(await tty.finished).toBe(0);
    const tasks = boards.machine.json(["task", "list", "--all"]) as Task[];
    expect(tasks.map(({ id, subject, status, owner }) => [id, subject, status, owner])).toEqual([
      ["t1", "Rake the leaves", "claimed", "yard"],
      ["t2", "Water the roses", "open", undefined],
    ]);
  });
});
