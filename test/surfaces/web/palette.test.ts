import { expect, test } from "vitest";
import { expectAccessibleNow, horizontalOverflow } from "./audit.ts";
import { createBacklog } from "./backlog.ts";
import { stagePerTest } from "./stage.ts";
import { createTeam } from "./team.ts";

const on = stagePerTest();

test("finds sessions, todos, tasks and actions, and runs them with the keyboard", async () => {
  const stage = await on(async ({ home }) => {
    await createTeam(home, Date.now());
    await createBacklog(home, Date.now());
  });
  const page = await stage.open({ bypassCSP: true });
  const { keyboard } = page;
  await page.waitForSelector(".track");
  // Also from a field, in which single keys are text.
  await page.getByLabel("Search sessions, plans, tasks").focus();
  await keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search or run a command" });
  const options = () => page.getByRole("option").allTextContents();
  const active = () => page.locator("[role=option][aria-selected=true]").textContent();
  await field.waitFor();
  await keyboard.type("refund");
  await expect.poll(active).toContain("Refund every payment once");
  await expect
    .poll(() => page.getByRole("group", { name: "Tasks" }).getByRole("option").count())
    .toBe(4);
  await expectAccessibleNow(page);
  await page
    .getByRole("option", { name: /^Show all \d+$/ })
    .last()
    .click();
  await expect
    .poll(() => page.getByRole("group", { name: "Tasks" }).getByRole("option").count())
    .toBeGreaterThan(4);

  await field.fill("older refunds");
  await expect.poll(active).toContain("Fill in keys for older refunds");
  await expect.poll(() => field.getAttribute("aria-activedescendant")).toBe("palette-0");
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await page.waitForURL(/#todo-7$/);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-todo"));
  await expect.poll(focused).toBe("7");
  // To another todo of the session that is open.
  await keyboard.press("Control+k");
  await keyboard.type("describe the header");
  await keyboard.press("Enter");
  await page.waitForURL(/#todo-10$/);
  await expect.poll(focused).toBe("10");

  await keyboard.press("Meta+k");
  await keyboard.type(">theme");
  await expect.poll(options).toEqual(["Switch themed"]);
  await keyboard.press("Enter");
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset.theme))
    .toBe("light");
  await field.waitFor({ state: "detached" });
  await keyboard.press("Control+k");
  await keyboard.type("refnd");
  await page.getByText("Nothing for “refnd”. Did you mean refund?").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(page)).toBe(0);
  await keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await expect.poll(focused).toBe("10");
});
