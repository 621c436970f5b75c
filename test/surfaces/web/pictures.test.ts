import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { needs } from "../../skipped.ts";
import { createBacklog } from "./backlog.ts";
import { NO_BROWSER, openChromium } from "./browser.ts";
import {
  createStates,
  FIRST_STATES,
  PAGE_STATES,
  type PageState,
  SIGNED_OUT_STATES,
  showState,
} from "./page-states.ts";
import { addProofs, refundProofs } from "./proofs.ts";
import { newStage, type Stage } from "./stage.ts";
import { createTeam } from "./team.ts";

const TRACK = pagePath({ session: "7f3a91c2-guest-refunds", agent: "main" });
const LOOKS = [
  { name: "board-light", place: "/", colorScheme: "light", width: 1440 },
  { name: "board-dark", place: "/", colorScheme: "dark", width: 1440 },
  { name: "track-light", place: TRACK, colorScheme: "light", width: 1440 },
  { name: "track-dark", place: TRACK, colorScheme: "dark", width: 1440 },
  { name: "board-phone", place: "/", colorScheme: "light", width: 390 },
  { name: "tasks-light", place: "/tasks", colorScheme: "light", width: 1440 },
  { name: "tasks-dark", place: "/tasks", colorScheme: "dark", width: 1440 },
  { name: "tasks-phone", place: "/tasks", colorScheme: "light", width: 390 },
  { name: "evidence-light", place: TRACK, colorScheme: "light", width: 1440, todo: 4 },
  { name: "evidence-dark", place: TRACK, colorScheme: "dark", width: 1440, todo: 3 },
  { name: "evidence-1024", place: TRACK, colorScheme: "light", width: 1024, todo: 3 },
  { name: "evidence-board", place: "/", colorScheme: "light", width: 1440 },
  { name: "evidence-board-1024", place: "/", colorScheme: "dark", width: 1024 },
  { name: "evidence-board-phone", place: "/", colorScheme: "light", width: 390 },
  { name: "evidence-phone", place: TRACK, colorScheme: "light", width: 390, todo: 4 },
  { name: "task-light", place: "/tasks/t6", colorScheme: "light", width: 1440 },
] as const;

const READY = { "/": ".track", [TRACK]: ".timeline", "/tasks": ".task", "/tasks/t6": ".events" };

// Regenerates the screenshots of the documentation, and others to look at.
test("pictures", {
  ...needs(process.env.WAYMARK_PICTURES === "1" ? NO_BROWSER : "only with WAYMARK_PICTURES=1"),
  timeout: 120_000,
}, async () => {
  const browser = await openChromium();
  const stage = await newStage(browser, async ({ home }) => {
    await createTeam(home, Date.now());
    await createBacklog(home, Date.now());
  });
  const folder = process.env.WAYMARK_PICTURES_IN ?? "docs/pictures";
  mkdirSync(folder, { recursive: true });
  for (const look of LOOKS) {
    const { name, place, colorScheme, width } = look;
    const viewport = { width, height: width < 720 ? 844 : 900 };
    const page = await stage.open({ colorScheme, viewport });
    if (look.name.startsWith("evidence")) await addProofs(page, refundProofs(Date.now()));
    await page.goto(new URL(place, stage.url()).href);
    await page.waitForSelector(READY[place] ?? "main");
    if ("todo" in look) {
      await page.locator(".list .todo").nth(look.todo).focus();
      // Shown at once where there is room.
      if (width < 1_100) await page.keyboard.press("o");
      await page.waitForSelector(".proof-card");
    }
    await page.mouse.move(0, 0);
    // Wait for transitions and fonts.
    await page.evaluate(async () => {
      await document.fonts.ready;
      await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    });
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: place !== "/" });
  }
  await stage.end();
  await browser.close();
});

const STATE_WIDTHS = [390, 1024, 1440];

/** Every state in both color schemes and at each width, as `FOLDER/NAME-WIDTH-SCHEME.png`. */
async function pictureStates(
  stage: Stage,
  page: Page,
  folder: string,
  states: readonly PageState[],
): Promise<void> {
  await addProofs(page, refundProofs(Date.now()));
  for (const state of states) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await showState(page, stage.url(), state);
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of STATE_WIDTHS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: width < 720 ? 844 : 900 });
        await page.evaluate(() => document.fonts.ready);
        const path = `${folder}/${state.name}-${width}-${colorScheme}.png`;
        // Rows below the window are drawn too.
        const style = ".track, .task { content-visibility: visible !important }";
        await page.screenshot({ path, style, fullPage: !state.isWindow });
      }
  }
}

// Takes pictures of every page and state, to look at.
test("pictures of every state", {
  ...needs(
    process.env.WAYMARK_PICTURES === "states" ? NO_BROWSER : "only with WAYMARK_PICTURES=states",
  ),
  timeout: 600_000,
}, async () => {
  const browser = await openChromium();
  const folder = process.env.WAYMARK_PICTURES_IN ?? "pictures";
  mkdirSync(folder, { recursive: true });
  const team = await newStage(browser, createStates);
  const look = { bypassCSP: true };
  await pictureStates(team, await team.open(look), folder, PAGE_STATES);
  await team.end();
  const first = await newStage(browser, ({ root }) => {
    mkdirSync(`${root}/.gemini/tmp`, { recursive: true });
  });
  await pictureStates(first, await first.visit(look), folder, SIGNED_OUT_STATES);
  await pictureStates(first, await first.open(look), folder, FIRST_STATES);
  await first.end();
  await browser.close();
});
