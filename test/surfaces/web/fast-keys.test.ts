import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { delayAll, delayPosts, isFor } from "./delayed.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const DEMO = pagePath({ session: "demo", agent: "main" });

const todosOf = (machine: Machine) =>
  (machine.json(["todos", "--session", "demo"]) as { todos: { text: string; status: string }[] })
    .todos;

/** Presses all keys without waiting for the page in between. */
async function type(page: Page, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

function list(machine: Machine): void {
  machine.run(["todo", "add", "one", "two", "three", "four", "--session", "demo"]);
}

test("applies fast keys in order to the right todo while requests are in flight", async () => {
  const stage = await on(list);
  const page = await stage.open();
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  const posts = await delayPosts(page);
  await type(page, ["j", "j", "x", "k", "e", "End", "!", "Enter", "j", "j", "Space"]);
  await expect.poll(posts.asked).toBeGreaterThan(0);
  posts.release();
  await expect
    .poll(() => todosOf(stage.machine).map(({ text, status }) => `${text} ${status}`))
    .toEqual(["one! pending", "two cancelled", "three completed", "four pending"]);
});

test("applies keys that are typed right after the page of a session is opened", async () => {
  const stage = await on(list);
  const page = await stage.open();
  await page.locator(".track.selected").waitFor();
  await type(page, ["Enter", "j", "j", "x"]);
  await page.locator(".todo.is-cancelled").getByText("two").waitFor();
  // The same with a server that is slow to send the session.
  const tracks = await delayAll(page, isFor(/^\/api\/tracks$/));
  void page.goto(new URL(DEMO, stage.url()).href);
  await tracks.asked;
  await page.getByText("Loading session…").waitFor();
  await type(page, ["j", "j", "j", "x"]);
  tracks.release();
  await page.locator(".todo.is-cancelled").getByText("three").waitFor();
  expect(todosOf(stage.machine).map(({ status }) => status)).toEqual([
    "pending",
    "cancelled",
    "cancelled",
    "pending",
  ]);
});
