import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { holdBack } from "./held.ts";
import { answer, type Stage, stageOfEach } from "./stage.ts";
import { holdUndoTime } from "./undo-time.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const on = stageOfEach();
const todos =
  (...texts: string[]) =>
  (machine: Machine) => {
    machine.run(["todo", "add", ...texts, "--session", "demo"]);
  };
const texts = (page: Page) => page.locator(".list .todo .text").allTextContents();
const kept = ({ machine }: Stage) =>
  (
    machine.json(["todos", "--session", "demo"]) as {
      todos: { text: string; status: string; notes?: string[] }[];
    }
  ).todos;

async function openList(made: Stage): Promise<Page> {
  const page = await made.open();
  await page.goto(new URL(DEMO, made.url()).href);
  await page.waitForSelector(".list .todo");
  return page;
}

test("an answer that comes late closes only what it was sent from", async () => {
  const made = await on(todos("one"));
  const page = await openList(made);
  const { keyboard } = page;
  const field = page.getByLabel("Text of the new todo");
  await keyboard.press("n");
  await field.fill("first");
  const held = await holdBack(page);
  await keyboard.press("Enter");
  await keyboard.press("Escape");
  await keyboard.press("n");
  await field.fill("second, and lo");
  held.letGo();
  await page.locator(".list .todo").nth(1).waitFor();
  await keyboard.type("ng");
  expect(await field.inputValue()).toBe("second, and long");
  await keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  expect(kept(made).map(({ text }) => text)).toEqual(["one", "first", "second, and long"]);
});

test("an answer that comes late leaves whoever types elsewhere alone", async () => {
  const made = await on((machine) => {
    todos("one")(machine);
    machine.run(["plan", "propose", "-", "--session", "demo"], { input: "1. Paint\n" });
  });
  const page = await openList(made);
  const { keyboard } = page;
  await keyboard.press("j");
  await keyboard.press("m");
  await page.getByLabel("Note for the agent").fill("with care");
  const held = await holdBack(page);
  await keyboard.press("Enter");
  const comment = page.getByLabel("Comment for the agent");
  await comment.click();
  await keyboard.type("this pl");
  held.letGo();
  await page.locator(".note").getByText("with care").waitFor();
  await keyboard.type("an");
  expect(await comment.inputValue()).toBe("this plan");
  await page.getByText("Plan waits for you").waitFor();
  // Nor does Escape take away what was typed.
  await keyboard.press("Escape");
  expect(await comment.inputValue()).toBe("this plan");
  expect(new URL(page.url()).pathname).toBe(DEMO);
});

test("who has closed a box is told why it could not be", async () => {
  const made = await on(() => undefined);
  const page = await made.open();
  const { keyboard } = page;
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  await keyboard.press("n");
  await page.getByLabel("Waits for").fill("t99");
  await page.getByLabel("What is to be done").fill("Hang it");
  const held = await holdBack(page);
  await keyboard.press("Enter");
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  held.letGo();
  await page.locator(".toast.problem").getByText("t99").waitFor();
});

test("what is being typed outlives whatever becomes of the list", async () => {
  const list = (machine: Machine, ...args: string[]) =>
    expect(machine.run(["todo", ...args, "--session", "demo"]).status).toBe(0);
  const made = await on((machine) => {
    list(machine, "add", "one");
    list(machine, "add", "two", "--phase", "Later");
  });
  const page = await openList(made);
  const { machine } = made;
  const field = page.getByLabel("Text of the todo");
  await page.locator(".todo").nth(1).dblclick();
  await field.fill("two, bet");
  // A phase comes to stand before it.
  list(machine, "add", "zero", "--phase", "First");
  list(machine, "move", "3", "1");
  await page.getByRole("heading", { name: /First/ }).waitFor();
  expect(await field.inputValue()).toBe("two, bet");
  // It is taken off the list.
  list(machine, "rm", "2");
  await page.getByText("was taken off the list").waitFor();
  await page.keyboard.type("ter");
  expect(await field.inputValue()).toBe("two, better");
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await page.getByText("two, better", { exact: true }).first().waitFor();
  expect(kept(made).map(({ text }) => text)).toEqual(["zero", "one", "two, better"]);
});

test("who keeps theirs against a second change is shown that, too", async () => {
  const made = await on(todos("one"));
  const page = await openList(made);
  const { machine } = made;
  const rename = (text: string) =>
    machine.run(["todo", "edit", "1", "--text", text, "--session", "demo"]).status;
  await page.locator(".todo").first().dblclick();
  await page.getByLabel("Text of the todo").fill("mine");
  expect(rename("theirs")).toBe(0);
  await page.keyboard.press("Enter");
  const box = page.locator(".conflict");
  await box.getByText("theirs", { exact: true }).waitFor();
  expect(rename("theirs again")).toBe(0);
  await box.getByRole("button", { name: "Keep mine" }).click();
  await box.getByText("theirs again").waitFor();
  await box.getByRole("button", { name: "Keep mine" }).click();
  await box.waitFor({ state: "detached" });
  expect(kept(made).map(({ text }) => text)).toEqual(["mine"]);
});

test("to take a drop back makes a todo what it was", async () => {
  const made = await on((machine) => {
    todos("one", "two")(machine);
    machine.run(["todo", "done", "1", "--session", "demo"]);
    machine.run(["todo", "start", "2", "--session", "demo"]);
  });
  const page = await made.open();
  await holdUndoTime(page);
  await page.goto(new URL(DEMO, made.url()).href);
  await page.waitForSelector(".list .todo");
  for (const place of [0, 1]) {
    await page.locator(".todo").nth(place).focus();
    await page.keyboard.press("x");
    await page.locator(".todo.is-cancelled").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".todo.is-cancelled").waitFor({ state: "detached" });
  }
  expect(kept(made).map(({ status }) => status)).toEqual(["completed", "in_progress"]);
  // Not where somebody did something else with it.
  await page.locator(".todo").nth(1).focus();
  await page.keyboard.press("x");
  await page.locator(".todo.is-cancelled").waitFor();
  made.machine.run(["todo", "done", "2", "--session", "demo"]);
  await page.locator(".todo.is-completed").nth(1).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".toast.problem").waitFor();
  expect(kept(made).map(({ status }) => status)).toEqual(["completed", "completed"]);
  await expect.poll(() => texts(page)).toEqual(["one", "two"]);
});

test("a form that was left is empty when it is opened again", async () => {
  const made = await on(todos("one"));
  const page = await openList(made);
  await page.keyboard.press("n");
  await page.getByLabel("Text of the new todo").fill("never mind");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await expect.poll(() => page.getByLabel("Text of the new todo").inputValue()).toBe("");
  await answer(page, "Text of the new todo", "two");
  expect(kept(made).map(({ text }) => text)).toEqual(["one", "two"]);
});
