import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { holdBack } from "./held.ts";
import { answer, stageOfEach } from "./stage.ts";

const on = stageOfEach();

test("what was handed over and changed hands before it was sent stays where it is", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
    machine.run(["task", "claim", "t1", "--as", "codex"]);
  });
  const { machine } = made;
  const page = await made.open();
  await page.clock.install();
  await page.goto(new URL("/tasks/t1", made.url()).href);
  await page.getByRole("button", { name: "Hand over" }).click();
  const held = await holdBack(page);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await answer(page, "Who is to have it", "gemini");
  await page.getByText("t1 goes to gemini.").waitFor();
  machine.run(["task", "release", "t1", "--as", "codex", "--epoch", "1"]);
  machine.run(["task", "claim", "t1", "--as", "qwen"]);
  await page.clock.fastForward(9_000);
  await sent;
  held.letGo();
  const problem = page.locator(".toast.problem");
  await problem.getByText(`"qwen" holds it now`).waitFor();
  const { owner, epoch } = machine.json(["task", "show", "t1"]) as Task;
  expect({ owner, epoch }).toEqual({ owner: "qwen", epoch: 2 });
});

const SUBJECT = "What is to be done";
const describing = (page: Page) => page.getByRole("textbox", { name: "Description" });
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.getAttribute("aria-keyshortcuts") ?? at?.id ?? at?.tagName;
  });

test("the answer to a form that was left closes no other, and its refusal is told", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const page = await made.open();
  const { keyboard } = page;
  await page.goto(new URL("/tasks/t1", made.url()).href);
  await page.getByRole("heading", { name: "Paint" }).waitFor();
  const sendAndLeave = async (subject: string) => {
    const held = await holdBack(page);
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
  held.letGo();
  await page.getByRole("heading", { name: "Paint twice" }).waitFor();
  expect(await describing(page).inputValue()).toBe("With a brush");
  // What is typed meanwhile is sent although the other answer is not there yet.
  await keyboard.press("Escape");
  held = await sendAndLeave("x".repeat(501));
  await keyboard.press("m");
  await describing(page).fill("With a roller");
  const [, description] = await Promise.all([
    keyboard.press("Control+Enter"),
    page.waitForRequest((request) => request.method() === "POST"),
  ]);
  expect(description.postDataJSON().op.set).toEqual({ description: "With a roller" });
  held.letGo();
  await page.locator(".toast.problem").getByText("at most 500 are allowed").waitFor();
  await page.locator(".plan-text").getByText("With a roller").waitFor();
  const { subject } = made.machine.json(["task", "show", "t1"]) as Task;
  expect(subject).toBe("Paint twice");
});

test("after an edit the focus is where the person came from, or stays where they went", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const page = await made.open();
  const { keyboard } = page;
  await page.goto(new URL("/tasks/t1", made.url()).href);
  await page.getByRole("heading", { name: "Paint" }).waitFor();
  await keyboard.press("e");
  await answer(page, SUBJECT, "Paint it");
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
  const held = await holdBack(page);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await keyboard.press("e");
  await page.getByLabel(SUBJECT).fill("Paint it all");
  await keyboard.press("Enter");
  await sent;
  await page.getByRole("combobox", { name: "Priority" }).focus();
  held.letGo();
  await page.getByLabel(SUBJECT).waitFor({ state: "detached" });
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SELECT");
});

test("who edits what somebody else changed meanwhile sees both, and loses nothing", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const { machine } = made;
  const page = await made.open();
  const { keyboard } = page;
  await page.goto(new URL("/tasks/t1", made.url()).href);
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
  // It changes once more before the person has decided.
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
  await page.getByRole("button", { name: "Take theirs" }).click();
  await page.getByRole("heading", { name: "Paint the door" }).waitFor();
  expect(shown().subject).toBe("Paint the door");
});

test("a conflict of a form that was left is told", async () => {
  const made = await on((machine) => {
    machine.run(["task", "add", "Paint"]);
  });
  const page = await made.open();
  await page.goto(new URL("/tasks/t1", made.url()).href);
  await page.getByRole("heading", { name: "Paint" }).waitFor();
  const held = await holdBack(page);
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await page.keyboard.press("e");
  await page.getByLabel(SUBJECT).fill("Paint it");
  await page.keyboard.press("Enter");
  await sent;
  await page.keyboard.press("Escape");
  made.machine.run(["task", "edit", "t1", "--subject", "Paint the door"]);
  held.letGo();
  await page.locator(".toast.problem").getByText("changed the subject of t1").waitFor();
  await page.getByRole("heading", { name: "Paint the door" }).waitFor();
});
