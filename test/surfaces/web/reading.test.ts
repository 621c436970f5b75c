import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { TrackAnswer, TracksAnswer } from "../../../src/core/wire.ts";
import type { Machine } from "../../cli/machine.ts";
import { holdNext, isFor, refuseAll, twistNext } from "./held.ts";
import { type Stage, stageOfEach } from "./stage.ts";

const on = stageOfEach();

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
/** Whatever the server told before is on the page when this returns. */
const settled = async ({ machine }: Stage, page: Page, subject: string): Promise<void> => {
  machine.run(["task", "edit", "t2", "--subject", subject]);
  await page.getByText(subject).first().waitFor();
};
const changes = (page: Page) => page.locator("#history-slider").getAttribute("max");
const becomes = (said: () => Promise<string | null>, words: string) =>
  expect.poll(said).toBe(words);
const TRACK = isFor(/^\/api\/tracks\/demo/);

test("an older answer to a detail does not come over a newer one", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "A"]);
    machine.run(["task", "add", "Sweep"]);
    machine.run(["task", "block", "t1", "t2"]);
  });
  const page = await openTasks(made);
  await page.goto(new URL("/tasks/t1", made.url()).href);
  const heading = page.locator("h1");
  await becomes(() => heading.textContent(), "A");
  const held = await holdNext(page, isFor(/^\/api\/tasks\/t1$/));
  made.machine.run(["task", "edit", "t1", "--subject", "B"]);
  await held.answered;
  made.machine.run(["task", "edit", "t1", "--subject", "C"]);
  await settled(made, page, "Sweep twice");
  await held.letGo();
  await settled(made, page, "Sweep three times");
  await becomes(() => heading.textContent(), "C");
});

test("the answer to an act does not come over what happened since", async () => {
  const made = await on(demo);
  const page = await openTasks(made);
  const held = await holdNext(page, isFor(/^\/api\/tasks$/, "POST"));
  await page.locator('[data-task="t1"] a.title').focus();
  await page.keyboard.press("0");
  await held.answered;
  made.machine.run(["task", "claim", "t1", "--as", "codex"]);
  await page.locator('.claimed [data-task="t1"]').getByText("P0").waitFor();
  await held.letGo();
  await settled(made, page, "Sweep twice");
  expect(await page.locator('.claimed [data-task="t1"]').count()).toBe(1);
});

test("a past goes on, whatever happened while it was read", async () => {
  const made = await on(demo);
  const page = await made.open();
  await page.waitForSelector(".track");
  const held = await holdNext(page, TRACK);
  await page.keyboard.press("Enter");
  await held.answered;
  add(made.machine, "two");
  await page.locator(".list .todo").nth(1).waitFor();
  await held.letGo();
  for (const text of ["three", "four"]) add(made.machine, text);
  await becomes(() => changes(page), "4");
  await expect.poll(() => page.locator(".list .todo").count()).toBe(4);
});

test("a past with a hole in it is read again, once", async () => {
  const made = await on((machine) => {
    demo(machine);
    add(machine, "two");
  });
  const page = await made.open();
  let asked = 0;
  page.on("request", (request) => {
    if (TRACK(request)) asked += 1;
  });
  await twistNext<TrackAnswer>(page, TRACK, (answer) => ({
    ...answer,
    events: answer.events.slice(0, -1),
  }));
  await page.waitForSelector(".track");
  await page.keyboard.press("Enter");
  await becomes(() => changes(page), "1");
  add(made.machine, "three");
  await becomes(() => changes(page), "3");
  add(made.machine, "four");
  await becomes(() => changes(page), "4");
  expect(asked).toBe(2);
});

test("what cannot be read says so, and is read as soon as it can be", async () => {
  const made = await on(demo);
  const page = await made.open();
  await page.waitForSelector(".track");
  const pastIsBack = await refuseAll(page, TRACK);
  await page.keyboard.press("Enter");
  await page.getByText("The history cannot be read, trying again. The store is away.").waitFor();
  pastIsBack();
  await page.locator(".timeline").waitFor();
  await expect.poll(() => page.getByText("The history cannot be read").count()).toBe(0);
  await page.keyboard.press("t");
  await page.locator('.kanban [data-task="t1"]').waitFor();
  await page.keyboard.press("j");
  const taskIsBack = await refuseAll(page, isFor(/^\/api\/tasks\/t1$/));
  await page.keyboard.press("Enter");
  await page.getByText("The task cannot be read, trying again. The store is away.").waitFor();
  taskIsBack();
  await page.getByRole("heading", { name: "Paint" }).waitFor();
});

test("a list that lost an event is read until it is whole; the link is not said to be gone", async () => {
  const made = await on((machine) => {
    demo(machine);
    add(machine, "two");
  });
  const page = await made.open();
  await twistNext<TracksAnswer>(page, isFor(/^\/api\/tracks$/), ({ tracks, ...answer }) => ({
    ...answer,
    tracks: tracks.map(({ track, ...joined }) => ({
      ...joined,
      track: { ...track, version: track.version - 1, todos: track.todos.slice(0, 1) },
    })),
  }));
  await page.reload();
  await page.getByText("0 of 1").first().waitFor();
  const isBack = await refuseAll(page, TRACK);
  const refused = page.waitForResponse((response) => response.status() === 503);
  add(made.machine, "three");
  await refused;
  isBack();
  await page.getByText("0 of 3").first().waitFor();
  await expect.poll(() => page.locator(".link-state").textContent()).toBe("Live, 1 track");
});

test("a server that takes too long is said to", async () => {
  const made = await on(demo);
  const page = await made.open();
  await page.goto(new URL("/tasks", made.url()).href);
  await page.locator('.kanban [data-task="t1"]').waitFor();
  // One second instead of 15, from here on: loading the page beside other work may take longer.
  await page.evaluate(() => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = (time) => timeout.call(AbortSignal, time / 15);
  });
  const held = await holdNext(page, isFor(/^\/api\/tasks$/, "POST"));
  await page.locator('[data-task="t1"] a.title').focus();
  await page.keyboard.press("0");
  await held.answered;
  await page.getByText("The server takes too long to answer. Its terminal may say why.").waitFor();
  // It was done all the same, and what was done is told.
  await page.locator('[data-task="t1"]').getByText("P0").waitFor();
});
