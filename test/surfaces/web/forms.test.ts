import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { delayPosts } from "./delayed.ts";
import { type Stage, stagePerTest, submitField } from "./stage.ts";
import { pauseUndoPeriod } from "./undo-time.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const on = stagePerTest();
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

async function openList(stage: Stage): Promise<Page> {
  const page = await stage.open();
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  return page;
}

test("closes only the form that was sent when a response is late", async () => {
  const stage = await on(todos("one"));
  const page = await openList(stage);
  const { keyboard } = page;
  const field = page.getByLabel("New todo");
  await keyboard.press("n");
  await field.fill("first");
  const held = await delayPosts(page);
  await keyboard.press("Enter");
  await keyboard.press("n");
  await field.fill("second, and lo");
  held.release();
  await page.locator(".list .todo").nth(1).waitFor();
  await keyboard.type("ng");
  expect(await field.inputValue()).toBe("second, and long");
  await keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  expect(kept(stage).map(({ text }) => text)).toEqual(["one", "first", "second, and long"]);
});

test("does not move the focus when a response is late", async () => {
  const stage = await on((machine) => {
    todos("one")(machine);
    machine.run(["plan", "propose", "-", "--session", "demo"], { input: "1. Paint\n" });
  });
  const page = await openList(stage);
  const { keyboard } = page;
  await keyboard.press("j");
  await keyboard.press("m");
  await page.getByLabel("Note for the agent").fill("with care");
  const held = await delayPosts(page);
  await keyboard.press("Enter");
  const comment = page.getByLabel("Comment for the agent");
  await comment.click();
  await keyboard.type("this pl");
  held.release();
  await page.locator(".note").getByText("with care").waitFor();
  await keyboard.type("an");
  expect(await comment.inputValue()).toBe("this plan");
  await page.getByText("Plan waiting for approval").waitFor();
  // Escape does not discard the input either.
  await keyboard.press("Escape");
  expect(await comment.inputValue()).toBe("this plan");
  expect(new URL(page.url()).pathname).toBe(DEMO);
});

test("shows a refusal as a toast if the dialog was closed", async () => {
  const stage = await on(() => undefined);
  const page = await stage.open();
  const { keyboard } = page;
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  await keyboard.press("n");
  await page.getByLabel("Blocked by").fill("t99");
  await page.getByLabel("Subject").fill("Hang it");
  const held = await delayPosts(page);
  await keyboard.press("Enter");
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  held.release();
  await page.locator(".toast.problem").getByText("t99").waitFor();
});

test("keeps unsaved input when the list changes", async () => {
  const list = (machine: Machine, ...args: string[]) =>
    expect(machine.run(["todo", ...args, "--session", "demo"]).status).toBe(0);
  const stage = await on((machine) => {
    list(machine, "add", "one");
    list(machine, "add", "two", "--phase", "Later");
  });
  const page = await openList(stage);
  const { machine } = stage;
  const field = page.getByLabel("Todo text");
  await page.locator(".todo").nth(1).dblclick();
  await field.fill("two, bet");
  // A phase is inserted before it.
  list(machine, "add", "zero", "--phase", "First");
  list(machine, "move", "3", "1");
  await page.getByRole("heading", { name: /First/ }).waitFor();
  expect(await field.inputValue()).toBe("two, bet");
  // The todo is removed.
  list(machine, "rm", "2");
  await page.getByText("was removed meanwhile").waitFor();
  await page.keyboard.type("ter");
  expect(await field.inputValue()).toBe("two, better");
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await page.getByText("two, better", { exact: true }).first().waitFor();
  expect(kept(stage).map(({ text }) => text)).toEqual(["zero", "one", "two, better"]);
});

test("shows a second conflict when the first was resolved", async () => {
  const stage = await on(todos("one"));
  const page = await openList(stage);
  const { machine } = stage;
  const rename = (text: string) =>
    machine.run(["todo", "edit", "1", "--text", text, "--session", "demo"]).status;
  await page.locator(".todo").first().dblclick();
  await page.getByLabel("Todo text").fill("mine");
  expect(rename("theirs")).toBe(0);
  await page.keyboard.press("Enter");
  const box = page.locator(".conflict");
  await box.getByText("theirs", { exact: true }).waitFor();
  expect(rename("theirs again")).toBe(0);
  await box.getByRole("button", { name: "Keep mine" }).click();
  await box.getByText("theirs again").waitFor();
  await box.getByRole("button", { name: "Keep mine" }).click();
  await box.waitFor({ state: "detached" });
  expect(kept(stage).map(({ text }) => text)).toEqual(["mine"]);
});

test("restores the previous status when a cancellation is undone", async () => {
  const stage = await on((machine) => {
    todos("one", "two")(machine);
    machine.run(["todo", "done", "1", "--session", "demo"]);
    machine.run(["todo", "start", "2", "--session", "demo"]);
  });
  const page = await stage.open();
  await pauseUndoPeriod(page);
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  for (const place of [0, 1]) {
    await page.locator(".todo").nth(place).focus();
    await page.keyboard.press("x");
    await page.locator(".todo.is-cancelled").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".todo.is-cancelled").waitFor({ state: "detached" });
  }
  expect(kept(stage).map(({ status }) => status)).toEqual(["completed", "in_progress"]);
  // Undo is refused if the todo was changed since.
  await page.locator(".todo").nth(1).focus();
  await page.keyboard.press("x");
  await page.locator(".todo.is-cancelled").waitFor();
  stage.machine.run(["todo", "done", "2", "--session", "demo"]);
  await page.locator(".todo.is-completed").nth(1).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".toast.problem").waitFor();
  expect(kept(stage).map(({ status }) => status)).toEqual(["completed", "completed"]);
  await expect.poll(() => texts(page)).toEqual(["one", "two"]);
});

test("clears a cancelled form", async () => {
  const stage = await on(todos("one"));
  const page = await openList(stage);
  await page.keyboard.press("n");
  await page.getByLabel("New todo").fill("never mind");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await expect.poll(() => page.getByLabel("New todo").inputValue()).toBe("");
  await submitField(page, "New todo", "two");
  await expect.poll(() => kept(stage).map(({ text }) => text)).toEqual(["one", "two"]);
});
