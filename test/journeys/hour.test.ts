import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { newMachine } from "../cli/machine.ts";
import { NO_TTY, openProgram } from "../cli/tty.ts";
import { needs } from "../skipped.ts";
import { stagePerTest } from "../surfaces/web/stage.ts";
import { type Answers, answersAt, writeHour } from "./hour.ts";

/** With one that waits, with two that are stuck, and with two that finished without proof. */
const MINUTES = [14, 37, 52];

/** The counts at the top, in the words of the board. */
function counts({ needYou, stuck, unproven }: Answers): readonly RegExp[] {
  return [
    new RegExp(`\\b${needYou.length} needs? you`),
    ...(stuck.length > 0 ? [new RegExp(`\\(${stuck.length} stuck\\)`)] : []),
    ...(unproven.length > 0 ? [new RegExp(`${unproven.length} (finished )?unproven`)] : []),
  ];
}

/** Whether the first line has the counts and the cost, and the rows say the same of each session. */
function hasAnswers([first = "", ...rows]: readonly string[], answers: Answers): boolean {
  const at = (title: string) => rows.findIndex((row) => /^▌/.test(row) && row.includes(title));
  const row = (title: string, below = 0) => rows[at(title) + below] ?? "";
  return (
    [...counts(answers), new RegExp(`≈\\${answers.cost}\\b`)].every((each) => each.test(first)) &&
    answers.needYou.every((title) => /^▌› /.test(row(title)) && /question/.test(row(title, 1))) &&
    answers.stuck.every((title) => /stalled|looping/.test(row(title, 1))) &&
    answers.unproven.every((title) => /unproven/.test(row(title)))
  );
}

describe.each(MINUTES)("eight agents after %i minutes", (minute) => {
  const answers = answersAt(minute);

  test.each([
    [80, 24],
    [120, 40],
  ])(
    "the first screen of a terminal of %i x %i shows who needs the user, what is stuck or unproven, and the cost",
    needs(NO_TTY),
    async (columns, rows) => {
      const machine = newMachine();
      writeHour(machine.root, minute, Date.now());
      const tty = openProgram("", machine.root, {
        columns,
        rows,
        env: { HOME: machine.root, WAYMARK_HOME: machine.home },
      });
      try {
        await tty.until((screen) => hasAnswers(screen, answers), "every answer");
        tty.type("q");
        expect(await tty.finished).toBe(0);
      } finally {
        tty.child.kill("SIGKILL");
        machine.remove();
      }
    },
  );
});

const on = stagePerTest();

async function bottomOf(page: Page, text: string): Promise<number> {
  const box = await page.getByText(text).first().boundingBox();
  return box ? box.y + box.height : Number.NaN;
}

test.each(MINUTES)(
  "the page shows the same after %i minutes, without scrolling",
  async (minute) => {
    const made = await on(async (machine) => writeHour(machine.root, minute, Date.now()));
    const answers = answersAt(minute);
    const page = await made.open({ viewport: { width: 1440, height: 900 } });
    await page.getByText(answers.cost).first().waitFor();
    const headline = page.locator("h1");
    for (const each of counts(answers))
      await expect.poll(() => headline.textContent()).toMatch(each);
    for (const title of [...answers.needYou, ...answers.stuck, ...answers.unproven])
      expect(await bottomOf(page, title), title).toBeLessThan(900);

    const phone = await made.open({ viewport: { width: 390, height: 844 } });
    await phone.getByText(answers.cost).first().waitFor();
    for (const each of counts(answers))
      await expect.poll(() => phone.locator("h1").textContent()).toMatch(each);
    for (const title of [...answers.needYou, ...answers.stuck])
      expect(await bottomOf(phone, title), title).toBeLessThan(844);
  },
);
