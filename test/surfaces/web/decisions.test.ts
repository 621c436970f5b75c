import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Plan } from "../../../src/core/plan/plan.ts";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Task } from "../../../src/tasks/model.ts";
import type { Machine } from "../../cli/machine.ts";
import { delayAll, delayPosts, failAll, isFor } from "./delayed.ts";
import { type Stage, stagePerTest, submitField } from "./stage.ts";
import { endUndoPeriod, pauseUndoPeriod } from "./undo-time.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const READ = "# Read\n1. First step\n2. Second step\n";
const UNREAD = "# Unread\n1. Delete it all\n2. Ship\n";
const CHANGED = "The plan has changed since you read it. Read it again.";
const on = stagePerTest();

function propose(machine: Machine, text: string): void {
  machine.run(["plan", "propose", "-", "--session", "demo"], { input: text });
}

function planOf({ machine }: Stage): Plan {
  return (machine.json(["plan", "show", "demo"]) as { plan: Plan }).plan;
}

/** A page whose undo period ends with `endUndoPeriod`. */
async function openAt(stage: Stage, path: string): Promise<Page> {
  const page = await stage.open();
  await pauseUndoPeriod(page);
  await page.goto(new URL(path, stage.url()).href);
  return page;
}

async function openPlan(stage: Stage): Promise<Page> {
  const page = await openAt(stage, DEMO);
  await page.getByText("Plan waiting for approval").waitFor();
  return page;
}

test("refuses decisions on a plan that was replaced", async () => {
  const stage = await on((machine) => propose(machine, READ));
  const page = await openPlan(stage);
  const approval = await delayPosts(page);
  await page.keyboard.press("a");
  await undo(page).waitFor();
  await endUndoPeriod(page);
  await expect.poll(() => approval.asked()).toBe(1);
  propose(stage.machine, UNREAD);
  approval.release();
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  expect(planOf(stage)).toMatchObject({ state: "proposed", text: UNREAD.trim() });

  await page.getByText("Revision 2 arrived.").waitFor();
  expect(await page.locator("#plan").getByText("Delete it all").count()).toBe(0);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator("#plan").getByText("Delete it all").first().waitFor();
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Undo" }).waitFor();
  propose(stage.machine, READ);
  await page.getByText("Revision 3 arrived.").waitFor();
  await endUndoPeriod(page);
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  expect(planOf(stage)).toMatchObject({ state: "proposed", text: READ.trim() });
});

test("refuses a comment on a step of a replaced plan", async () => {
  const stage = await on((machine) => propose(machine, READ));
  const page = await openPlan(stage);
  const about = page.getByLabel("Applies to");
  await page.getByLabel("Comment for the agent").fill("too slow");
  await about.selectOption("2");
  const remark = await delayPosts(page);
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await expect.poll(() => remark.asked()).toBe(1);
  propose(stage.machine, UNREAD);
  remark.release();
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  expect(planOf(stage).comments ?? []).toEqual([]);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  // The comment stays, and applies to the whole plan until another step is selected.
  await expect.poll(() => about.inputValue()).toBe("");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.locator(".comments").getByText("too slow").waitFor();
  expect(planOf(stage).comments).toMatchObject([{ text: "too slow" }]);
  expect(planOf(stage).comments?.[0]?.step).toBeUndefined();
});

/** The requests of the page, in order. */
function sentFrom(page: Page): { decision?: string; op?: { op: string; owner?: string } }[] {
  const sent: ReturnType<typeof sentFrom> = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.postDataJSON());
  });
  return sent;
}

const undo = (page: Page) => page.getByRole("button", { name: "Undo" });

/** Sends a comment; earlier requests have been sent when it returns. */
async function remark(page: Page, text: string): Promise<void> {
  await page.getByLabel("Comment for the agent").fill(text);
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.locator(".comments").getByText(text).waitFor();
}

test("does not send an undone rejection", async () => {
  const stage = await on((machine) => propose(machine, READ));
  const page = await openPlan(stage);
  const sent = sentFrom(page);
  await page.keyboard.press("r");
  await undo(page).waitFor();
  await page.keyboard.press("r");
  await remark(page, "one");
  await page.locator(".toast").getByText("Comment sent.").waitFor();
  await expect.poll(() => page.locator(".toast").allTextContents()).toEqual(["Comment sent."]);
  // The message covers the action for a moment only.
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await endUndoPeriod(page);
  await remark(page, "two");
  expect(sent.map(({ decision }) => decision)).toEqual(["comment", "comment"]);
  expect(planOf(stage).state).toBe("proposed");

  // Approving cancels an unsent rejection.
  await page.locator("#plan-title").click();
  await page.keyboard.press("r");
  await undo(page).waitFor();
  await page.keyboard.press("a");
  await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  await expect.poll(() => undo(page).count()).toBe(1);
  await endUndoPeriod(page);
  await expect.poll(() => planOf(stage).state).toBe("approved");
  await expect.poll(() => undo(page).count()).toBe(0);
  await remark(page, "three");
  expect(sent.slice(2).map(({ decision }) => decision)).toEqual(["approve", "comment"]);
});

test("sends an approval only after it can no longer be undone, in all tabs", async () => {
  const stage = await on((machine) => propose(machine, READ));
  const page = await openAt(stage, "/");
  const sent = sentFrom(page);
  const other = await page.context().newPage();
  await other.goto(new URL("/", stage.url()).href);
  const session = await page.context().newPage();
  await session.goto(new URL(DEMO, stage.url()).href);
  const approve = page.getByRole("button", { name: "Approve" });
  const waits = session.getByText("Plan waiting for approval");
  await other.locator(".needs-you").waitFor();
  await waits.waitFor();
  await approve.focus();
  await page.keyboard.press("Enter");
  await undo(page).waitFor();
  for (const tab of [page, other]) await tab.locator(".needs-you").waitFor({ state: "detached" });
  await session.getByRole("heading", { name: "Plan approved" }).waitFor();
  expect(planOf(stage).state).toBe("proposed");
  // The focus stays on the session whose button is gone.
  const focused = () => page.evaluate(() => document.activeElement?.closest("[data-key]") !== null);
  await expect.poll(focused).toBe(true);
  await page.keyboard.press("u");
  for (const tab of [page, other]) await tab.locator(".needs-you").waitFor();
  await waits.waitFor();
  await endUndoPeriod(page);
  expect(sent).toEqual([]);
  expect(planOf(stage).state).toBe("proposed");

  await page.keyboard.press("a");
  await undo(page).click();
  await approve.waitFor();
  expect(sent).toEqual([]);
  await page.keyboard.press("a");
  await undo(page).waitFor();
  await endUndoPeriod(page);
  await expect.poll(() => planOf(stage).state).toBe("approved");
  expect(sent).toMatchObject([{ decision: "approve" }]);
  for (const tab of [page, other]) await tab.locator(".needs-you").waitFor({ state: "detached" });
  await session.getByRole("button", { name: "Approve" }).waitFor({ state: "detached" });
});

test("sends an approval and its comment when the page is left", async () => {
  const stage = await on((machine) => propose(machine, READ));
  const page = await openPlan(stage);
  await page.getByLabel("Comment for the agent").fill("mind the wall");
  await page.getByLabel("Applies to").selectOption("2");
  await page.getByRole("button", { name: "Approve" }).click();
  await undo(page).waitFor();
  expect(planOf(stage).state).toBe("proposed");
  await page.goto("about:blank");
  await expect.poll(() => planOf(stage).state).toBe("approved");
  expect(planOf(stage).comments).toMatchObject([{ text: "mind the wall", step: 2 }]);
});

test("sends only the last decision on a task, and none after undo", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const page = await openAt(stage, "/tasks/t1");
  const sent = sentFrom(page);
  const hand = async (owner: string) => {
    await page.getByRole("button", { name: "Reassign" }).click();
    await submitField(page, "Owner", owner);
    await page.locator(".toast").getByText(`Assigned t1 to ${owner}.`).waitFor();
    await expect.poll(() => page.locator(".toast").count()).toBe(1);
  };
  await hand("gemini");
  await hand("claude");
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await endUndoPeriod(page);
  await hand("gemini");
  await hand("claude");
  await endUndoPeriod(page);
  await page.locator(".toast").getByText("Assigned t1 to claude.").waitFor();
  // An immediate action also replaces an unsent one.
  await hand("gemini");
  await page.getByRole("button", { name: "Release" }).click();
  await page.locator(".toast").getByText("Released t1.").waitFor();
  await expect.poll(() => undo(page).count()).toBe(0);
  await endUndoPeriod(page);
  await page.keyboard.press("x");
  await page.locator(".toast").getByText("Cancelled t1.").waitFor();
  expect(sent.map(({ op }) => [op?.op, op?.owner])).toEqual([
    ["assign", "claude"],
    ["release", "claude"],
    ["cancel", undefined],
  ]);
});

test("reports an action once the page shows its result, or cannot load it", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const page = await openAt(stage, "/tasks/t1");
  const toast = (text: string) => page.locator(".toast").getByText(text);
  const release = page.getByRole("button", { name: "Release" });
  await release.waitFor();
  const isReading = isFor(/^\/api\/tasks\/t1$/);
  const reading = await delayAll(page, isReading);
  await page.keyboard.press("u");
  await reading.asked;
  expect(await toast("Released t1.").count()).toBe(0);
  reading.release();
  await toast("Released t1.").waitFor();
  expect(await release.count()).toBe(0);
  // The task has no owner now, so the next action needs no undo period.
  await page.keyboard.press("x");
  await toast("Cancelled t1.").waitFor();
  await failAll(page, isReading);
  await page.keyboard.press(" ");
  await toast("Reopened t1.").waitFor();
});

test("keeps the comment of a rejection and its step until it is sent", async () => {
  const stage = await on((machine) => propose(machine, READ));
  const page = await openPlan(stage);
  const sent = sentFrom(page);
  const field = page.getByLabel("Comment for the agent");
  const about = page.getByLabel("Applies to");
  const written = () => Promise.all([field.inputValue(), about.inputValue()]);
  const reject = () => page.getByRole("button", { name: "Reject" }).click();
  await field.fill("too slow");
  await about.selectOption("2");
  await reject();
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await expect.poll(written).toEqual(["too slow", "2"]);
  // Also if it is undone on another page.
  await reject();
  await page.getByRole("link", { name: "Sessions" }).first().click();
  await undo(page).click();
  await page.goBack();
  await expect.poll(written).toEqual(["too slow", "2"]);
  // Also if the server refuses it.
  await reject();
  await undo(page).waitFor();
  propose(stage.machine, UNREAD);
  await page.getByText("Revision 2 arrived.").waitFor();
  await endUndoPeriod(page);
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect.poll(written).toEqual(["too slow", ""]);

  await about.selectOption("1");
  await reject();
  await undo(page).waitFor();
  await endUndoPeriod(page);
  await page.getByRole("heading", { name: "Plan rejected" }).waitFor();
  await page.locator(".comments").getByText("too slow").waitFor();
  await expect.poll(() => field.inputValue()).toBe("");
  expect(planOf(stage)).toMatchObject({
    state: "rejected",
    comments: [{ text: "too slow", step: 1 }],
  });
  expect(planOf(stage).comment).toBeUndefined();
  expect(sent.map(({ decision }) => decision)).toEqual(["comment", "comment", "reject"]);

  // Leaving the page sends both.
  propose(stage.machine, READ);
  await page.getByText("Plan waiting for approval").waitFor();
  await field.fill("never");
  await about.selectOption("2");
  await reject();
  await undo(page).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Plan rejected" }).waitFor();
  await page.locator(".comments").getByText("never").waitFor();
  expect(planOf(stage).comments).toMatchObject([{ text: "never", step: 2 }]);
});

test("keeps the owner of a task when its cancellation is undone", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const page = await openAt(stage, "/tasks");
  await page.locator('.claimed [data-task="t1"]').waitFor();
  const task = () => stage.machine.json(["task", "show", "t1"]) as Task;
  const held = task();
  expect(held).toMatchObject({ status: "claimed", owner: "codex" });
  const sent = sentFrom(page);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.locator(".toast").getByText("Cancelled t1. codex can no longer update it.").waitFor();
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await endUndoPeriod(page);
  expect(task()).toEqual(held);

  await page.keyboard.press("x");
  await undo(page).waitFor();
  await endUndoPeriod(page);
  await page.locator(".toast").getByText("Cancelled t1.").waitFor();
  expect(task().status).toBe("cancelled");
  expect(sent.map(({ op }) => op?.op)).toEqual(["cancel"]);
});

test("sends a decision once despite repeated keys", async () => {
  const stage = await on((machine) => propose(machine, READ));
  const page = await openAt(stage, "/");
  await page.locator(".preview .plan-text").waitFor();
  const sent = sentFrom(page);
  const approval = await delayPosts(page);
  for (let time = 0; time < 3; time += 1) await page.keyboard.press("a");
  // The session page sends the same decision.
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  await page.keyboard.press("a");
  await endUndoPeriod(page);
  await expect.poll(() => approval.asked()).toBe(1);
  // Also while the request is in progress.
  await page.keyboard.press("a");
  await undo(page).waitFor();
  approval.release();
  await expect.poll(() => planOf(stage).state).toBe("approved");
  await undo(page).waitFor({ state: "detached" });
  await endUndoPeriod(page);
  await remark(page, "and then");
  await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  expect(sent.filter(({ decision }) => decision !== "comment")).toMatchObject([
    { decision: "approve" },
  ]);
  expect(await page.locator(".toast.problem").count()).toBe(0);
});
