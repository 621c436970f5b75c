import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Task } from "../../../src/tasks/model.ts";
import { holdBack } from "./held.ts";
import { stageOfEach } from "./stage.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const on = stageOfEach();

test("what is sent twice before the answer is there, or with a key held down, is done once", async () => {
  const made = await on((machine) => {
    machine.run(["todo", "add", "one", "--session", "demo"]);
  });
  const page = await made.open();
  const { keyboard } = page;
  /** Enter, pressed three times and then held, while the server takes its time. */
  const hurry = async (label: string, text: string) => {
    const held = await holdBack(page);
    await page.getByLabel(label).fill(text);
    for (let time = 0; time < 3; time += 1) await keyboard.press("Enter");
    for (let time = 0; time < 3; time += 1) await keyboard.down("Enter");
    await keyboard.up("Enter");
    held.letGo();
    await page.getByLabel(label).waitFor({ state: "detached" });
    expect({ label, asked: held.asked() }).toEqual({ label, asked: 1 });
  };
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  await keyboard.press("n");
  await hurry("What is to be done", "Paint the door");
  await page.locator('.ready [data-task="t1"]').waitFor();
  await keyboard.press("j");
  await keyboard.press("o");
  await hurry("Who is to have it", "codex");
  await page.locator('.claimed [data-task="t1"]').waitFor();

  await page.goto(new URL(DEMO, made.url()).href);
  await page.waitForSelector(".list .todo");
  await keyboard.press("n");
  await hurry("Text of the new todo", "two");
  await page.locator(".list .todo").nth(1).waitFor();
  await keyboard.press("j");
  await keyboard.press("m");
  await hurry("Note for the agent", "with care");
  // Space finishes and reopens in turn; held down it does so once.
  const held = await holdBack(page);
  for (let time = 0; time < 4; time += 1) await keyboard.down("Space");
  await keyboard.up("Space");
  held.letGo();
  await page.locator(".todo.is-completed").waitFor();
  expect(held.asked()).toBe(1);

  const tasks = made.machine.json(["task", "list"]) as Task[];
  expect(tasks.map(({ subject, owner }) => [subject, owner])).toEqual([
    ["Paint the door", "codex"],
  ]);
  await expect.poll(() => page.locator(".list .todo").count()).toBe(2);
  await expect.poll(() => page.locator(".list .note").count()).toBe(1);
});

test("what was done but not answered is not done again when it is sent again", async () => {
  const made = await on(() => undefined);
  const page = await made.open();
  const { keyboard } = page;
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  // The server does it, and its answer is lost.
  await page.route("**/api/tasks", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
  await keyboard.press("n");
  const field = page.getByLabel("What is to be done");
  await field.fill("Once only");
  await keyboard.press("Enter");
  await page.getByRole("alert").getByText("does not answer").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await keyboard.press("n");
  await field.fill("Once only");
  await keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  const tasks = made.machine.json(["task", "list"]) as Task[];
  // Whoever adds it once more after that means it.
  expect(tasks.map(({ subject }) => subject)).toEqual(["Once only", "Once only"]);
});
