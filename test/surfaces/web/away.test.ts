import { expect, test } from "vitest";
import { expectAccessible } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const stage = stagePerTest();
const STRIP = "section.away";

test("counts what changed while the user was away, until dismissed", async () => {
  const here = await stage(async (machine) => {
    machine.run(["todo", "add", "Paint", "--session", "s"]);
    machine.run(["todo", "done", "Paint", "--session", "s"]);
  });
  await here.serve();
  const page = await here.open();
  await page.waitForSelector(".tracks");
  // A new browser has missed nothing.
  expect(await page.locator(STRIP).count()).toBe(0);
  const leave = (minutes: number) =>
    page.evaluate(
      (ago) => localStorage.setItem("waymark-last-seen", String(Date.now() - ago * 60_000)),
      minutes,
    );
  await leave(20);
  await page.reload();
  await page.waitForSelector(".tracks");
  expect(await page.locator(STRIP).count()).toBe(0);

  await leave(8 * 60);
  await page.reload();
  await page.waitForSelector(STRIP);
  expect(await page.locator(STRIP).textContent()).toMatch(
    /While you were away\d\d:\d\d–\d\d:\d\d\s*1 finished, unproven/,
  );
  await page.getByRole("button", { name: "Dismiss: while you were away" }).click();
  expect(await page.locator(STRIP).count()).toBe(0);
  await page.reload();
  await page.waitForSelector(".tracks");
  expect(await page.locator(STRIP).count()).toBe(0);

  // Without input for a while on an open page.
  await leave(45);
  await page.keyboard.press("j");
  await page.waitForSelector(STRIP);
  await page.keyboard.press("R");
  await page.waitForURL(/\/report\?ticket=/);
  expect(await page.locator("h1").textContent()).toBe("Finished, but nothing is proven.");
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(background).not.toBe("rgba(0, 0, 0, 0)");
  await expectAccessible(here, { "/": ".tracks" }, ["light"]);
});
