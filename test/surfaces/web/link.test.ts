import type { BrowserContext, Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { holdNext, isFor, refuseAll } from "./held.ts";
import { answer, type Stage, stageOfEach } from "./stage.ts";

const on = stageOfEach();
const DEMO = pagePath({ session: "demo", agent: "main" });
const STREAM = isFor(/^\/api\/events$/);
const TRACKS = isFor(/^\/api\/tracks$/);

const add = ({ run }: Machine, text: string) => run(["todo", "add", text, "--session", "demo"]);
const demo = (machine: Machine) => {
  add(machine, "one");
};
const shows = (page: Page, text: string) => page.locator(".list .text").getByText(text).waitFor();
const isLive = (page: Page) => page.locator(".link-state.live").waitFor();

/** A further page of the same browser. */
async function openTab(context: BrowserContext, made: Stage): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => made.faults.push(error.message));
  await page.goto(new URL(DEMO, made.url()).href);
  return page;
}

/** The pages that asked for something, each as often as it did. */
function asking(context: BrowserContext, isOne: (request: Request) => boolean): readonly Page[] {
  const pages: Page[] = [];
  context.on("request", (request) => {
    if (isOne(request)) pages.push(request.frame().page());
  });
  return pages;
}

test("eight tabs are one reader: all see everything, all can act, and any can be closed", async () => {
  const made = await on(demo);
  const first = await made.open();
  const context = first.context();
  const [streams, readings] = [asking(context, STREAM), asking(context, TRACKS)];
  await first.goto(new URL(DEMO, made.url()).href);
  const tabs = [first];
  while (tabs.length < 8) tabs.push(await openTab(context, made));
  for (const tab of tabs) await isLive(tab);
  expect(streams.length).toBe(1);

  add(made.machine, "two");
  for (const tab of tabs) await shows(tab, "two");
  const [, second, ...rest] = tabs;
  await second?.bringToFront();
  await second?.keyboard.press("n");
  if (second) await answer(second, "Text of the new todo", "three");
  for (const tab of rest) await shows(tab, "three");
  // Nobody had to read everything again.
  expect(readings.map((tab) => tabs.indexOf(tab))).toEqual([...tabs.keys()]);

  for (const text of ["four", "five"]) {
    const holder = streams.at(-1);
    await holder?.close();
    add(made.machine, text);
    for (const tab of tabs) if (!tab.isClosed()) await shows(tab, text);
  }
  const left = tabs.filter((tab) => !tab.isClosed());
  expect(left.length).toBe(6);
  for (const tab of left) await isLive(tab);
  expect(new Set(streams).size).toBe(3);
}, 120_000);

test("a tab misses nothing of what happens while it reads", async () => {
  const made = await on(demo);
  const first = await made.open();
  const context = first.context();
  await first.goto(new URL(DEMO, made.url()).href);
  await isLive(first);
  const second = await context.newPage();
  const held = await holdNext(second, TRACKS);
  await second.goto(new URL(DEMO, made.url()).href);
  await held.answered;
  add(made.machine, "two");
  await shows(first, "two");
  const readings = asking(context, TRACKS);
  await held.letGo();
  await shows(second, "two");
  await isLive(second);
  expect(readings.length).toBe(0);
});

test("every tab knows when the server is gone, and when it is back", async () => {
  const made = await on(demo);
  const first = await made.open();
  await first.goto(new URL(DEMO, made.url()).href);
  const tabs = [first, await openTab(first.context(), made), await openTab(first.context(), made)];
  for (const tab of tabs) await isLive(tab);
  const { port } = new URL(made.url());
  await made.stop();
  const strips = [];
  for (const tab of tabs) strips.push(await tab.locator(".strip.lost").textContent());
  expect(strips[0]).toMatch(/^Not live since .+ Lost the connection to the server\.$/);
  expect(new Set(strips).size).toBe(1);
  add(made.machine, "meanwhile");
  await made.serve(Number(port));
  for (const tab of tabs) {
    await tab.locator(".list .text").getByText("meanwhile").waitFor();
    await isLive(tab);
  }
  add(made.machine, "afterwards");
  for (const tab of tabs) await shows(tab, "afterwards");
});

test("a tab that is opened while nothing is told says so, and is live with the others", async () => {
  const made = await on(demo);
  const first = await made.open();
  const context = first.context();
  const isBack = await refuseAll(context, STREAM);
  const tabs = [first, await context.newPage()];
  for (const tab of tabs) {
    await tab.goto(new URL(DEMO, made.url()).href);
    await tab.locator(".strip.lost").waitFor();
  }
  isBack();
  for (const tab of tabs) await isLive(tab);
  add(made.machine, "two");
  for (const tab of tabs) await shows(tab, "two");
});

test("where the browser has no locks, each tab has a stream of its own", async () => {
  const made = await on(demo);
  const first = await made.open();
  const context = first.context();
  await context.addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, "locks");
  });
  const streams = asking(context, STREAM);
  await first.goto(new URL(DEMO, made.url()).href);
  const tabs = [first, await openTab(context, made)];
  for (const tab of tabs) await isLive(tab);
  expect(streams.map((tab) => tabs.indexOf(tab)).sort()).toEqual([0, 1]);
  add(made.machine, "two");
  for (const tab of tabs) await shows(tab, "two");
});

test("a tab that nobody sees tells of what it hears from another", async () => {
  const made = await on(demo);
  const first = await made.open({ permissions: ["notifications"] });
  const context = first.context();
  const streams = asking(context, STREAM);
  const second = await context.newPage();
  // What the browser is asked to show, and whether the page is seen, cannot be looked at otherwise.
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
  await second.goto(new URL(DEMO, made.url()).href);
  await second.getByRole("button", { name: "Tell me while I look elsewhere" }).click();
  await second.getByText(/While you look elsewhere, the browser tells you/).waitFor();
  await isLive(second);
  made.machine.run(["todo", "done", "one", "--session", "demo"]);
  await expect
    .poll(() => second.evaluate(() => (window as unknown as { shown: string[] }).shown))
    .toEqual(["Finished: one"]);
  expect(streams.length).toBe(0);
});
