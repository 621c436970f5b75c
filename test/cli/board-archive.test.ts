import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();

describeOnTerminal("archiving on the board of a terminal", () => {
  test("A hides a session, u shows it again, f lists what is archived", async () => {
    boards.write("one", [["Paint the shed", "pending"]]);
    boards.write("two", [["Mow the lawn", "pending"]]);
    const tty = boards.board(80, 24);
    await tty.shows("Paint the shed");
    await tty.shows("Mow the lawn");
    const row = (text: string) => (rows: readonly string[]) =>
      rows.some((line) => line.startsWith("▌›") && line.includes(text));
    // The newest comes first.
    const second = "\x1b[Hj";
    tty.type(second);
    await tty.until(row("Paint the shed"), "the selected row");
    tty.type("A");
    await tty.shows("Archived until it changes. Press u to undo.");
    const isHidden = (rows: readonly string[]) => !rows.join("\n").includes("Paint the shed");
    await tty.until(isHidden, "the row to go");
    await tty.shows("1 archived");
    await tty.until(row("Mow the lawn"), "the next row selected");
    tty.type("u");
    await tty.until((rows) => !isHidden(rows), "the row to come back");
    expect(boards.machine.json(["archive", "--list"])).toEqual([]);
    tty.type("u");
    await tty.shows("Nothing to undo.");
    tty.type(second);
    await tty.until(row("Paint the shed"), "the selected row");
    tty.type("A");
    await tty.until(isHidden, "the row to go again");
    tty.type("f\x1b[D\x1b[A");
    await tty.until((rows) => rows[1]?.includes(" archived × ") === true, "the chip");
    await tty.until(row("Paint the shed"), "the archived row");
    tty.type("\r");
    tty.type("A");
    await tty.shows("Shown again.");
    tty.type("\x1b");
    await tty.until(
      (rows) => rows.join("\n").includes("Mow the lawn") && !isHidden(rows),
      "both rows",
    );
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
