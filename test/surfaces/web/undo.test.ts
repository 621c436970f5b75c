import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { type Stage, stagePerTest } from "./stage.ts";
import { pauseUndoPeriod } from "./undo-time.ts";

const SESSION = "demo";
const PROOF = "npm test passed";
const on = stagePerTest();

function hook(machine: Machine, event: string, more: object): void {
  const printed = { session_id: SESSION, cwd: machine.cwd, hook_event_name: event, ...more };
  const { status, stderr } = machine.run(["hook", "claude", event], {
    input: JSON.stringify(printed),
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}

function calls(machine: Machine, id: string, name: string, input: object, response: object): void {
  const call = { tool_name: name, tool_input: input, tool_use_id: id };
  hook(machine, "PreToolUse", call);
  hook(machine, "PostToolUse", { ...call, tool_response: response });
}

/** A list of two todos, the first verified by a passing test run. */
function verifiedList(machine: Machine): void {
  hook(machine, "SessionStart", { source: "startup" });
  hook(machine, "UserPromptSubmit", { prompt: "Fix the cart" });
  const list = (status: string) => ({
    todos: [
      { content: "Fix the total", status, activeForm: "Fixing the total" },
      { content: "Describe it", status: "pending", activeForm: "Describing it" },
    ],
  });
  const write = (status: string) =>
    expect(machine.tool("TodoWrite", list(status), "--session", SESSION).status).toBe(0);
  write("in_progress");
  edits(machine, "e1");
  calls(machine, "c1", "Bash", { command: "npm test" }, { stdout: "12 passed", exitCode: 0 });
  write("completed");
}

function edits(machine: Machine, id: string): void {
  calls(machine, id, "Edit", { file_path: `${machine.cwd}/cart.ts` }, { filePath: "cart.ts" });
}

interface Kept {
  readonly status: string;
  readonly check?: { readonly command: string };
}

function kept({ machine }: Stage): readonly Kept[] {
  return (machine.json(["todos", "--session", SESSION]) as { todos: Kept[] }).todos;
}

async function openList(stage: Stage): Promise<Page> {
  const page = await stage.open();
  await pauseUndoPeriod(page);
  await page.goto(new URL(pagePath({ session: SESSION, agent: "main" }), stage.url()).href);
  await page.waitForSelector(".list .todo");
  return page;
}

test("keeps the evidence of a verified todo that is reopened and finished", async () => {
  const stage = await on(verifiedList);
  const page = await openList(stage);
  const todo = page.locator(".list .todo").first();
  await todo.getByText(PROOF).waitFor();
  const [before] = kept(stage);
  expect(before).toMatchObject({ status: "completed", check: { command: "npm test" } });
  await todo.focus();
  await page.keyboard.press("Space");
  await page.locator(".todo.is-completed").waitFor({ state: "detached" });
  expect(await page.getByText(PROOF).count()).toBe(0);
  await page.keyboard.press("Space");
  await todo.getByText(PROOF).waitFor();
  expect(kept(stage)[0]).toMatchObject({ status: "completed", check: before?.check });
});

test("drops the evidence if a file was edited in between", async () => {
  const stage = await on(verifiedList);
  const page = await openList(stage);
  const todo = page.locator(".list .todo").first();
  await todo.focus();
  await page.keyboard.press("Space");
  await page.locator(".todo.is-completed").waitFor({ state: "detached" });
  edits(stage.machine, "e2");
  await page.keyboard.press("Space");
  await page.locator(".todo.is-completed").waitFor();
  expect(await page.getByText(PROOF).count()).toBe(0);
  expect(kept(stage)[0]).not.toHaveProperty("check");
});

test("restores the evidence when reopening or cancelling is undone", async () => {
  const stage = await on(verifiedList);
  const page = await openList(stage);
  const undo = page.getByRole("button", { name: "Undo" });
  const [first, second] = [0, 1].map((place) => page.locator(".list .todo").nth(place));
  if (!first || !second) throw new Error("the list has two todos");
  for (const [key, text] of [
    ["Space", "Reopened “Fix the total”."],
    ["x", "Cancelled “Fix the total”."],
  ] as const) {
    await first.focus();
    await page.keyboard.press(key);
    await page.getByText(text).waitFor();
    expect(kept(stage)[0]).not.toHaveProperty("check");
    await undo.click();
    await first.getByText(PROOF).waitFor();
    expect(kept(stage)[0]).toMatchObject({ status: "completed", check: { command: "npm test" } });
  }
  await second.focus();
  await page.keyboard.press("Space");
  await page.getByText("Completed “Describe it”.").waitFor();
  await undo.click();
  await page.locator(".todo.is-completed").nth(1).waitFor({ state: "detached" });
  expect(kept(stage).map(({ status }) => status)).toEqual(["completed", "pending"]);
});
