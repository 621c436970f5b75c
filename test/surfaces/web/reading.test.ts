import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { TrackResponse, TracksResponse } from "../../../src/core/wire.ts";
import type { Machine } from "../../cli/machine.ts";
import { delayNext, failAll, isFor, modifyNext } from "./delayed.ts";
import { type Stage, stagePerTest } from "./stage.ts";

const on = stagePerTest();

const add = ({ run }: Machine, text: string) => run(["todo", "add", text, "--session", "demo"]);
const demo = (machine: Machine) => {
  add(machine, "one");
  for (const subject of ["Paint", "Sweep"]) machine.run(["task", "add", subject]);
};
const openTasks = async ({ open, url }: Stage): Promise<Page> => {
  const page = await open();
  await page.goto(new URL("/tasks", url()).href);
  await page.locator('.kanban [data-task="t2"]').waitFor();
  return page;
};
/** Waits until the page has received all earlier events. */
const settled = async ({ machine }: Stage, page: Page, subject: string): Promise<void> => {
  machine.run(["task", "edit", "t2", "--subject", subject]);
  await page.getByText(subject).first().waitFor();
};
const changes = async (page: Page) =>
  (await page.locator("#history-slider").getAttribute("aria-valuetext"))?.match(/\d+/)?.[0] ?? null;
const becomes = (printed: () => Promise<string | null>, words: string) =>
  expect.poll(printed).toBe(words);
const TRACK = isFor(/^\/api\/tracks\/demo[^/]*$/);

test("ignores an older response to a task detail", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "A"]);
    machine.run(["task", "add", "Sweep"]);
    machine.run(["task", "block", "t1", "t2"]);
  });
  const page = await openTasks(stage);
  await page.goto(new URL("/tasks/t1", stage.url()).href);
  const heading = page.locator("h1");
  await becomes(() => heading.textContent(), "A");
  const held = await delayNext(page, isFor(/^\/api\/tasks\/t1$/));
  stage.machine.run(["task", "edit", "t1", "--subject", "B"]);
  await held.answered;
  stage.machine.run(["task", "edit", "t1", "--subject", "C"]);
  await settled(stage, page, "Sweep twice");
  await held.release();
  await settled(stage, page, "Sweep three times");
  await becomes(() => heading.textContent(), "C");
});

test("does not overwrite newer updates with the response to an action", async () => {
  const stage = await on(demo);
  const page = await openTasks(stage);
  const held = await delayNext(page, isFor(/^\/api\/tasks$/, "POST"));
  await page.locator('[data-task="t1"] a.title').focus();
  await page.keyboard.press("0");
  await held.answered;
  stage.machine.run(["task", "claim", "t1", "--as", "codex"]);
  await page.locator('.claimed [data-task="t1"]').getByText("P0").waitFor();
  await held.release();
  await settled(stage, page, "Sweep twice");
  expect(await page.locator('.claimed [data-task="t1"]').count()).toBe(1);
});

test("continues a history with events received while it was loading", async () => {
  const stage = await on(demo);
  const page = await stage.open();
  await page.waitForSelector(".track");
  const held = await delayNext(page, TRACK);
  await page.keyboard.press("Enter");
  await held.answered;
  add(stage.machine, "two");
  await page.locator(".list .todo").nth(1).waitFor();
  await held.release();
  for (const text of ["three", "four"]) add(stage.machine, text);
  await becomes(() => changes(page), "4");
  await expect.poll(() => page.locator(".list .todo").count()).toBe(4);
});

test("reloads a history with a gap once", async () => {
  const stage = await on((machine) => {
    demo(machine);
    add(machine, "two");
  });
  const page = await stage.open();
  let asked = 0;
  page.on("request", (request) => {
    if (TRACK(request)) asked += 1;
  });
  await modifyNext<TrackResponse>(page, TRACK, (answer) => ({
    ...answer,
    events: answer.events.slice(0, -1),
  }));
  await page.waitForSelector(".track");
  await page.keyboard.press("Enter");
  await becomes(() => changes(page), "1");
  add(stage.machine, "three");
  await becomes(() => changes(page), "3");
  add(stage.machine, "four");
  await becomes(() => changes(page), "4");
  expect(asked).toBe(2);
});

test("reports load errors and retries", async () => {
  const stage = await on(demo);
  const page = await stage.open();
  await page.waitForSelector(".track");
  const pastIsBack = await failAll(page, TRACK);
  await page.keyboard.press("Enter");
  await page.getByText("Can't load the history, retrying. The store is away.").waitFor();
  pastIsBack();
  await page.locator(".timeline").waitFor();
  await expect.poll(() => page.getByText("Can't load the history").count()).toBe(0);
  await page.keyboard.press("t");
  await page.locator('.kanban [data-task="t1"]').waitFor();
  await page.keyboard.press("j");
  const taskIsBack = await failAll(page, isFor(/^\/api\/tasks\/t1$/));
  await page.keyboard.press("Enter");
  await page.getByText("Can't load the task, retrying. The store is away.").waitFor();
  taskIsBack();
  await page.getByRole("heading", { name: "Paint" }).waitFor();
});

test("reloads a list with a missed event without reporting a lost connection", async () => {
  const stage = await on((machine) => {
    demo(machine);
    add(machine, "two");
  });
  const page = await stage.open();
  await modifyNext<TracksResponse>(page, isFor(/^\/api\/tracks$/), ({ tracks, ...answer }) => ({
    ...answer,
    tracks: tracks.map(({ track, ...joined }) => ({
      ...joined,
      track: { ...track, version: track.version - 1, todos: track.todos.slice(0, 1) },
    })),
  }));
  await page.reload();
  await page.getByText("0 of 1").first().waitFor();
  const isBack = await failAll(page, TRACK);
  const refused = page.waitForResponse((response) => response.status() === 503);
  add(stage.machine, "three");
  await refused;
  isBack();
  await page.getByText("0 of 3").first().waitFor();
  await expect.poll(() => page.locator(".link-state").textContent()).toBe("Live, 1 session");
});

test("reports a request that times out", async () => {
  const stage = await on(demo);
  const page = await stage.open();
  await page.goto(new URL("/tasks", stage.url()).href);
  await page.locator('.kanban [data-task="t1"]').waitFor();
  // Shortens the timeout to one second, after the page has loaded.
  await page.evaluate(() => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = (time) => timeout.call(AbortSignal, time / 15);
  });
  const held = await delayNext(page, isFor(/^\/api\/tasks$/, "POST"));
  await page.locator('[data-task="t1"] a.title').focus();
  await page.keyboard.press("0");
  await held.answered;
  await page.getByText("The server is not responding. Check its terminal.").waitFor();
  // The change was applied, and the page receives it.
  await page.locator('[data-task="t1"]').getByText("P0").waitFor();
});
