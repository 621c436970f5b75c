import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const DEMO = pagePath({ session: "demo", agent: "main" });

test("has the moment of the history in the address", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "--session", "demo"]);
    machine.run(["todo", "done", "1", "--session", "demo"]);
    machine.run(["todo", "done", "2", "--session", "demo"]);
  });
  const page = await stage.open();
  await page.goto(new URL(DEMO, stage.url()).href);
  const slider = page.getByLabel("History");
  await slider.waitFor();
  const past = page.getByText(/List as of/);
  const done = () => page.locator(".list .todo.is-completed").count();
  const search = () => new URL(page.url()).search;
  await page.keyboard.press("[");
  await past.waitFor();
  expect(search()).toBe("?change=2");
  await expect.poll(done).toBe(1);
  await page.keyboard.press("[");
  await expect.poll(done).toBe(0);
  expect(search()).toBe("?change=1");

  // Opened elsewhere, it shows the same moment.
  const other = await stage.open();
  await other.goto(page.url());
  await other.getByText(/List as of/).waitFor();
  expect(await other.locator(".list .todo.is-completed").count()).toBe(0);

  await page.goBack();
  await past.waitFor({ state: "detached" });
  await expect.poll(done).toBe(2);
  expect(search()).toBe("");
  await page.goForward();
  await past.waitFor();
  await expect.poll(done).toBe(0);
  await page.keyboard.press("Escape");
  await past.waitFor({ state: "detached" });
  expect(search()).toBe("");
  await page.goBack();
  await past.waitFor();

  // Not a moment: now.
  for (const bad of ["?change=99", "?change=-1", "?change=<img>"]) {
    await page.goto(new URL(`${DEMO}${bad}`, stage.url()).href);
    await slider.waitFor();
    expect(await past.count()).toBe(0);
  }
});
