import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { FULL } from "../../full.ts";
import { expectAccessible, expectNoInjection, horizontalOverflow, hostile } from "./audit.ts";
import { createBacklog, createHostileTasks } from "./backlog.ts";
import { type Stage, stagePerTest, submitField } from "./stage.ts";

const on = stagePerTest();

const card = (page: Page, column: string, id: string) =>
  page.locator(`.kanban .${column} [data-task="${id}"]`);
const kept = ({ machine }: Stage) =>
  (machine.json(["task", "list", "--all"]) as Task[]).map(
    ({ id, subject, status, priority, owner, blockedBy }) => ({
      id,
      subject,
      status,
      priority,
      blockedBy,
      ...(owner !== undefined && { owner }),
    }),
  );

test("adds, prioritizes, blocks, assigns and finishes tasks with the keyboard alone", async () => {
  const stage = await on(() => undefined);
  const page = await stage.open();
  const { keyboard } = page;
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  const add = async (subject: string, more: Readonly<Record<string, string>> = {}) => {
    await keyboard.press("n");
    await page.getByLabel("Subject").fill(subject);
    for (const [label, text] of Object.entries(more)) await page.getByLabel(label).fill(text);
    if (Object.keys(more).length > 0) await page.getByLabel("Subject").focus();
    await keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await add("Paint the door", { Labels: "house, door", Description: "Twice" });
  await add("Hang it", { "Blocked by": "t1" });
  await add("Sweep the floor");
  await card(page, "waiting", "t2").getByText("blocked by t1").waitFor();
  await card(page, "ready", "t3").waitFor();

  await keyboard.press("j");
  await keyboard.press("j");
  await keyboard.press("0");
  await card(page, "ready", "t3").getByText("P0").waitFor();
  await keyboard.press("b");
  await submitField(page, "Task id", "t2");
  await card(page, "waiting", "t3").waitFor();
  // A cycle is refused with a reason, and the dialog stays open.
  await keyboard.press("ArrowLeft");
  await keyboard.press("b");
  await page.getByLabel("Task id").fill("t3");
  await keyboard.press("Enter");
  const why = page.getByRole("dialog").getByRole("alert");
  await why.waitFor();
  await expect.poll(() => why.textContent()).toMatch(/t1.+t3.+t2.+t1/);
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await keyboard.press("o");
  await submitField(page, "Owner", "codex");
  await card(page, "claimed", "t1").getByText("codex").waitFor();
  await keyboard.press("u");
  await card(page, "ready", "t1").waitFor();
  await keyboard.press("x");
  await card(page, "done", "t1").getByText("cancelled").waitFor();
  await page.locator(".pill").getByText("t1 blocks 2 tasks").waitFor();
  await keyboard.press("Space");
  await card(page, "ready", "t1").waitFor();
  await keyboard.press("Enter");
  await page.waitForURL(/\/tasks\/t1$/);
  await page.getByText("Twice").waitFor();
  await keyboard.press("e");
  await submitField(page, "Subject", "Paint the gate");
  await page.getByRole("heading", { name: "Paint the gate" }).waitFor();
  await page.locator(".events").getByText("Edited: subject").waitFor();
  const story = () => page.locator(".events li > span:nth-child(2)").allTextContents();
  await expect
    .poll(story)
    .toEqual([
      "Edited: subject",
      "Reopened",
      "Cancelled",
      "Released",
      "Assigned to codex",
      "Added",
    ]);
  await keyboard.press("Space");
  await submitField(page, "Evidence", "two coats");
  await page.getByText("Evidence (reported)").waitFor();
  await page.getByText("two coats").first().waitFor();
  await keyboard.press("Escape");
  await keyboard.press("d");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe("Dependency graph");
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await page.waitForURL(/\/tasks\/t[123]$/);
  expect(kept(stage)).toEqual([
    {
      id: "t1",
      subject: "Paint the gate",
      status: "done",
      priority: 2,
      blockedBy: [],
    },
    { id: "t2", subject: "Hang it", status: "open", priority: 2, blockedBy: ["t1"] },
    { id: "t3", subject: "Sweep the floor", status: "open", priority: 0, blockedBy: ["t2"] },
  ]);
});

test("shows changes of agents within a second and reports conflicts", async () => {
  const stage = await on((machine) => createBacklog(machine.home, Date.now()));
  const page = await stage.open();
  await page.goto(new URL("/tasks", stage.url()).href);
  await card(page, "ready", "t13").waitFor();
  const { machine } = stage;
  // Measured with the page's clock, without the start of the CLI.
  const seen = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelector('.claimed [data-task="t13"]')) resolve(Date.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  const claimed = machine.json(["task", "claim", "--as", "claude-2"]) as {
    id: string;
    claimedAt: string;
  };
  expect(claimed.id).toBe("t13");
  // A loaded machine is slow: the second is only checked in the full test run.
  expect((await seen) - Date.parse(claimed.claimedAt)).toBeLessThan(FULL ? 1_000 : 15_000);
  await expect
    .poll(() => page.locator(".task-line").textContent())
    .toBe("2 ready, 5 claimed. 3 blocked, 1 failed. 3 done today.");

  // The graph highlights the blocked chain.
  await expect.poll(() => page.locator(".node").count()).toBe(10);
  await expect.poll(() => page.locator(".edge.stuck").count()).toBe(2);
  await page.locator(".graph .pill").getByText("t5 blocks 2 tasks").waitFor();

  // An agent finishes the task while the user releases it.
  await page.goto(new URL("/tasks/t13", stage.url()).href);
  await page.getByRole("button", { name: "Release" }).waitFor();
  await page.route("**/api/tasks", async (route) => {
    // The page may still be loading the tasks.
    if (route.request().method() === "POST")
      machine.run(["task", "done", "t13", "--as", "claude-2", "--epoch", "1", "--evidence", "ok"]);
    await route.continue();
  });
  await page.keyboard.press("u");
  await page.locator(".toast.problem").waitFor();
  await expect
    .poll(() => page.locator(".toast.problem").textContent())
    .toContain("t13 is already done");
  await page.getByText("Evidence (reported)").waitFor();
  await page.unroute("**/api/tasks");

  // Reassigning takes effect after the undo period.
  await page.goto(new URL("/tasks/t6", stage.url()).href);
  await page.getByRole("button", { name: "Reassign" }).click();
  await submitField(page, "Owner", "bob");
  await page.getByRole("button", { name: "Undo" }).click();
  expect((machine.json(["task", "show", "t6"]) as Task).owner).toBe("7f3a91c2-guest-refunds");

  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Retry: t4" }).click();
  await card(page, "ready", "t4").waitFor();
  await page.getByRole("button", { name: "Extend lease: t5" }).click();
  await page.getByRole("button", { name: "Extend lease: t5" }).waitFor({ state: "detached" });
  await page.keyboard.press("f");
  await page.getByRole("button", { name: "Label api" }).waitFor();
  await expect.poll(() => page.locator(".kanban [data-task]").count()).toBe(3);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("refund keys");
  await card(page, "waiting", "t9").waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".kanban [data-task]").length === 1);
  await page.keyboard.type(" nowhere");
  await page.getByText("No matches for “refund keys nowhere” in 15 tasks.").waitFor();

  // Reconnects to a restarted server and shows missed changes.
  await page.keyboard.press("Escape");
  const { port } = new URL(stage.url());
  await stage.stop();
  await page.getByText(/Not live since/).waitFor();
  machine.run(["task", "claim", "t14", "--as", "night-shift"]);
  await stage.serve(Number(port));
  await card(page, "claimed", "t14").getByText("night-shift").waitFor();
});

test("passes axe and fits a phone", async () => {
  const stage = await on((machine) => createBacklog(machine.home, Date.now()));
  await expectAccessible(stage, { "/tasks": ".task" });
  await expectAccessible(stage, { "/tasks/t6": ".events" }, ["light"]);
  const page = await stage.open({ viewport: { width: 390, height: 844 } });
  for (const [place, ready] of [
    ["/tasks", ".task"],
    ["/tasks/t6", ".events"],
  ] as const) {
    await page.goto(new URL(place, stage.url()).href);
    await page.waitForSelector(ready);
    expect({ place, sideways: await horizontalOverflow(page) }).toEqual({ place, sideways: 0 });
  }
});

test("renders hostile text as text in every field of a task", {
  tags: ["html-injection"],
  timeout: 120_000,
}, async () => {
  const attacks = hostile(FULL ? 1_000 : 90);
  const stage = await on((machine) => createHostileTasks(machine.home, attacks));
  const page = await stage.open();
  await page.goto(new URL("/tasks", stage.url()).href);
  await page.waitForSelector(".task");
  const more = page.getByRole("button", { name: /^Show \d+ more$/ });
  for (let left = await more.count(); left > 0; left--) await more.first().click();
  await page.waitForFunction(
    (count) => document.querySelectorAll(".kanban [data-task]").length === count,
    attacks.length,
  );
  await expectNoInjection(page);
  const subjects = await page.locator(".kanban .title").allTextContents();
  expect(subjects.sort()).toEqual(attacks.map((text) => `subject ${text}`).sort());
  for (const [place, fields] of [
    [1, ["subject", "description", "label", "ref", "author", "owner", "proof", "key", "value"]],
    [2, ["reason", "owner"]],
  ] as const) {
    await page.goto(new URL(`/tasks/t${place + 1}`, stage.url()).href);
    await page.waitForSelector(".events");
    await expectNoInjection(page);
    const whole = (await page.locator("#app").textContent()) ?? "";
    const own = attacks[place] ?? "";
    for (const field of fields) {
      const printed = field === "key" || field === "value" ? JSON.stringify(own).slice(1, -1) : own;
      expect(whole).toContain(`${field} ${printed}`);
    }
  }
});
