import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import type { Machine } from "../../cli/machine.ts";
import { horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

function backlog(machine: Machine): void {
  machine.run(["task", "add", "Paint"]);
  machine.run(["task", "add", "Hang", "--priority", "1"]);
  machine.run(["task", "add", "Sweep", "--blocked-by", "t1"]);
}

const card = (page: Page, id: string) => page.locator(`[data-task="${id}"]`);
const column = (page: Page, name: string) => page.locator(`[data-column="${name}"]`);
const hint = (page: Page, name: string) => column(page, name).locator(".hint").textContent();

async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  return { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 24) };
}

/** Lifts a card with the mouse and moves it over a target, without dropping it. */
async function lift(page: Page, id: string, over: string): Promise<void> {
  const from = await middleOf(page, `[data-task="${id}"] a.title`);
  const to = await middleOf(page, over);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y + 4);
  await page.mouse.move(to.x, to.y, { steps: 4 });
}

test("moves cards with mouse, touch and keys, and says before what a drop does", async () => {
  const stage = await on(backlog);
  const page = await stage.open();
  const tasks = () => stage.machine.json(["task", "list", "--all"]) as Task[];
  const dialog = page.getByRole("dialog");
  await page.goto(new URL("/tasks", stage.url()).href);
  await card(page, "t3").waitFor();

  await lift(page, "t1", '[data-column="claimed"]');
  await expect.poll(() => hint(page, "claimed")).toBe("Drop: assign to an agent");
  await page.locator(".drag-ghost").getByText("Drop: assign to an agent · Esc cancels").waitFor();
  expect(
    await Promise.all(["ready", "waiting", "done", "failed"].map((each) => hint(page, each))),
  ).toEqual([
    "Drop: no change",
    "Drop: choose what blocks it",
    "Drop: asks you for evidence",
    "No drop: Tasks fail by themselves",
  ]);
  await page.mouse.up();
  await dialog.getByText("t1").first().waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  // The press was no click on the title.
  expect(new URL(page.url()).pathname).toBe("/tasks");

  // Within a column: the priority of the card below the pointer.
  await lift(page, "t1", '[data-task="t2"]');
  await expect.poll(() => hint(page, "ready")).toBe("Drop: priority 1");
  await page.mouse.up();
  await expect.poll(() => tasks().find(({ id }) => id === "t1")?.priority).toBe(1);

  await lift(page, "t3", '[data-column="ready"] h2');
  await expect.poll(() => hint(page, "ready")).toBe("No drop: t3 is blocked by t1");
  await page.mouse.up();
  await page.locator(".toast.problem").getByText("t3 is blocked by t1.").waitFor();
  // Escape puts it back.
  await lift(page, "t2", '[data-column="done"]');
  await page.keyboard.press("Escape");
  await page.locator(".drag-ghost").waitFor({ state: "detached" });
  await page.mouse.up();
  expect(await dialog.count()).toBe(0);

  // Keys: m picks up, arrows choose the column, Enter drops.
  await card(page, "t2").locator("a.title").focus();
  await page.keyboard.press("m");
  for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowRight");
  await page
    .getByRole("status")
    .getByText("t2, Done. Drop: asks you for evidence. Esc cancels.")
    .waitFor();
  await page.keyboard.press("Enter");
  await dialog.getByText("Mark t2 as done").waitFor();
  await page.keyboard.press("Escape");

  // A finger that rests drags; one that moves at once scrolls.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(page)).toBe(0);
  const touch = (type: string, selector: string) =>
    page.evaluate(
      ([name, at]) => {
        const target = document.querySelector(at);
        const box = target?.getBoundingClientRect();
        target?.dispatchEvent(
          new PointerEvent(name, {
            bubbles: true,
            button: 0,
            pointerType: "touch",
            clientX: (box?.left ?? 0) + 20,
            clientY: (box?.top ?? 0) + 12,
          }),
        );
      },
      [type, selector] as const,
    );
  await touch("pointerdown", '[data-task="t2"]');
  await page.locator(".drag-ghost").waitFor();
  await touch("pointermove", '[data-column="waiting"] h2');
  await expect.poll(() => hint(page, "waiting")).toBe("Drop: choose what blocks it");
  await touch("pointerup", '[data-column="waiting"] h2');
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await touch("pointerdown", '[data-task="t2"]');
  await touch("pointermove", '[data-task="t3"]');
  await touch("pointerup", '[data-task="t3"]');
  expect(await page.locator(".drag-ghost").count()).toBe(0);
});
