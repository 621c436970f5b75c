import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { openToastQueue } from "../../../src/surfaces/web/toasts/queue.ts";
import type { Machine } from "../../cli/machine.ts";
import { expectAccessibleNow } from "./audit.ts";
import { stagePerTest, submitField } from "./stage.ts";
import { endUndoPeriod, pauseUndoPeriod } from "./undo-time.ts";

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
  await expect.poll(() => page.locator(".list .todo").count()).toBe(3);
});

test("stops the time to undo while the user points at or focuses the toast", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "--session", "demo"]);
  });
  const page = await stage.open();
  await pauseUndoPeriod(page);
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  const toast = page.locator(".toast");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await toast.waitFor();
  await toast.hover();
  await page.locator(".ring.paused").waitFor();
  // Its timer was stopped.
  await endUndoPeriod(page);
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.mouse.move(700, 10);
  await page.locator(".ring.paused").waitFor();
  await page.locator(".list .todo").nth(1).focus();
  await page.locator(".ring:not(.paused)").waitFor();
});

test("shows the newest toast, and ends each in its time", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ended: string[] = [];
  const undone: string[] = [];
  const action = (text: string) => ({
    text,
    subject: text,
    undo: () => undone.push(text),
    onEnd: () => ended.push(text),
  });
  const queue = openToastQueue(() => {});
  queue.add(action("one"));
  vi.advanceTimersByTime(6_000);
  // A message covers the action: its time stops.
  queue.add({ text: "Saved." });
  vi.advanceTimersByTime(2_000);
  expect([queue.shown()?.toast.text, ended]).toEqual(["Saved.", []]);
  vi.advanceTimersByTime(600);
  expect(queue.shown()).toMatchObject({ toast: { text: "one" }, left: 1_900 });
  queue.pause();
  vi.advanceTimersByTime(100_000);
  expect([queue.shown()?.isPaused, ended]).toEqual([true, []]);
  queue.resume();
  // Another action does not stop the time of the first.
  queue.add(action("two"));
  vi.advanceTimersByTime(1_900);
  expect([queue.shown()?.toast.text, ended]).toEqual(["two", ["one"]]);
  queue.add(action("three"));
  queue.undo();
  queue.undo();
  queue.undo();
  expect(undone).toEqual(["three", "two"]);
  vi.advanceTimersByTime(100_000);
  expect([queue.shown(), queue.canUndo(), ended]).toEqual([undefined, false, ["one"]]);
  // The same subject: the later action replaces the earlier one.
  queue.add(action("four"));
  queue.add(action("four"));
  vi.advanceTimersByTime(8_000);
  expect(ended).toEqual(["one", "four"]);
});
