import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Task } from "../../../src/tasks/model.ts";
import type { Machine } from "../../cli/machine.ts";
import { stageOfEach } from "./stage.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const on = stageOfEach();
const propose = (machine: Machine, session: string, text: string) =>
  machine.run(["plan", "propose", "-", "--session", session], { input: text });
const planOf = (machine: Machine, session: string) =>
  (machine.json(["plan", "show", session]) as { plan: { state: string } }).plan.state;
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.closest("[data-task],[data-todo],[data-key]")?.textContent,
  );

test("while a box is open the page below rests, and then has the focus back", async () => {
  const made = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "--session", "demo"]);
    propose(machine, "demo", "1. Paint\n");
  });
  const page = await made.open();
  const { keyboard } = page;
  await page.goto(new URL(DEMO, made.url()).href);
  await page.waitForSelector(".list .todo");
  await keyboard.press("j");
  await page.waitForFunction(() => document.activeElement?.matches("[data-todo]"));
  const before = await focused(page);
  await keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  for (const key of ["a", "x", "n", "t"]) await keyboard.press(key);
  expect(await page.getByLabel("Text of the new todo").count()).toBe(0);
  await keyboard.press("?");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe(before);
  expect(new URL(page.url()).pathname).toBe(DEMO);
  expect(planOf(made.machine, "demo")).toBe("proposed");
  expect(await page.locator(".todo.is-cancelled").count()).toBe(0);
});

test("keys act on what has the focus, and on nothing that is not marked", async () => {
  const made = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "three", "--session", "demo"]);
    for (const subject of ["Paint", "Hang", "Sweep"]) machine.run(["task", "add", subject]);
  });
  const { machine } = made;
  const page = await made.open();
  const { keyboard } = page;
  await page.goto(new URL(DEMO, made.url()).href);
  await page.waitForSelector(".list .todo");
  await keyboard.press("j");
  await page.locator(".todo").nth(2).getByRole("button").first().focus();
  await keyboard.press("x");
  await page.locator(".todo.is-cancelled").getByText("three").waitFor();

  await page.goto(new URL("/tasks", made.url()).href);
  await page.waitForSelector('[data-task="t3"]');
  // The first press of a key that acts chooses.
  await keyboard.press("0");
  await page.waitForFunction(() => document.querySelector('[data-task="t1"].selected'));
  await page.locator('[data-task="t3"] a.title').focus();
  await keyboard.press("x");
  await page.locator('.done [data-task="t3"]').waitFor();
  await page.locator('[data-task="t2"] a.title').focus();
  await keyboard.press("Space");
  await page.getByRole("dialog").getByText("Finish t2").waitFor();
  await keyboard.press("Escape");
  const tasks = machine.json(["task", "list", "--all"]) as Task[];
  expect(tasks.map(({ id, status, priority }) => [id, status, priority])).toEqual([
    ["t1", "open", 2],
    ["t2", "open", 2],
    ["t3", "cancelled", 2],
  ]);
});

test("a plan that comes meanwhile is not decided on in the place of the one that is shown", async () => {
  const made = await on((machine) => {
    propose(machine, "old", "# Old plan\n1. Paint\n");
  });
  const { machine } = made;
  const page = await made.open();
  const { keyboard } = page;
  await page.waitForSelector(".track.selected");
  propose(machine, "new", "# New plan\n1. Burn\n");
  await page.locator(".track").nth(1).waitFor();
  await keyboard.press("a");
  await page.getByText("Plan approved. The agent is told.").waitFor();
  expect([planOf(machine, "old"), planOf(machine, "new")]).toEqual(["approved", "proposed"]);
});

test("arrows move what they belong to; what an input method is at is not given up", async () => {
  const made = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "--session", "demo"]);
    machine.run(["todo", "done", "1", "--session", "demo"]);
  });
  const page = await made.open();
  const { keyboard } = page;
  await page.goto(new URL(DEMO, made.url()).href);
  const slider = page.getByLabel("History");
  await slider.focus();
  await keyboard.press("ArrowLeft");
  await page.getByText(/As it was at/).waitFor();
  await expect.poll(() => slider.evaluate((it) => it === document.activeElement)).toBe(true);
  await keyboard.press("Escape");
  await keyboard.press("n");
  const field = page.getByLabel("Text of the new todo");
  await field.fill("drei");
  await field.dispatchEvent("keydown", { key: "Escape", isComposing: true, bubbles: true });
  expect(await field.inputValue()).toBe("drei");
  await keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
});
