import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Plan } from "../../../src/core/plan/plan.ts";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Task } from "../../../src/tasks/model.ts";
import type { Machine } from "../../cli/machine.ts";
import { holdAll, holdBack, isFor, refuseAll } from "./held.ts";
import { answer, type Stage, stageOfEach } from "./stage.ts";
import { holdUndoTime, timeIsUp } from "./undo-time.ts";

const DEMO = pagePath({ session: "demo", agent: "main" });
const READ = "# Read\n1. First step\n2. Second step\n";
const UNREAD = "# Unread\n1. Delete it all\n2. Ship\n";
const CHANGED = "The plan changed meanwhile; read it again.";
const on = stageOfEach();

function propose(machine: Machine, text: string): void {
  machine.run(["plan", "propose", "-", "--session", "demo"], { input: text });
}

function planOf({ machine }: Stage): Plan {
  return (machine.json(["plan", "show", "demo"]) as { plan: Plan }).plan;
}

/** A page on which the time to undo passes when `timeIsUp` says so. */
async function openAt(made: Stage, path: string): Promise<Page> {
  const page = await made.open();
  await holdUndoTime(page);
  await page.goto(new URL(path, made.url()).href);
  return page;
}

async function openPlan(made: Stage): Promise<Page> {
  const page = await openAt(made, DEMO);
  await page.getByText("Plan waits for you").waitFor();
  return page;
}

test("a plan that took the place of the one that was read is neither approved nor rejected", async () => {
  const made = await on((machine) => propose(machine, READ));
  const page = await openPlan(made);
  const approval = await holdBack(page);
  await page.keyboard.press("a");
  await expect.poll(() => approval.asked()).toBe(1);
  propose(made.machine, UNREAD);
  approval.letGo();
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  expect(planOf(made)).toMatchObject({ state: "proposed", text: UNREAD.trim() });

  await page.locator("#plan").getByText("Delete it all").first().waitFor();
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Undo" }).waitFor();
  propose(made.machine, READ);
  await page.locator("#plan").getByText("First step").first().waitFor();
  await timeIsUp(page);
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  expect(planOf(made)).toMatchObject({ state: "proposed", text: READ.trim() });
});

test("a step that was chosen of another plan is not commented on", async () => {
  const made = await on((machine) => propose(machine, READ));
  const page = await openPlan(made);
  const about = page.getByLabel("What it is about");
  await page.getByLabel("Comment for the agent").fill("too slow");
  await about.selectOption("2");
  const remark = await holdBack(page);
  await page.getByRole("button", { name: "Only comment" }).click();
  await expect.poll(() => remark.asked()).toBe(1);
  propose(made.machine, UNREAD);
  remark.letGo();
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  expect(planOf(made).comments ?? []).toEqual([]);
  // What was written stays, and is about the whole plan until another step is chosen.
  await expect.poll(() => about.inputValue()).toBe("");
  await page.getByRole("button", { name: "Only comment" }).click();
  await page.locator(".comments").getByText("too slow").waitFor();
  expect(planOf(made).comments).toMatchObject([{ text: "too slow" }]);
  expect(planOf(made).comments?.[0]?.step).toBeUndefined();
});

/** What a person sends, in its order. */
function sentFrom(page: Page): { decision?: string; op?: { op: string; owner?: string } }[] {
  const sent: ReturnType<typeof sentFrom> = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.postDataJSON());
  });
  return sent;
}

const undo = (page: Page) => page.getByRole("button", { name: "Undo" });

/** Whatever was to be sent before is sent by then. */
async function remark(page: Page, text: string): Promise<void> {
  await page.getByLabel("Comment for the agent").fill(text);
  await page.getByRole("button", { name: "Only comment" }).click();
  await page.locator(".comments").getByText(text).waitFor();
}

test("what is taken back is not sent, whatever was said meanwhile", async () => {
  const made = await on((machine) => propose(machine, READ));
  const page = await openPlan(made);
  const sent = sentFrom(page);
  await page.keyboard.press("r");
  await undo(page).waitFor();
  await page.keyboard.press("r");
  await remark(page, "one");
  await page.locator(".toast").getByText("The agent is told.").waitFor();
  await expect
    .poll(() => page.locator(".toast").allTextContents())
    .toEqual(["Plan rejected.Undo", "The agent is told."]);
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await timeIsUp(page);
  await remark(page, "two");
  expect(sent.map(({ decision }) => decision)).toEqual(["comment", "comment"]);
  expect(planOf(made).state).toBe("proposed");

  // Whoever approves does not reject any more.
  await page.locator("#plan-title").click();
  await page.keyboard.press("r");
  await undo(page).waitFor();
  await page.keyboard.press("a");
  await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  await expect.poll(() => undo(page).count()).toBe(0);
  await timeIsUp(page);
  await remark(page, "three");
  expect(sent.slice(2).map(({ decision }) => decision)).toEqual(["approve", "comment"]);
});

test("of two decisions on a task the second is sent, and none when it is taken back", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const page = await openAt(made, "/tasks/t1");
  const sent = sentFrom(page);
  const hand = async (owner: string) => {
    await page.getByRole("button", { name: "Hand over" }).click();
    await answer(page, "Who is to have it", owner);
    await page.locator(".toast").getByText(`t1 goes to ${owner}.`).waitFor();
    await expect.poll(() => page.locator(".toast").count()).toBe(1);
  };
  await hand("gemini");
  await hand("claude");
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await timeIsUp(page);
  await hand("gemini");
  await hand("claude");
  await timeIsUp(page);
  await page.locator(".toast").getByText("claude has t1 now.").waitFor();
  // What is sent at once takes the place of what waits as well.
  await hand("gemini");
  await page.keyboard.press("u");
  await page.locator(".toast").getByText("t1 is free.").waitFor();
  await expect.poll(() => undo(page).count()).toBe(0);
  await timeIsUp(page);
  await page.keyboard.press("x");
  await page.locator(".toast").getByText("Dropped t1.").waitFor();
  expect(sent.map(({ op }) => [op?.op, op?.owner])).toEqual([
    ["assign", "claude"],
    ["release", "claude"],
    ["cancel", undefined],
  ]);
});

test("what came of an act is said when the page shows it, or cannot", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const page = await openAt(made, "/tasks/t1");
  const toast = (text: string) => page.locator(".toast").getByText(text);
  const release = page.getByRole("button", { name: "Give it back" });
  await release.waitFor();
  const isReading = isFor(/^\/api\/tasks\/t1$/);
  const reading = await holdAll(page, isReading);
  await page.keyboard.press("u");
  await reading.asked;
  expect(await toast("t1 is free.").count()).toBe(0);
  reading.letGo();
  await toast("t1 is free.").waitFor();
  expect(await release.count()).toBe(0);
  // Who decides next decides on a task that nobody holds: nobody loses it.
  await page.keyboard.press("x");
  await toast("Dropped t1.").waitFor();
  await refuseAll(page, isReading);
  await page.keyboard.press(" ");
  await toast("t1 is open again.").waitFor();
});

test("what was written with a rejection stays until it is sent, with the step that it is about", async () => {
  const made = await on((machine) => propose(machine, READ));
  const page = await openPlan(made);
  const sent = sentFrom(page);
  const field = page.getByLabel("Comment for the agent");
  const about = page.getByLabel("What it is about");
  const written = () => Promise.all([field.inputValue(), about.inputValue()]);
  const reject = () => page.getByRole("button", { name: "Reject" }).click();
  await field.fill("too slow");
  await about.selectOption("2");
  await reject();
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await expect.poll(written).toEqual(["too slow", "2"]);
  // Taken back elsewhere, it is there as well.
  await reject();
  await page.getByRole("link", { name: "Tracks" }).first().click();
  await undo(page).click();
  await page.goBack();
  await expect.poll(written).toEqual(["too slow", "2"]);
  // Refused, too.
  await reject();
  await undo(page).waitFor();
  propose(made.machine, UNREAD);
  await page.locator("#plan").getByText("Delete it all").first().waitFor();
  await timeIsUp(page);
  await page.locator(".toast.problem").getByText(CHANGED).waitFor();
  await expect.poll(written).toEqual(["too slow", ""]);

  await about.selectOption("1");
  await reject();
  await undo(page).waitFor();
  await timeIsUp(page);
  await page.getByRole("heading", { name: "Plan rejected" }).waitFor();
  await page.locator(".comments").getByText("too slow").waitFor();
  await expect.poll(() => field.inputValue()).toBe("");
  expect(planOf(made)).toMatchObject({
    state: "rejected",
    comments: [{ text: "too slow", step: 1 }],
  });
  expect(planOf(made).comment).toBeUndefined();
  expect(sent.map(({ decision }) => decision)).toEqual(["comment", "comment", "reject"]);

  // Whoever leaves has said both.
  propose(made.machine, READ);
  await page.getByText("Plan waits for you").waitFor();
  await field.fill("never");
  await about.selectOption("2");
  await reject();
  await undo(page).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Plan rejected" }).waitFor();
  await page.locator(".comments").getByText("never").waitFor();
  expect(planOf(made).comments).toMatchObject([{ text: "never", step: 2 }]);
});

test("whoever holds a task keeps it when its drop is taken back", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const page = await openAt(made, "/tasks");
  await page.locator('.claimed [data-task="t1"]').waitFor();
  const task = () => made.machine.json(["task", "show", "t1"]) as Task;
  const held = task();
  expect(held).toMatchObject({ status: "claimed", owner: "codex" });
  const sent = sentFrom(page);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.locator(".toast").getByText("t1 is dropped, and codex loses it.").waitFor();
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await timeIsUp(page);
  expect(task()).toEqual(held);

  await page.keyboard.press("x");
  await undo(page).waitFor();
  await timeIsUp(page);
  await page.locator(".toast").getByText("Dropped t1.").waitFor();
  expect(task().status).toBe("cancelled");
  expect(sent.map(({ op }) => op?.op)).toEqual(["cancel"]);
});

test("a decision is sent once, however often a key is pressed before the answer", async () => {
  const made = await on((machine) => propose(machine, READ));
  const page = await openAt(made, "/");
  await page.locator(".peek .plan-text").waitFor();
  const sent = sentFrom(page);
  const approval = await holdBack(page);
  for (let time = 0; time < 3; time += 1) await page.keyboard.press("a");
  // On the page of the plan it is the same decision.
  await page.keyboard.press("Enter");
  await page.getByText("Plan waits for you").waitFor();
  await page.keyboard.press("a");
  approval.letGo();
  await page.locator(".toast").getByText("Plan approved. The agent is told.").waitFor();
  await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  expect(sent).toMatchObject([{ decision: "approve" }]);
  expect(await page.locator(".toast.problem").count()).toBe(0);
});
