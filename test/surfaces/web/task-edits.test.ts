import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { delayPosts } from "./delayed.ts";
import { stagePerTest, submitField } from "./stage.ts";

const on = stagePerTest();

test("refuses to reassign a task that changed owners before the request", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const { machine } = stage;
  const page = await stage.open();
  await page.clock.install();
  await page.goto(new URL("/tasks/t1", stage.url()).href);
  await page.getByRole("button", { name: "Reassign" }).click();
  const held = await delayPosts(page);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await submitField(page, "Owner", "gemini");
  await page.getByText("Assigned t1 to gemini.").waitFor();
  machine.run(["task", "release", "t1", "--as", "codex", "--epoch", "1"]);
  machine.run(["task", "claim", "t1", "--as", "qwen"]);
  await page.clock.fastForward(9_000);
  await sent;
  held.release();
  const problem = page.locator(".toast.problem");
  await problem.getByText(`"qwen" owns it now`).waitFor();
  const { owner, epoch } = machine.json(["task", "show", "t1"]) as Task;
  expect({ owner, epoch }).toEqual({ owner: "qwen", epoch: 2 });
});

const SUBJECT = "Subject";
const describing = (page: Page) => page.getByRole("textbox", { name: "Description" });
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.getAttribute("aria-keyshortcuts") ?? at?.id ?? at?.tagName;
  });

test("reports the refusal of a closed form and keeps the other form open", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const page = await stage.open();
  const { keyboard } = page;
  await page.goto(new URL("/tasks/t1", stage.url()).href);
  await page.getByRole("heading", { name: "Paint" }).waitFor();
  const sendAndLeave = async (subject: string) => {
    const held = await delayPosts(page);
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await keyboard.press("e");
    await page.getByLabel(SUBJECT).fill(subject);
    await keyboard.press("Enter");
    await sent;
    await keyboard.press("Escape");
    await page.getByLabel(SUBJECT).waitFor({ state: "detached" });
    return held;
  };
  let held = await sendAndLeave("Paint twice");
  await keyboard.press("m");
  await describing(page).fill("With a brush");
  held.release();
  await page.getByRole("heading", { name: "Paint twice" }).waitFor();
  expect(await describing(page).inputValue()).toBe("With a brush");
  // The second form is sent although the first response is pending.
  await keyboard.press("Escape");
  held = await sendAndLeave("x".repeat(501));
  await keyboard.press("m");
  await describing(page).fill("With a roller");
  const [, description] = await Promise.all([
    keyboard.press("Control+Enter"),
    page.waitForRequest((request) => request.method() === "POST"),
  ]);
  expect(description.postDataJSON().op.set).toEqual({ description: "With a roller" });
  held.release();
  await page.locator(".toast.problem").getByText("the limit is 500").waitFor();
  await page.locator(".plan-text").getByText("With a roller").waitFor();
  const { subject } = stage.machine.json(["task", "show", "t1"]) as Task;
  expect(subject).toBe("Paint twice");
});

test("restores the focus after an edit unless the user moved it", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const page = await stage.open();
  const { keyboard } = page;
  await page.goto(new URL("/tasks/t1", stage.url()).href);
  await page.getByRole("heading", { name: "Paint" }).waitFor();
  await keyboard.press("e");
  await submitField(page, SUBJECT, "Paint it");
  await expect.poll(() => focused(page)).toBe("subject-title");
  await page.locator("#subject-title").blur();
  await keyboard.press("m");
  await describing(page).press("Escape");
  await describing(page).waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe("description-title");
  for (const [shortcut, field] of [
    ["e", page.getByLabel(SUBJECT)],
    ["m", describing(page)],
  ] as const) {
    await page.locator(`button[aria-keyshortcuts="${shortcut}"]`).focus();
    await keyboard.press("Enter");
    await field.press("Escape");
    await field.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe(shortcut);
  }
  const held = await delayPosts(page);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await keyboard.press("e");
  await page.getByLabel(SUBJECT).fill("Paint it all");
  await keyboard.press("Enter");
  await sent;
  await page.getByRole("combobox", { name: "Priority" }).focus();
  held.release();
  await page.getByLabel(SUBJECT).waitFor({ state: "detached" });
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SELECT");
});

test("shows both versions of a concurrent edit", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const { machine } = stage;
  const page = await stage.open();
  const { keyboard } = page;
  await page.goto(new URL("/tasks/t1", stage.url()).href);
  await page.getByRole("heading", { name: "Paint" }).waitFor();
  const both = page.locator(".conflict dd");
  const shown = () => machine.json(["task", "show", "t1"]) as Task;
  const conflict = async (theirs: string) => {
    await both.getByText(theirs, { exact: true }).waitFor();
    return both.allTextContents();
  };

  await keyboard.press("m");
  await describing(page).fill("Mine,\nof two lines");
  machine.run(["task", "edit", "t1", "--description", "Theirs"]);
  await keyboard.press("Control+Enter");
  expect(await conflict("Theirs")).toEqual(["Mine,\nof two lines", "Theirs"]);
  expect(shown().description).toBe("Theirs");
  // It changes again before the user decides.
  machine.run(["task", "edit", "t1", "--description", "Theirs again"]);
  await page.getByRole("button", { name: "Keep mine" }).click();
  expect(await conflict("Theirs again")).toEqual(["Mine,\nof two lines", "Theirs again"]);
  expect(await describing(page).inputValue()).toBe("Mine,\nof two lines");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await describing(page).waitFor({ state: "detached" });
  expect(shown().description).toBe("Mine,\nof two lines");

  await keyboard.press("e");
  await page.getByLabel(SUBJECT).fill("Paint it");
  machine.run(["task", "edit", "t1", "--subject", "Paint the door"]);
  await keyboard.press("Enter");
  expect(await conflict("Paint the door")).toEqual(["Paint it", "Paint the door"]);
  await page.getByRole("button", { name: "Use theirs" }).click();
  await page.getByRole("heading", { name: "Paint the door" }).waitFor();
  expect(shown().subject).toBe("Paint the door");
});

test("reports the conflict of a closed form", async () => {
  const stage = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const page = await stage.open();
  await page.goto(new URL("/tasks/t1", stage.url()).href);
  await page.getByRole("heading", { name: "Paint" }).waitFor();
  const held = await delayPosts(page);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await page.keyboard.press("e");
  await page.getByLabel(SUBJECT).fill("Paint it");
  await page.keyboard.press("Enter");
  await sent;
  await page.keyboard.press("Escape");
  stage.machine.run(["task", "edit", "t1", "--subject", "Paint the door"]);
  held.release();
  await page.locator(".toast.problem").getByText("The subject of t1 has changed").waitFor();
  await page.getByRole("heading", { name: "Paint the door" }).waitFor();
});
