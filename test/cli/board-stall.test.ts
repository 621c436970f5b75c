import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { claudeSession } from "./claude-session.ts";
import { describeOnTerminal } from "./tty.ts";
import { A, MINUTE } from "./user-machine.ts";

const boards = newBoards();

describeOnTerminal("a stalled agent on the board", () => {
  test("runs the user's command, and the session says so", async () => {
    const { machine, home } = boards;
    const at = Date.now() - 10 * MINUTE;
    const session = claudeSession(A, machine.cwd)
      .prompt("Fix the build", at)
      .todos([["Fix the build", "in_progress"]], at)
      .call("Bash", { command: "npm test" }, at);
    home.write(`.claude/projects/-p/${A}.jsonl`, session.text());
    const tty = boards.board(100, 24, { WAYMARK_ON_STALLED: "cat > /dev/null; exit 4" });
    await tty.shows("stalled");
    tty.type("\r");
    await tty.shows("command failed: exit 4");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
