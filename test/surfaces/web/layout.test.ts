import { expect, test } from "vitest";
import { FULL } from "../../full.ts";
import { accessibilityFaults } from "./audit.ts";
import { layoutFaults } from "./layout.ts";
import { createStates, PAGE_STATES, showState } from "./page-states.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const WIDTHS = [390, 768, 1024, 1440, 2560];
const SCHEMES = ["light", "dark"] as const;

test("fits every page and state from phone to wide screen, and axe finds nothing", {
  timeout: 240_000,
}, async () => {
  const stage = await on(createStates);
  const page = await stage.open({ bypassCSP: true });
  const found: Record<string, readonly string[]> = {};
  for (const [index, state] of PAGE_STATES.entries()) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await showState(page, stage.url(), state);
    // Both color schemes have the same rules of layout, so a quick run takes turns.
    for (const colorScheme of FULL ? SCHEMES : SCHEMES.slice(index % 2, (index % 2) + 1)) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: width < 720 ? 844 : 900 });
        const faults = await layoutFaults(page);
        if (faults.length > 0) found[`${state.name} ${width} ${colorScheme}`] = faults;
      }
      const faults = await accessibilityFaults(page);
      if (faults.length > 0) found[`${state.name} ${colorScheme}, axe`] = faults;
    }
  }
  expect(found).toEqual({});
});

test("keeps five columns of tasks side by side at 1024 px, and each scrolls", async () => {
  const stage = await on(createStates);
  const page = await stage.open({ viewport: { width: 1024, height: 600 } });
  await page.goto(new URL("/tasks", stage.url()).href);
  await page.waitForSelector(".task");
  const columns = await page.locator(".kanban section").evaluateAll((sections) =>
    sections.map((section) => {
      const { top, left, right, bottom } = section.getBoundingClientRect();
      const list = section.querySelector("ul");
      const overflow = list ? getComputedStyle(list).overflowY : "";
      return { top, left, right, bottom, overflow };
    }),
  );
  expect(columns).toHaveLength(5);
  expect(new Set(columns.map(({ top }) => top)).size).toBe(1);
  for (const { left, right, bottom, overflow } of columns)
    expect({ fits: left >= 0 && right <= 1024 && bottom <= 600, overflow }).toEqual({
      fits: true,
      overflow: "auto",
    });
  const full = page
    .locator(".kanban ul")
    .filter({ has: page.locator(".task").nth(3) })
    .first();
  expect(await full.evaluate((list) => list.scrollHeight > list.clientHeight)).toBe(true);
  // The keys bring a card at the end into view.
  await page.keyboard.press("j");
  await page.keyboard.press("G");
  const last = page.locator(".task .title:focus");
  await expect
    .poll(() => last.evaluate((title) => title.getBoundingClientRect().bottom))
    .toBeLessThan(600);
});

test("shows the description of a task beside its details", async () => {
  const stage = await on(createStates);
  const page = await stage.open();
  await page.goto(new URL("/tasks/t6", stage.url()).href);
  await page.waitForSelector(".events");
  const [left, right] = await page
    .locator(".columns > .side")
    .evaluateAll((sides) => sides.map((side) => side.getBoundingClientRect()));
  expect(left?.top).toBe(right?.top);
  expect(left?.width).toBeGreaterThan(right?.width ?? 0);
  expect(left?.right).toBeLessThan(right?.left ?? 0);
});
