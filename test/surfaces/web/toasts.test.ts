import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { expectAccessibleNow } from "./audit.ts";
import { stagePerTest, submitField } from "./stage.ts";

const on = stagePerTest();
const DEMO = pagePath({ session: "demo", agent: "main" });

const textsOf = (machine: Machine) =>
  (
    machine.json(["todos", "--session", "demo"]) as { todos: { text: string; status: string }[] }
  ).todos.map(({ text, status }) => `${text} ${status}`);

const toasts = (page: Page) => page.locator(".toast").allTextContents();

test("undoes every change of a todo with u, one after the other", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "three", "--session", "demo"]);
  });
  const { machine } = stage;
  const page = await stage.open({ bypassCSP: true });
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  const before = textsOf(machine);
  const { keyboard } = page;
  const until = (text: string) => page.locator(".toast").getByText(text).waitFor();
  await keyboard.press("j");
  await keyboard.press("x");
  await until("Cancelled “one”.");
  await keyboard.press("e");
  await submitField(page, "Todo text", "one more");
  await until("Changed “one”.");
  await keyboard.press("n");
  await submitField(page, "New todo", "four");
  await until("Added “four”.");
  await page.locator(".list .todo").nth(2).focus();
  await keyboard.press("Alt+ArrowUp");
  await until("Moved “three”.");
  await expect
    .poll(() => textsOf(machine))
    .toEqual(["one more cancelled", "three pending", "two pending", "four pending"]);
  // One at a time, with the time that is left.
  expect(await toasts(page)).toEqual(["Moved “three”.Undo u"]);
  expect(await page.locator(".toast .ring").count()).toBe(1);
  await expectAccessibleNow(page);
  for (const [text, next] of [
    ["Moved “three”.", "Added “four”."],
    ["Added “four”.", "Changed “one”."],
    ["Changed “one”.", "Cancelled “one”."],
  ] as const) {
    await keyboard.press("u");
    await page.locator(".toast").getByText(text).waitFor({ state: "detached" });
    await until(next);
  }
  await keyboard.press("u");
  await expect.poll(() => textsOf(machine)).toEqual(before);
  await expect.poll(() => toasts(page)).toEqual([]);
  expect(await page.locator(".list .todo").count()).toBe(3);
});

test("stops the time to undo while the user points at or focuses the toast", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "--session", "demo"]);
  });
  const page = await stage.open();
  await page.clock.install();
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  const toast = page.locator(".toast");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await toast.waitFor();
  await page.clock.runFor(6_000);
  await toast.hover();
  await page.locator(".ring.paused").waitFor();
  await page.clock.runFor(60_000);
  await toast.waitFor();
  await page.mouse.move(700, 10);
  await page.locator(".ring:not(.paused)").waitFor();
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.locator(".ring.paused").waitFor();
  await page.clock.runFor(60_000);
  await toast.waitFor();
  await page.locator(".list .todo").nth(1).focus();
  await page.clock.runFor(1_000);
  await toast.waitFor();
  await page.clock.runFor(2_000);
  await toast.waitFor({ state: "detached" });
});
