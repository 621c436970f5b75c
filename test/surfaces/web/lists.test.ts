import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PRESETS } from "../../../src/core/list/policy.ts";
import { sqliteStore } from "../../../src/stores/sqlite.ts";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { trackerOn } from "../../../src/tracker.ts";
import type { Machine } from "../../cli/machine.ts";
import { FULL } from "../../full.ts";
import { createBacklog } from "./backlog.ts";
import { type Stage, stagePerTest, submitField } from "./stage.ts";
import { createTeam } from "./team.ts";

const on = stagePerTest();

const DEMO = pagePath({ session: "demo", agent: "main" });
const kept = ({ machine }: Stage, session = "demo") =>
  (machine.json(["todos", "--session", session]) as { todos: { text: string; status: string }[] })
    .todos;
const texts = (page: Page) => page.locator(".list .todo .text").allTextContents();

test("reorders by drag and drop, edits, and notifies the agent through its hook", async () => {
  const hook = (machine: Machine, event: string, more: object) =>
    machine.run(["hook", "claude", event], {
      input: JSON.stringify({
        session_id: "demo",
        cwd: machine.cwd,
        hook_event_name: event,
        ...more,
      }),
    }).stdout;
  const stage = await on((machine) => {
    hook(machine, "SessionStart", { source: "startup" });
    machine.run(["todo", "add", "one", "two", "three", "--session", "demo"]);
    // The agent has seen these.
    hook(machine, "UserPromptSubmit", { prompt: "go" });
  });
  const page = await stage.open();
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  await page.locator(".todo").nth(2).dragTo(page.locator(".todo").nth(0));
  await page.waitForFunction(
    () => document.querySelector(".list .todo .text")?.textContent === "three",
  );
  await page.locator(".todo").nth(1).dblclick();
  await submitField(page, "Todo text", "one, but better");
  await page.getByText("one, but better", { exact: true }).first().waitFor();
  expect(kept(stage).map(({ text }) => text)).toEqual(["three", "one, but better", "two"]);
  const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "u1" };
  const received = hook(stage.machine, "PostToolUse", { ...call, tool_response: { stdout: "" } });
  expect(received).toContain("one, but better");
  expect(received).toContain("order");
});

test("promotes a todo with a key and a button, and links to the task", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "two", "three", "--session", "demo"]);
  });
  const page = await stage.open();
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("T");
  await page.getByText("Promoted “two” to task t1.").waitFor();
  const third = page.locator(".todo").nth(2);
  await third.hover();
  await third.getByRole("button", { name: "Promote to task" }).click();
  await third.getByRole("link", { name: "task t2" }).waitFor();
  await expect.poll(() => third.getByRole("button", { name: "Promote to task" }).count()).toBe(0);
  await page.locator(".todo").nth(1).getByRole("link", { name: "task t1" }).click();
  await page.waitForURL(/\/tasks\/t1$/);
  await page.getByRole("heading", { name: "two" }).waitFor();
  const tasks = stage.machine.json(["task", "list", "--all"]) as { id: string; ref: string }[];
  expect(tasks.map(({ id, ref }) => [id, ref])).toEqual([
    ["t1", "todo:demo#2"],
    ["t2", "todo:demo#3"],
  ]);
});

test("searches sessions and tasks, and filters by group", async () => {
  const stage = await on(async ({ home }) => {
    await createTeam(home, Date.now());
    await createBacklog(home, Date.now());
  });
  const page = await stage.open();
  const { keyboard } = page;
  await page.waitForSelector(".track");
  await expect
    .poll(() => page.locator("link[rel=icon]").getAttribute("href"))
    .toBe("/favicon-you.svg");
  await expect.poll(() => page.title()).toBe("(1) Waymark");
  await keyboard.press("f");
  await page.getByRole("button", { name: /^State/ }).click();
  const needsYou = page.getByRole("checkbox", { name: /^Needs you/ });
  await needsYou.check();
  await keyboard.press("Escape");
  await expect
    .poll(() => page.locator("a.title").allTextContents())
    .toEqual(["Let guests pay without an account"]);
  await page.locator(".preview").waitFor();
  await keyboard.press("z");
  await page.locator(".preview").waitFor({ state: "detached" });
  await page.reload();
  await page.waitForSelector(".split.less .track");
  await keyboard.press("z");
  await page.locator(".preview").waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => page.locator("a.title").count()).toBe(8);
  await keyboard.press("/");
  await keyboard.type("OLDER   refunds");
  const hit = page.locator(".hits a");
  await page.waitForFunction(() => document.querySelectorAll("a.title").length === 1);
  await expect.poll(() => hit.allTextContents()).toEqual(["Fill in keys for older refunds"]);
  await page.getByLabel("Search").fill("refund");
  await page.getByText("5 matching tasks").waitFor();
  await page.getByLabel("Search").fill("older refunds");
  await hit.click();
  await page.waitForSelector(".list .todo");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.querySelector(".text")?.textContent))
    .toBe("Fill in keys for older refunds");
  await page.getByLabel("Search").fill("nowhere to be found");
  await page
    .getByText("No matches for “nowhere to be found” in 10 sessions and 15 tasks.")
    .waitFor();
});

test("comments on a plan, rejects it with undo, and adopts its steps", async () => {
  const stage = await on(({ home }) => createTeam(home, Date.now()));
  const page = await stage.open();
  const session = "plan-guest-checkout";
  await page.goto(new URL(pagePath({ session, agent: "main" }), stage.url()).href);
  await page.getByText("Plan waiting for approval").waitFor();
  const { keyboard } = page;
  await keyboard.press("c");
  await keyboard.type("Keep the old form for a week");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.locator(".comments").getByText("Keep the old form for a week").waitFor();
  await keyboard.press("r");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
  await page.getByText("Plan waiting for approval").waitFor();
  // Leaving the page sends the decision.
  await keyboard.press("r");
  await page.getByText("Plan rejected.").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Plan rejected" }).waitFor();
  // Steps are not adopted automatically if the list has todos.
  stage.machine.run(["todo", "add", "Begun already", "--session", session]);
  stage.machine.run(["plan", "propose", "-", "--session", session], {
    input: "1. First step\n2. Second step\n",
  });
  await page.getByText("Plan waiting for approval").waitFor();
  // The time of a toast stops while the pointer, left where Undo was, is on it.
  await page.mouse.move(0, 0);
  await keyboard.press("a");
  await page.getByRole("button", { name: "Add steps as todos" }).click();
  await page.locator(".list .todo").nth(2).waitFor();
  expect(kept(stage, session).map(({ text }) => text)).toEqual([
    "Begun already",
    "First step",
    "Second step",
  ]);
});

test("notifies once while the page is hidden, and not while it is visible", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "--session", "demo"]);
    machine.run(["todo", "add", "two", "--session", "other"]);
  });
  const page = await stage.open({ permissions: ["notifications"] });
  // Records notifications and fakes the visibility, which Playwright cannot do.
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Seen extends Notification {
      constructor(title: string, options: NotificationOptions) {
        super(title, options);
        shown.push(`${title} / ${options.body}`);
      }
    }
    Object.assign(window, { shown, Notification: Seen, isHidden: false });
    Object.defineProperty(document, "hidden", {
      get: () => (window as unknown as { isHidden: boolean }).isHidden,
    });
  });
  await page.reload();
  await page.waitForSelector(".track");
  await page.getByRole("button", { name: "Desktop notifications" }).click();
  await page.getByText(/Desktop notifications are on/).waitFor();
  stage.machine.run(["todo", "done", "two", "--session", "other"]);
  await page.locator(".track.finished").waitFor();
  await page.evaluate(() => {
    Object.assign(window, { isHidden: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  stage.machine.run(["todo", "done", "one", "--session", "demo"]);
  const shown = () =>
    page.evaluate(() => (window as unknown as { shown: readonly string[] }).shown);
  await expect
    .poll(shown)
    .toEqual(["Finished: one / Waymark in project: 1 done, nothing verified"]);
});

test("folds finished phases of 300 todos and stays responsive", async () => {
  const stage = await on(async ({ home }) => {
    mkdirSync(home, { recursive: true });
    const tracker = trackerOn(
      await sqliteStore(join(home, "waymark.db"), { createDirectory: true }),
      {
        policy: PRESETS.external,
      },
    );
    const some = (phase: string, count: number, done: number) =>
      Array.from({ length: count }, (_, n) => ({
        text: `${phase} ${n}`,
        phase,
        status: n < done ? ("completed" as const) : ("pending" as const),
      }));
    await tracker
      .list({ session: "demo", agent: "main" })
      .set([...some("Database", 40, 40), ...some("Service", 200, 120), ...some("Prove", 60, 0)]);
    await tracker.close();
  });
  const page = await stage.open();
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  await expect.poll(() => page.locator(".list .todo").count()).toBe(83);
  await expect
    .poll(() => page.locator(".hidden-rows").allTextContents())
    .toEqual(["↑ 117 done, show", "↓ 40 more, show", "↓ 20 more, show"]);
  const database = page.getByRole("button", { name: "Database 40 of 40" });
  await expect.poll(() => database.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("z");
  await page.waitForFunction(() => document.querySelectorAll(".list .todo").length === 123);
  await page.keyboard.press("z");
  await page.waitForFunction(() => document.querySelectorAll(".list .todo").length === 83);
  await database.click();
  for (const each of ["117 done", "20 more"])
    await page.getByRole("button", { name: each }).click();
  await page.waitForFunction(() => document.querySelectorAll(".list .todo").length === 300);
  expect((await texts(page)).slice(39, 41)).toEqual(["Database 39", "Service 0"]);
  // From the key press to the focused row, with all 300 rows drawn.
  const took = await page.evaluate(async () => {
    const times: number[] = [];
    for (let n = 0; n < 20; n++) {
      const began = performance.now();
      dispatchEvent(new KeyboardEvent("keydown", { key: "j" }));
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - began);
    }
    return times.sort((a, b) => a - b)[10] ?? 0;
  });
  // Quadratic rendering would take seconds. The exact time is only checked
  // in the full test run.
  expect(took).toBeLessThan(FULL ? 150 : 1_500);
});
