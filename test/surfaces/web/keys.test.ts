import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Task } from "../../../src/tasks/model.ts";
import type { Machine } from "../../cli/machine.ts";
import { stagePerTest } from "./stage.ts";
import { endUndoPeriod, pauseUndoPeriod } from "./undo-time.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const on = stagePerTest();
const propose = (machine: Machine, session: string, text: string) =>
  machine.run(["plan", "propose", "-", "--session", session], { input: text });
const planOf = (machine: Machine, session: string) =>
  (machine.json(["plan", "show", session]) as { plan: { state: string } }).plan.state;
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.closest("[data-task],[data-todo],[data-key]")?.textContent,
  );

test("blocks the shortcuts of the page under a dialog and restores the focus", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "--session", "demo"]);
    propose(machine, "demo", "1. Paint\n");
  });
  const page = await stage.open();
  const { keyboard } = page;
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  await keyboard.press("j");
  await page.waitForFunction(() => document.activeElement?.matches("[data-todo]"));
  const before = await focused(page);
  await keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  for (const key of ["a", "x", "n", "t"]) await keyboard.press(key);
  expect(await page.getByLabel("New todo").count()).toBe(0);
  await keyboard.press("?");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe(before);
  expect(new URL(page.url()).pathname).toBe(DEMO);
  expect(planOf(stage.machine, "demo")).toBe("proposed");
  expect(await page.locator(".todo.is-cancelled").count()).toBe(0);
});

test("applies keys to the focused item only", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "three", "--session", "demo"]);
    for (const subject of ["Paint", "Hang", "Sweep"]) machine.run(["task", "add", subject]);
  });
  const { machine } = stage;
  const page = await stage.open();
  const { keyboard } = page;
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  await keyboard.press("j");
  await page.locator(".todo").nth(2).getByRole("button").first().focus();
  await keyboard.press("x");
  await page.locator(".todo.is-cancelled").getByText("three").waitFor();

  await page.goto(new URL("/tasks", stage.url()).href);
  await page.waitForSelector('[data-task="t3"]');
  // Without a selection, the first key selects.
  await keyboard.press("0");
  await page.waitForFunction(() => document.querySelector('[data-task="t1"].selected'));
  await page.locator('[data-task="t3"] a.title').focus();
  await keyboard.press("x");
  await page.locator('.done [data-task="t3"]').waitFor();
  await page.locator('[data-task="t2"] a.title').focus();
  await keyboard.press("Space");
  await page.getByRole("dialog").getByText("Mark t2 as done").waitFor();
  await keyboard.press("Escape");
  const tasks = machine.json(["task", "list", "--all"]) as Task[];
  expect(tasks.map(({ id, status, priority }) => [id, status, priority])).toEqual([
    ["t1", "open", 2],
    ["t2", "open", 2],
    ["t3", "cancelled", 2],
  ]);
});

test("keeps the selection when another plan arrives", async () => {
  const stage = await on((machine) => {
    propose(machine, "old", "# Old plan\n1. Paint\n");
  });
  const { machine } = stage;
  const page = await stage.open();
  await pauseUndoPeriod(page);
  await page.reload();
  const { keyboard } = page;
  await page.waitForSelector(".track.selected");
  propose(machine, "new", "# New plan\n1. Burn\n");
  await page.locator(".track").nth(1).waitFor();
  await keyboard.press("a");
  await page.getByText("Plan approved.").waitFor();
  await endUndoPeriod(page);
  await expect.poll(() => planOf(machine, "old")).toBe("approved");
  expect([planOf(machine, "old"), planOf(machine, "new")]).toEqual(["approved", "proposed"]);
});

test("leaves arrow keys to sliders and Escape to input methods", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "--session", "demo"]);
    machine.run(["todo", "done", "1", "--session", "demo"]);
  });
  const page = await stage.open();
  const { keyboard } = page;
  await page.goto(new URL(DEMO, stage.url()).href);
  const slider = page.getByLabel("History");
  await slider.focus();
  await keyboard.press("ArrowLeft");
  await page.getByText(/List as of/).waitFor();
  await expect.poll(() => slider.evaluate((it) => it === document.activeElement)).toBe(true);
  await keyboard.press("Escape");
  await keyboard.press("n");
  const field = page.getByLabel("New todo");
  await field.fill("drei");
  await field.dispatchEvent("keydown", { key: "Escape", isComposing: true, bubbles: true });
  expect(await field.inputValue()).toBe("drei");
  await keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
});
