import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();

describeOnTerminal("the board of a home whose store was lost", () => {
  test("opens with a message, and shows the lists after doctor --restore", {
    tags: ["lost-store"],
  }, async () => {
    const { machine } = boards;
    boards.write("demo", [["Sweep the floor", "in_progress"]]);
    rmSync(join(machine.home, "waymark.db"));
    const tty = boards.board(200, 24);
    await tty.shows("is missing or empty");
    expect(machine.run(["doctor", "--restore"]).status).toBe(0);
    await tty.shows("Sweep the floor");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
