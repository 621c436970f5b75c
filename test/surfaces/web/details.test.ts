import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PRESETS } from "../../../src/core/list/policy.ts";
import { sqliteStore } from "../../../src/stores/sqlite.ts";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { trackerOn } from "../../../src/tracker.ts";
import { expectAccessibleNow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";
import { createTeam } from "./team.ts";
import { endUndoPeriod, pauseUndoPeriod } from "./undo-time.ts";

const on = stagePerTest();
const REFUND = pagePath({ session: "7f3a91c2-guest-refunds", agent: "main" });
const HIDDEN = /[\u200b\u200f\u202e\u2066]/;

/** A session whose texts hide characters: direction overrides, isolates and zero-width spaces. */
async function createHidden(home: string): Promise<void> {
  const tracker = trackerOn(
    await sqliteStore(join(home, "waymark.db"), { createDirectory: true }),
    {
      policy: PRESETS.external,
    },
  );
  const list = tracker.list(
    { session: "hidden", agent: "main" },
    { title: "title \u202egpj.exe", cwd: "/home/dev/pro\u200bject", agentType: "codex" },
  );
  await list.observe([
    { type: "turn.started", prompt: "go" },
    { type: "tool.started", callId: "1", name: "Bash", input: { command: "rm \u202e-rf a" } },
  ]);
  await list.set([
    { text: "todo \u2066isolated", notes: ["note \u200bzero"], status: "in_progress" },
    { text: "done", status: "completed", evidence: ["given \u202eback"] },
  ]);
  await list.plan.propose("1. step \u200freversed with `npm\u200b test`\n2. Run `make all`");
  await tracker.close();
}

test("shows hidden characters, and todos of a plan without backticks", async () => {
  const stage = await on(({ home }) => createHidden(home));
  const page = await stage.open();
  await pauseUndoPeriod(page);
  await page.reload();
  await page.getByText("title \\u{202e}gpj.exe").first().waitFor();
  await page.getByText("step \\u{200f}reversed").first().waitFor();
  const whole = () => page.evaluate(() => document.documentElement.outerHTML + document.title);
  expect(await whole()).not.toMatch(HIDDEN);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Plan approved.").waitFor();
  await endUndoPeriod(page);
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
  await page.getByText("Plan approved.").waitFor();
  await page.goto(new URL(pagePath({ session: "hidden", agent: "main" }), stage.url()).href);
  for (const text of ["todo \\u{2066}isolated", "note \\u{200b}zero", "given \\u{202e}back"])
    await page.locator(".list").getByText(text).first().waitFor();
  await page.waitForSelector(".timeline");
  expect(await page.title()).toBe("title \\u{202e}gpj.exe · Waymark");
  // Long enough for the toast, which quotes the todo.
  await page.locator(".list .todo").first().focus();
  await page.keyboard.press("Space");
  await page.getByText("Completed “todo \\u{2066}isolated”.").waitFor();
  expect(await whole()).not.toMatch(HIDDEN);
  const adopt = page.getByRole("button", { name: "Add steps as todos" });
  if ((await adopt.count()) > 0) await adopt.click();
  await page.locator(".list").getByText("Run make all", { exact: true }).waitFor();
});

test("filters by agent, project and state, in the address and with search", async () => {
  const stage = await on(({ home }) => createTeam(home, Date.now()));
  const page = await stage.open({ bypassCSP: true });
  const { keyboard } = page;
  const titles = () => page.locator(".track > .who > a.title").allTextContents();
  await expect.poll(async () => (await titles()).length).toBe(8);
  const headline = await page.locator("h1").textContent();

  // With keys alone: f opens the first menu, arrows move, space toggles, Escape closes.
  await keyboard.press("f");
  await keyboard.press("ArrowDown");
  await expectAccessibleNow(page);
  const codex = page.getByRole("checkbox", { name: /^Codex/ });
  await codex.focus();
  await keyboard.press("Space");
  await keyboard.press("Escape");
  await page.waitForURL(/\?agent=codex$/);
  await expect
    .poll(titles)
    .toEqual(["Let guests pay without an account", "Move the nightly report to the new ledger"]);
  await page.getByText("2 of 8 sessions").waitFor();
  // The headline is about all sessions.
  expect(await page.locator("h1").textContent()).toBe(headline);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-filter")))
    .toBe("agent");

  await page.getByRole("button", { name: /^State/ }).click();
  await page.getByRole("checkbox", { name: /^Working/ }).check();
  await page.waitForURL(/\?agent=codex&state=working$/);
  await expect.poll(titles).toEqual(["Move the nightly report to the new ledger"]);
  // The address keeps the filters: after a reload, and after a session was opened.
  await page.reload();
  await page.getByText("1 of 8 sessions").waitFor();
  await keyboard.press("Enter");
  await page.waitForSelector(".timeline");
  await expect.poll(() => page.locator("nav [aria-current=page]").textContent()).toBe("Sessions");
  await keyboard.press("Escape");
  await page.waitForURL(/\?agent=codex&state=working$/);

  await page.getByLabel("Search sessions, plans, tasks").fill("refund");
  await page.getByText("No sessions match the filters and “refund”.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(titles).toEqual(["Refund every payment once"]);
  await page.getByRole("button", { name: /^Agent/ }).click();
  await page.getByRole("checkbox", { name: /^Claude Code/ }).check();
  // Escape clears search and filters.
  await keyboard.press("Escape");
  await keyboard.press("Escape");
  await keyboard.press("Escape");
  await expect.poll(async () => (await titles()).length).toBe(8);
  expect(new URL(page.url()).search).toBe("");
});

test("shows a page for unknown addresses", async () => {
  const stage = await on(() => {});
  const page = await stage.open();
  await page.goto(new URL("/track/nonsense", stage.url()).href);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await page.getByRole("link", { name: "Back to sessions" }).click();
  await page.waitForURL(stage.url());
  await page.goto(new URL("/no/such/page", stage.url()).href);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
});

test("keeps chart labels in view and the slider on the axis", async () => {
  const stage = await on(({ home }) => createTeam(home, Date.now()));
  const page = await stage.open();
  await page.goto(new URL(REFUND, stage.url()).href);
  await page.waitForSelector(".timeline");
  const clipped = await page.locator(".chart svg").evaluate((svg) => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")]
      .filter((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom;
      })
      .map(({ textContent }) => textContent);
  });
  expect(clipped).toEqual([]);
  // Each stop of the slider is where the chart draws the line.
  const slider = page.getByLabel("History");
  await slider.focus();
  for (const steps of [3, 9]) {
    for (let n = 0; n < steps; n++) await page.keyboard.press("ArrowLeft");
    await page.getByText(/List as of/).waitFor();
    const apart = await page.evaluate(() => {
      const input = document.querySelector<HTMLInputElement>("#history-slider");
      const line = document.querySelector(".timeline .position")?.getBoundingClientRect();
      if (!input || !line) return Number.NaN;
      const { left, width } = input.getBoundingClientRect();
      const part =
        (Number(input.value) - Number(input.min)) / (Number(input.max) - Number(input.min));
      return Math.abs(left + 8 + part * (width - 16) - (line.left + line.width / 2));
    });
    expect(apart).toBeLessThan(2);
  }
});

test("rejects a plan in every tab at once, keeps drafts, and never loses the focus", async () => {
  const stage = await on(({ home }) => createTeam(home, Date.now()));
  const one = await stage.visit();
  await pauseUndoPeriod(one);
  await one.goto(await stage.link());
  await one.waitForSelector(".track.needs-you");
  // Tabs of one browser share the decision before it is sent.
  const two = await one.context().newPage();
  await two.goto(stage.url());
  await two.waitForSelector(".track.needs-you");
  const headline = (page: Page) => page.locator("h1").textContent();
  const focused = (page: Page) =>
    page.evaluate(
      () => document.activeElement?.closest("[data-key]")?.querySelector(".title")?.textContent,
    );
  const title = "Let guests pay without an account";
  await one.getByRole("button", { name: "Reject" }).click();
  for (const page of [one, two]) {
    await page.locator(".track.needs-you").waitFor({ state: "detached" });
    await expect.poll(() => headline(page)).toBe("5 working (2 stuck). 1 finished unproven.");
  }
  // The button is gone: the focus stays on its row.
  await expect.poll(() => focused(one)).toBe(title);
  await one.getByRole("button", { name: "Undo" }).click();
  for (const page of [one, two]) await page.locator(".track.needs-you").waitFor();
  await expect.poll(() => focused(one)).toBe(title);

  await one.goto(new URL(REFUND, stage.url()).href);
  await one.locator(".list .todo").nth(5).focus();
  await one.keyboard.press("m");
  await one.getByLabel("Note for the agent").fill("half a thou");
  await one.getByRole("link", { name: "Sessions" }).first().click();
  await one.locator(".track", { hasText: "Refund" }).locator("a.title").first().click();
  await expect.poll(() => one.getByLabel("Note for the agent").inputValue()).toBe("half a thou");
  await one.keyboard.press("Escape");
  await one.getByRole("button", { name: "Add todo" }).click();
  await one.getByLabel("New todo").fill("unfinished");
  await one.goBack();
  await one.goForward();
  await expect.poll(() => one.getByLabel("New todo").inputValue()).toBe("unfinished");
});
