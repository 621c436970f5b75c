import axe from "axe-core";
import type { Frame, Page } from "playwright-core";
import { expect } from "vitest";
import type { Stage } from "./stage.ts";

/** Asserts that the page contains no scripts, handlers or embedded content besides ours. */
export async function expectNoInjection(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    scripts: document.querySelectorAll("script:not([src='/app.js'])").length,
    foreign: document.querySelectorAll(
      "#app :is(script, img, iframe, object, embed, style, base, form, math, animate)",
    ).length,
    handlers: [...document.querySelectorAll("#app *")].filter((each) =>
      [...each.attributes].some(
        ({ name, value }) => /^on/i.test(name) || /^\s*(?:javascript|data):/i.test(value),
      ),
    ).length,
  }));
  expect(found).toEqual({ scripts: 0, foreign: 0, handlers: 0 });
}

/** Known injection vectors, varied. */
export function hostile(count: number): readonly string[] {
  const seeds = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>",
    "{{constructor.constructor('alert(1)')()}}",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "&lt;img src=x onerror=alert(1)&gt;",
    "<b>`code`**bold**</b>",
  ];
  return Array.from({ length: count }, (_, n) => `${seeds[n % seeds.length]} ${n}`);
}

/** Asserts that axe reports nothing serious on these paths, once the selector matches. */
export async function expectAccessible(
  { open, url }: Stage,
  places: Readonly<Record<string, string>>,
  schemes: readonly ("light" | "dark")[] = ["light", "dark"],
): Promise<void> {
  for (const colorScheme of schemes) {
    const page = await open({ colorScheme, bypassCSP: true });
    for (const [place, ready] of Object.entries(places)) {
      await page.goto(new URL(place, url()).href);
      await page.waitForSelector(ready);
      await expectAccessibleNow(page, { colorScheme, place });
    }
  }
}

/** Asserts that axe reports nothing serious on the page as it is, which must be opened with `bypassCSP`. */
export async function expectAccessibleNow(page: Page, where: object = {}): Promise<void> {
  const found = await accessibilityFaults(page);
  expect({ ...where, found }).toEqual({ ...where, found: [] });
}

/** The serious findings of axe: each rule with the first element that breaks it. */
export async function accessibilityFaults(page: Page | Frame): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: here } = window as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; impact: string; nodes: { html: string }[] }[];
        }>;
      };
    };
    const { violations } = await here.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

/** Horizontal overflow in pixels. */
export function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}
