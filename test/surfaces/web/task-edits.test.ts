import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { answer, stageOfEach } from "./stage.ts";

const on = stageOfEach();

/** Keeps back what the page sends of tasks until it is let through. */
async function holdBack(page: Page): Promise<() => Promise<void>> {
  let letThrough = () => {};
  const open = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route("**/api/tasks", async (route) => {
    if (route.request().method() === "POST") await open;
    return route.continue();
  });
  return async () => {
    letThrough();
    await page.unrouteAll({ behavior: "wait" });
  };
}

test("what was handed over and changed hands before it was sent stays where it is", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const { machine } = made;
  const page = await made.open();
  await page.clock.install();
  await page.goto(new URL("/tasks/t1", made.url()).href);
  await page.getByRole("button", { name: "Hand over" }).click();
  const letThrough = await holdBack(page);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await answer(page, "Who is to have it", "gemini");
  await page.getByText("t1 goes to gemini.").waitFor();
  machine.run(["task", "release", "t1", "--as", "codex", "--epoch", "1"]);
  machine.run(["task", "claim", "t1", "--as", "qwen"]);
  await page.clock.fastForward(9_000);
  await sent;
  await letThrough();
  const problem = page.locator(".toast.problem");
  await problem.getByText("qwen holds it now").waitFor();
  const { owner, epoch } = machine.json(["task", "show", "t1"]) as Task;
  expect({ owner, epoch }).toEqual({ owner: "qwen", epoch: 2 });
});
