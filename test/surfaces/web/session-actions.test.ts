import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeSession } from "../../cli/claude-session.ts";
import type { Machine } from "../../cli/machine.ts";
import { openTty } from "../../cli/tty.ts";
import { needs } from "../../skipped.ts";
import { NO_TMUX, openTmux } from "../../terminals/tmux.ts";
import { until } from "../../until.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

const SESSION = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";

function writeSession({ root }: Machine, cwd: string): void {
  const now = Date.now() - 60_000;
  const file = claudeSession(SESSION, cwd)
    .prompt("Fix the shed", now)
    .todos([["Find the nails", "completed"]], now);
  const dir = join(root, ".claude", "projects", "-p");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${SESSION}.jsonl`), file.text());
}

test("copies the resume command, archives a session, undoes it and shows what is archived", async () => {
  const stage = await on((machine) => writeSession(machine, "/srv/my shop"));
  const page = await stage.open();
  await page.locator(".track").getByText("Fix the shed").waitFor();
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: async (text: string) => void Object.assign(window, { copied: text }) },
    });
  });
  await page.getByRole("button", { name: "Copy resume command" }).first().click();
  await expect
    .poll(() => page.evaluate(() => (window as { copied?: string }).copied))
    .toBe(`cd '/srv/my shop' && claude --resume ${SESSION}`);
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await page.getByText("1 archived session.").waitFor();
  expect(await page.locator(".track").count()).toBe(0);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.locator(".track").getByText("Fix the shed").waitFor();
  await page.locator(".track a.title").focus();
  await page.keyboard.press("A");
  await page.getByText("1 archived session.").waitFor();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".track a.title").click();
  await page.locator("h1").getByText("Fix the shed").waitFor();
  await page.getByRole("button", { name: "Show again" }).click();
  await page.getByRole("button", { name: "Archive", exact: true }).waitFor();
});

test("goes to the tmux pane of an agent, and says if it is closed", needs(NO_TMUX), async () => {
  const stage = await on((machine) => writeSession(machine, machine.cwd));
  const { socket, agent, env, tmux, end } = openTmux(stage.machine);
  const windows = () => tmux("list-windows", "-F", "#{window_name} #{pane_current_command}");
  const active = () => tmux("display-message", "-p", "-t", "work:", "#{window_name}");
  let tty: ReturnType<typeof openTty> | undefined;
  try {
    tmux("new-session", "-d", "-s", "work", "-n", "agent", "-x", "80", "-y", "24", agent, "600");
    tmux("new-window", "-n", "other", "sleep", "600");
    await until(() => windows() === "agent claude\nother sleep", "both windows");
    tty = openTty(`tmux -S ${socket} attach -t work`, { columns: 80, rows: 25, env });
    await until(() => tmux("list-clients") !== "", "the window of the user");
    await stage.stop();
    await stage.serve(0, { env: { TMUX: `${socket},1,0` } });
    const page = await stage.open();
    await page.locator(".track").getByText("Fix the shed").waitFor();
    const go = page.getByRole("button", { name: /^Go to tmux pane work:0\.0/ });
    await go.waitFor();
    expect(active()).toBe("other");
    await go.click();
    await page.locator(".toast").getByText("Went to tmux pane work:0.0.").waitFor();
    expect(active()).toBe("agent");
    tmux("kill-window", "-t", "work:agent");
    await go.click();
    await page.locator(".toast.problem").getByText("The pane is closed.").waitFor();
    expect(active()).toBe("other");
  } finally {
    tty?.child.kill("SIGKILL");
    end();
  }
});
