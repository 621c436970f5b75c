import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const demo = (machine: Machine) => {
  machine.run(["todo", "add", "Lay the table", "--session", "demo"]);
};
const TRACK = pagePath({ session: "demo", agent: "main" });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const isAt = (page: Page, place: string) =>
  page.waitForURL((url) => url.pathname + url.hash === place);

async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: here } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string }[] }> };
    };
    return (await here.run()).violations.map(({ id }) => id);
  });
}

test("redirects a signed-out browser to the sign-in page from every address", async () => {
  const { visit, url } = await on(demo);
  const looks = [
    { colorScheme: "light", width: 1440, ground: "rgb(247, 247, 245)" },
    { colorScheme: "dark", width: 390, ground: "rgb(15, 16, 18)" },
  ] as const;
  for (const { colorScheme, width, ground } of looks) {
    const viewport = { width, height: 844 };
    const page = await visit({ colorScheme, viewport, bypassCSP: true });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    for (const place of ["/", TRACK, "/tasks", `${TRACK}#history`]) {
      await page.goto(new URL(place, url()).href);
      await isAt(page, `/open#?to=${encodeURIComponent(place)}`);
      await heading(page, "Sign in to Waymark").waitFor();
      await page.getByText("node bin/waymark.js serve").waitFor();
      const drawn = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect([place, drawn, await horizontalOverflow(page)]).toEqual([place, ground, 0]);
    }
    expect(new Set(asked)).toEqual(new Set([new URL(url()).origin]));
    expect(await findings(page)).toEqual([]);
  }
});

test("opens the requested address after sign-in, in both tabs", async () => {
  const { visit, link, url } = await on(demo);
  const waiting = await visit();
  await waiting.goto(new URL(`${TRACK}#history`, url()).href);
  await heading(waiting, "Sign in to Waymark").waitFor();
  const signing = await waiting.context().newPage();
  await signing.goto(await link());
  await isAt(signing, `${TRACK}#history`);
  await signing.getByText("Lay the table").first().waitFor();
  await waiting.bringToFront();
  await waiting.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await isAt(waiting, `${TRACK}#history`);
  await waiting.locator(".link-state.live").waitFor();
  // The address is used once: the next link opens the board.
  await signing.goto(await link());
  await isAt(signing, "/");
});

test("accepts return addresses of this server only", async () => {
  const { visit, link } = await on(demo);
  const page = await visit();
  await page.goto(await link(`${TRACK}#plan`));
  await isAt(page, `${TRACK}#plan`);
  for (const elsewhere of [
    "//evil.example/",
    "/\\evil.example",
    "https://evil.example/",
    "/open",
  ]) {
    await page.goto("about:blank");
    await page.goto(await link(elsewhere));
    await isAt(page, "/");
  }
});

test("explains used and unknown links, and ignores them in a signed-in browser", async () => {
  const { visit, link, url } = await on(demo);
  const opening = await link();
  const page = await visit();
  await page.goto(opening);
  await page.locator(".link-state.live").waitFor();
  // Opened again later, e.g. from the scrollback of a terminal.
  await page.goto("about:blank");
  await page.goto(opening);
  await page.locator(".link-state.live").waitFor();

  const stranger = await visit();
  await stranger.goto(opening);
  await heading(stranger, "This link was already used").waitFor();
  await stranger.getByText("node bin/waymark.js serve").waitFor();
  expect(stranger.url()).toBe(new URL("/open", url()).href);
  expect(await stranger.title()).toBe("This link was already used · Waymark");
  await stranger.goto("about:blank");
  await stranger.goto(new URL("/open#nonsense", url()).href);
  await heading(stranger, "This link is not valid").waitFor();
});

test("accepts a new link in the same tab", async () => {
  const { visit, link, url } = await on(demo);
  const page = await visit();
  await page.goto(new URL(TRACK, url()).href);
  await heading(page, "Sign in to Waymark").waitFor();
  await page.goto(new URL("/open#nonsense", url()).href);
  await heading(page, "This link is not valid").waitFor();
  // Only the hash changes.
  await page.goto(await link());
  await isAt(page, TRACK);
  await page.getByText("Lay the table").first().waitFor();
});

test("explains blocked storage", async () => {
  const { visit, link } = await on(demo);
  const page = await visit();
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("refused", "SecurityError");
    };
  });
  await page.goto(await link());
  await heading(page, "This browser can't stay signed in").waitFor();
});

test("shows a page with a link to the board for API and unknown addresses", async () => {
  const { open, url } = await on(demo);
  const page = await open();
  for (const place of ["/api/tracks", "/no/such/page"]) {
    await page.goto(new URL(place, url()).href);
    await heading(page, "Not found").waitFor();
    await page.getByRole("link", { name: "Go to the board" }).click();
    await page.locator(".link-state.live").waitFor();
  }
});

test("opens the board from a link on another site", async () => {
  const { open, url } = await on(demo);
  const site = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end(`<a href="${new URL(`${TRACK}#plan`, url()).href}">the session</a>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void site.close());
  const page = await open();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  await page.getByText("the session").click();
  await isAt(page, `${TRACK}#plan`);
  await page.getByText("Lay the table").first().waitFor();
});

test("explains itself without JavaScript", async () => {
  const { visit, link, url } = await on(demo);
  const page = await visit({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  await page.goto(new URL(TRACK, url()).href);
  await page.locator("noscript p", { hasText: "In a terminal, waymark ls lists" }).waitFor();
  await page.goto(await link());
  await page.locator("noscript p", { hasText: "Signing in needs JavaScript" }).waitFor();
});
