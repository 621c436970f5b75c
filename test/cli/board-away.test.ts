import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();
const closed = () => join(boards.machine.home, "board-closed");

function leave(hours: number): void {
  mkdirSync(boards.machine.home, { recursive: true });
  writeFileSync(closed(), String(Date.now() - hours * 3_600_000));
}

describeOnTerminal("the board after some time away", () => {
  test("counts what changed since it was closed, and shows the report", async () => {
    leave(8);
    boards.write("night", [["Paint the door", "completed"]]);
    const tty = boards.board(100, 24);
    await tty.shows("While you were away");
    await tty.shows("1 finished, unproven");
    tty.type("R");
    await tty.shows("Finished, but nothing is proven.");
    await tty.shows("FINISHED, UNPROVEN");
    tty.type("\x1b");
    await tty.until((lines) => lines.at(-1)?.includes("enter open") === true, "the overview");
    tty.type("\x1b");
    await tty.until((lines) => !lines.join("\n").includes("While you were away"), "no line");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(Math.abs(Date.now() - Number(readFileSync(closed(), "utf8")))).toBeLessThan(60_000);
  });

  test("says nothing after a short break, and reports the last day on request", async () => {
    leave(0.2);
    boards.write("day", [["Paint the door", "completed"]]);
    const tty = boards.board(80, 24);
    await tty.shows("Paint the door");
    tty.type("R");
    await tty.shows("Finished, but nothing is proven.");
    tty.type("R");
    await tty.until((lines) => lines.at(-1)?.includes("enter open") === true, "the overview");
    expect(tty.screen().join("\n")).not.toContain("While you were away");
    tty.type("q");
    await tty.finished;
  });
});
