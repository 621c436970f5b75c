import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Task } from "../../../src/tasks/model.ts";
import { delayPosts } from "./delayed.ts";
import { stagePerTest } from "./stage.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const on = stagePerTest();

test("sends once despite repeated or held keys", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "--session", "demo"]);
  });
  const page = await stage.open();
  const { keyboard } = page;
  /** Presses Enter three times, then holds it, while the response is delayed. */
  const hurry = async (label: string, text: string) => {
    const held = await delayPosts(page);
    await page.getByLabel(label).fill(text);
    for (let time = 0; time < 3; time += 1) await keyboard.press("Enter");
    for (let time = 0; time < 3; time += 1) await keyboard.down("Enter");
    await keyboard.up("Enter");
    held.release();
    await page.getByLabel(label).waitFor({ state: "detached" });
    expect({ label, asked: held.asked() }).toEqual({ label, asked: 1 });
  };
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  await keyboard.press("n");
  await hurry("Subject", "Paint the door");
  await page.locator('.ready [data-task="t1"]').waitFor();
  await keyboard.press("j");
  await keyboard.press("o");
  await hurry("Owner", "codex");
  await page.locator('.claimed [data-task="t1"]').waitFor();

  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  await keyboard.press("n");
  await hurry("New todo", "two");
  await page.locator(".list .todo").nth(1).waitFor();
  await keyboard.press("j");
  await keyboard.press("m");
  await hurry("Note for the agent", "with care");
  // Space toggles; held down, it acts once.
  const held = await delayPosts(page);
  for (let time = 0; time < 4; time += 1) await keyboard.down("Space");
  await keyboard.up("Space");
  held.release();
  await page.locator(".todo.is-completed").waitFor();
  expect(held.asked()).toBe(1);

  const tasks = stage.machine.json(["task", "list", "--all"]) as Task[];
  expect(tasks.map(({ subject, owner }) => [subject, owner])).toEqual([
    ["Paint the door", "codex"],
  ]);
  await expect.poll(() => page.locator(".list .todo").count()).toBe(2);
  await expect.poll(() => page.locator(".list .note").count()).toBe(1);
});

test("repeats no change when a request without a response is retried", async () => {
  const stage = await on(() => undefined);
  const page = await stage.open();
  const { keyboard } = page;
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  // The server applies the change, but the response is lost.
  await page.route("**/api/tasks", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
  await keyboard.press("n");
  const field = page.getByLabel("Subject");
  await field.fill("Once only");
  await keyboard.press("Enter");
  await page.getByRole("alert").getByText("Can't reach the server").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await keyboard.press("n");
  await field.fill("Once only");
  await keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  const tasks = stage.machine.json(["task", "list", "--all"]) as Task[];
  // Adding it again later is a new request.
  expect(tasks.map(({ subject }) => subject)).toEqual(["Once only", "Once only"]);
});
