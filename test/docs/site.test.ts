import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeSite } from "../../scripts/site.mjs";
import { browserPerFile } from "../surfaces/web/browser.ts";

const dir = mkdtempSync(join(tmpdir(), "waymark-site-"));
beforeAll(() => {
  writeSite(".", dir);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const browser = browserPerFile();
const addressOf = (path: string) => pathToFileURL(join(dir, path)).href;

async function withPage(
  options: { colorScheme?: "light" | "dark"; width?: number },
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const { colorScheme = "light", width = 1280 } = options;
  const context = await browser().newContext({ colorScheme, viewport: { width, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(addressOf("index.html"));
    await use(page);
  } finally {
    await context.close();
  }
}

const ground = (page: Page) => page.evaluate("getComputedStyle(document.body).backgroundColor");

test("finds a section and opens it, without a server", async () => {
  await withPage({}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("several machines");
    await page.locator("#results a").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/several-machines\.html#/);
    await page.getByRole("heading", { level: 1 }).waitFor();
  });
});

test("says that nothing was found", async () => {
  await withPage({}, async (page) => {
    await page.getByRole("searchbox").fill("qwertyuiopasdf");
    await page.getByText("No results").waitFor();
  });
});

test("follows the system's colors and keeps the theme that the reader chose", async () => {
  await withPage({ colorScheme: "dark" }, async (page) => {
    const dark = await ground(page);
    await page.getByRole("button", { name: /light and dark/ }).click();
    const light = await ground(page);
    expect(light).not.toBe(dark);
    await page.reload();
    expect(await ground(page)).toBe(light);
  });
});

test("fits a phone, with the contents closed", async () => {
  await withPage({ width: 390 }, async (page) => {
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(overflow)).toBe(0);
    expect(await page.locator("nav details").getAttribute("open")).toBeNull();
  });
});

test.each(["light", "dark"] as const)(
  "has no accessibility violations, %s",
  async (colorScheme) => {
    await withPage({ colorScheme }, async (page) => {
      for (const path of ["index.html", "reference/reminders.html", "api/waymark.html"]) {
        await page.goto(addressOf(path));
        await page.evaluate(axe.source);
        const found = (await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))",
        )) as unknown[];
        expect({ path, found }).toEqual({ path, found: [] });
      }
    });
  },
);
