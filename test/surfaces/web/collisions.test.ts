import { join } from "node:path";
import { expect, test } from "vitest";
import type { Machine } from "../../cli/machine.ts";
import { expectAccessibleNow, expectNoInjection, horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

function edit(machine: Machine, agent: string, session: string): void {
  const call = {
    session_id: session,
    cwd: machine.cwd,
    tool_name: "Edit",
    tool_use_id: session,
    tool_input: {
      file_path: join(machine.cwd, "src/<img src=x onerror=alert(1)>.ts"),
      old_string: "a",
      new_string: "b",
    },
    tool_response: {},
  };
  machine.run(["hook", agent, "PostToolUse"], { input: JSON.stringify(call) });
}

test("shows a file that two agents are working on, and dismisses it", async () => {
  const stage = await on((machine) => edit(machine, "claude", "first"));
  const page = await stage.open({ bypassCSP: true });
  await page.goto(stage.url());
  await page.getByText("first").first().waitFor();
  const strip = page.getByRole("region", { name: "Collisions" });
  expect(await strip.count()).toBe(0);
  edit(stage.machine, "codex", "second");
  await strip.getByText("2 agents are working on src/<img src=x onerror=alert(1)>.ts").waitFor();
  await strip.getByText(/Codex \d+s ago, Claude Code \d+s ago/).waitFor();
  await expectNoInjection(page);
  await expectAccessibleNow(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(page)).toBe(0);
  await strip.getByRole("button", { name: /^Dismiss/ }).click();
  await strip.waitFor({ state: "detached" });
});
