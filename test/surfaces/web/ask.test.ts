import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { expectAccessibleNow } from "./audit.ts";
import { EDITING, editedRepository } from "./editing.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const DEMO = pagePath({ session: "demo", agent: "main" });

function hook(machine: Machine, event: string, more: object): string {
  const input = { session_id: "demo", cwd: machine.cwd, hook_event_name: event, ...more };
  return machine.run(["hook", "claude", event], { input: JSON.stringify(input) }).stdout;
}

const step = (machine: Machine, id: string) =>
  hook(machine, "PostToolUse", {
    tool_name: "Bash",
    tool_input: { command: `ls ${id}` },
    tool_use_id: id,
    tool_response: { stdout: "" },
  });

test("asks the agent for proof once, with its next step", async () => {
  const stage = await on((machine) => {
    hook(machine, "SessionStart", { source: "startup" });
    hook(machine, "UserPromptSubmit", { prompt: "go" });
    const todos = ["one", "two"].map((content) => ({
      content,
      status: content === "one" ? "completed" : "pending",
      activeForm: content,
    }));
    machine.tool("TodoWrite", { todos }, "--session", "demo");
  });
  const page = await stage.open({ bypassCSP: true });
  await page.goto(new URL(DEMO, stage.url()).href);
  await page.waitForSelector(".list .todo");
  await page.keyboard.press("j");
  const button = page.getByRole("button", { name: "Ask for proof" });
  await button.waitFor();
  await page.keyboard.press("V");
  await page.getByText("Asked for proof of “one”.").waitFor();
  const status = page.locator(".proof-actions [role=status]");
  await status.getByText(/^Asked \d\d:\d\d, sent with the agent's next step$/).waitFor();
  await expectAccessibleNow(page);
  // Undone before the agent has it: nothing is sent.
  await page.keyboard.press("u");
  await status.waitFor({ state: "detached" });
  expect(step(stage.machine, "u1")).not.toContain("Prove this todo");

  await button.click();
  await status.getByText(/next step/).waitFor();
  expect(await button.isDisabled()).toBe(true);
  expect(step(stage.machine, "u2")).toContain("Prove this todo");
  await status.getByText(/^Asked \d\d:\d\d, received by the agent$/).waitFor();
  expect(step(stage.machine, "u3")).not.toContain("Prove this todo");
  expect(await button.isDisabled()).toBe(false);
});

test("says where to ask an agent that keeps its own list", async () => {
  const stage = await on(editedRepository);
  const page = await stage.open();
  await page.goto(new URL(pagePath({ session: EDITING, agent: "main" }), stage.url()).href);
  await page.waitForSelector(".list .todo");
  await page.keyboard.press("j");
  await page.getByText("Claude Code keeps its own list. Ask for proof in its terminal.").waitFor();
  expect(await page.getByRole("button", { name: "Ask for proof" }).count()).toBe(0);
  // Without a check, the page says what can be done.
  await page.keyboard.press("v");
  await page
    .getByRole("dialog")
    .getByText("Can't verify: no check command. Add one or ask for proof.")
    .waitFor();
});
