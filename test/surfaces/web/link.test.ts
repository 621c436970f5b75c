import type { BrowserContext, Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { delayNext, failAll, isFor } from "./delayed.ts";
import { type Stage, stagePerTest, submitField } from "./stage.ts";

const on = stagePerTest();
const DEMO = pagePath({ session: "demo", agent: "main" });
const STREAM = isFor(/^\/api\/events$/);
const TRACKS = isFor(/^\/api\/tracks$/);

const add = ({ run }: Machine, text: string) => run(["todo", "add", text, "--session", "demo"]);
const demo = (machine: Machine) => {
  add(machine, "one");
};
const shows = (page: Page, text: string) => page.locator(".list .text").getByText(text).waitFor();
const isLive = (page: Page) => page.locator(".link-state.live").waitFor();

/** Opens another tab of the same browser. */
async function openTab(context: BrowserContext, stage: Stage): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => stage.faults.push(error.message));
  await page.goto(new URL(DEMO, stage.url()).href);
  return page;
}

/** The tabs that sent matching requests, one entry per request. */
function asking(context: BrowserContext, isOne: (request: Request) => boolean): readonly Page[] {
  const pages: Page[] = [];
  context.on("request", (request) => {
    if (isOne(request)) pages.push(request.frame().page());
  });
  return pages;
}

test("shares one stream between eight tabs and elects a new leader when one closes", async () => {
  const stage = await on(demo);
  const first = await stage.open();
  const context = first.context();
  const [streams, readings] = [asking(context, STREAM), asking(context, TRACKS)];
  await first.goto(new URL(DEMO, stage.url()).href);
  const tabs = [first];
  while (tabs.length < 8) tabs.push(await openTab(context, stage));
  for (const tab of tabs) await isLive(tab);
  expect(streams.length).toBe(1);

  add(stage.machine, "two");
  for (const tab of tabs) await shows(tab, "two");
  const [, second, ...rest] = tabs;
  await second?.bringToFront();
  await second?.keyboard.press("n");
  if (second) await submitField(second, "New todo", "three");
  for (const tab of rest) await shows(tab, "three");
  // No tab had to load everything again.
  expect(readings.map((tab) => tabs.indexOf(tab))).toEqual([...tabs.keys()]);

  for (const text of ["four", "five"]) {
    const holder = streams.at(-1);
    await holder?.close();
    add(stage.machine, text);
    for (const tab of tabs) if (!tab.isClosed()) await shows(tab, text);
  }
  const left = tabs.filter((tab) => !tab.isClosed());
  expect(left.length).toBe(6);
  for (const tab of left) await isLive(tab);
  expect(new Set(streams).size).toBe(3);
}, 120_000);

test("misses no event while a tab is loading", async () => {
  const stage = await on(demo);
  const first = await stage.open();
  const context = first.context();
  await first.goto(new URL(DEMO, stage.url()).href);
  await isLive(first);
  const second = await context.newPage();
  const held = await delayNext(second, TRACKS);
  await second.goto(new URL(DEMO, stage.url()).href);
  await held.answered;
  add(stage.machine, "two");
  await shows(first, "two");
  const readings = asking(context, TRACKS);
  await held.release();
  await shows(second, "two");
  await isLive(second);
  expect(readings.length).toBe(0);
});

test("reports a lost and restored connection on every tab", async () => {
  const stage = await on(demo);
  const first = await stage.open();
  await first.goto(new URL(DEMO, stage.url()).href);
  const tabs = [
    first,
    await openTab(first.context(), stage),
    await openTab(first.context(), stage),
  ];
  for (const tab of tabs) await isLive(tab);
  const { port } = new URL(stage.url());
  await stage.stop();
  const strips = [];
  for (const tab of tabs) strips.push(await tab.locator(".strip.lost").textContent());
  expect(strips[0]).toMatch(/^Not live since .+ Lost the connection to the server\.$/);
  expect(new Set(strips).size).toBe(1);
  add(stage.machine, "meanwhile");
  await stage.serve(Number(port));
  for (const tab of tabs) {
    await tab.locator(".list .text").getByText("meanwhile").waitFor();
    await isLive(tab);
  }
  add(stage.machine, "afterwards");
  for (const tab of tabs) await shows(tab, "afterwards");
});

test("reports a lost connection on a tab opened meanwhile", async () => {
  const stage = await on(demo);
  const first = await stage.open();
  const context = first.context();
  const isBack = await failAll(context, STREAM);
  const tabs = [first, await context.newPage()];
  for (const tab of tabs) {
    await tab.goto(new URL(DEMO, stage.url()).href);
    await tab.locator(".strip.lost").waitFor();
  }
  isBack();
  for (const tab of tabs) await isLive(tab);
  add(stage.machine, "two");
  for (const tab of tabs) await shows(tab, "two");
});

test("opens one stream per tab without Web Locks", async () => {
  const stage = await on(demo);
  const first = await stage.open();
  const context = first.context();
  await context.addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, "locks");
  });
  const streams = asking(context, STREAM);
  await first.goto(new URL(DEMO, stage.url()).href);
  const tabs = [first, await openTab(context, stage)];
  for (const tab of tabs) await isLive(tab);
  expect(streams.map((tab) => tabs.indexOf(tab)).sort()).toEqual([0, 1]);
  add(stage.machine, "two");
  for (const tab of tabs) await shows(tab, "two");
});

test("notifies from a hidden tab that is not the leader", async () => {
  const stage = await on(demo);
  const first = await stage.open({ permissions: ["notifications"] });
  const context = first.context();
  const streams = asking(context, STREAM);
  const second = await context.newPage();
  // Records notifications and fakes the visibility, which Playwright cannot do.
  await second.addInitScript(() => {
    const shown: string[] = [];
    class Seen extends Notification {
      constructor(title: string, options: NotificationOptions) {
        super(title, options);
        shown.push(title);
      }
    }
    Object.assign(window, { shown, Notification: Seen });
    Object.defineProperty(document, "hidden", { get: () => true });
  });
  await second.goto(new URL(DEMO, stage.url()).href);
  await second.getByRole("button", { name: "Desktop notifications" }).click();
  await second.getByText(/Desktop notifications are on/).waitFor();
  await isLive(second);
  stage.machine.run(["todo", "done", "one", "--session", "demo"]);
  await expect
    .poll(() => second.evaluate(() => (window as unknown as { shown: string[] }).shown))
    .toEqual(["Finished: one"]);
  expect(streams.length).toBe(0);
});
