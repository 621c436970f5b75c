import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();

const ONE = `Checkout uses two form libraries.

1. Add the new kit beside the old form, behind a flag
2. Move the payment step
3. Turn the flag on for staging
4. Delete the flag
`;
const TWO = `Checkout uses two form libraries.

1. Add the new kit beside the old form, behind a flag
2. Move the payment step; the card field stays in its frame
3. Run the checkout suite on both forms
4. Turn the flag on for staging
`;

function propose(text: string): void {
  const { status, stderr } = boards.machine.run(["plan", "propose", "-", "--session", "shop"], {
    input: text,
  });
  expect(status, stderr).toBe(0);
}

function revise(): void {
  propose(ONE);
  boards.machine.run(["plan", "comment", "It must not leave its frame.", "shop", "--step", "2"]);
  boards.machine.run(["plan", "reject", "shop", "--comment", "Keep the card field in its frame."]);
  propose(TWO);
}

test("plan show --diff compares a plan with an earlier revision", () => {
  propose(ONE);
  const alone = boards.machine.run(["plan", "show", "shop", "--diff"]);
  expect(alone.status).toBe(2);
  expect(alone.stderr).toContain("has one revision, so there is nothing to compare it with");
  revise();
  const { stdout } = boards.machine.run(["plan", "show", "shop", "--diff"]);
  expect(
    stdout
      .replace(/at \d\d:\d\d/, "at TIME")
      .split("\n")
      .slice(0, 12),
  ).toEqual([
    "Plan, proposed, revision 2: 1 changed, 1 added, 1 removed since revision 1",
    "You rejected revision 1 at TIME: “Keep the card field in its frame.”",
    "",
    "    Checkout uses two form libraries.",
    "",
    "    1  Add the new kit beside the old form, behind a flag",
    "  - 2  Move the payment step",
    "  + 2  Move the payment step; the card field stays in its frame",
    "       │ you, r1: It must not leave its frame.",
    "  + 3  Run the checkout suite on both forms",
    "    4  Turn the flag on for staging",
    "  - 4  Delete the flag",
  ]);
  const form = boards.machine.json(["plan", "show", "shop", "--base", "1"]);
  expect(form).toMatchObject({
    plan: { revision: 2 },
    revisions: [{ number: 1, decision: { decision: "rejected" } }, { number: 2 }],
    diff: { from: 1, to: 2, counts: { added: 1, removed: 1, changed: 1, unchanged: 2 } },
  });
  expect(boards.machine.run(["plan", "show", "shop"]).stdout).toContain(
    "Plan, proposed, revision 2\n",
  );
  const wrong = boards.machine.run(["plan", "show", "shop", "--base", "7"]);
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain("has no earlier revision 7. Use one of: 1.");
});

describeOnTerminal("a revised plan on the board", () => {
  test("shows the comparison, d hides it", async () => {
    revise();
    const tty = boards.board(80, 24);
    await tty.shows("plan");
    tty.type("p");
    await tty.shows("revision 2");
    await tty.shows("1 changed, 1 added, 1 removed");
    await tty.shows("You rejected revision 1");
    await tty.shows("+ 3  Run the checkout suite on both forms");
    await tty.shows("│ you, r1: It must not leave its frame.");
    tty.type("d");
    await tty.shows("3  Run the checkout suite on both forms");
    await tty.shows("d diff");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
