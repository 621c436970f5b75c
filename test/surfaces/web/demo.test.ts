import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { PROGRAM } from "../../cli/machine.ts";
import { start } from "../../cli/running.ts";
import { horizontalOverflow } from "./audit.ts";
import { browserPerFile } from "./browser.ts";

const browser = browserPerFile();

/** Runs `waymark demo --page` without a terminal and opens its page. */
async function openDemo(speed: number): Promise<Page> {
  const root = mkdtempSync(join(tmpdir(), "waymark-page-demo-"));
  mkdirSync(join(root, ".gemini", "tmp"), { recursive: true });
  const env = { HOME: root, WAYMARK_HOME: join(root, "waymark") };
  const args = [PROGRAM, "demo", "--page", "--speed", String(speed)];
  const program = start(process.execPath, args, env);
  const context = await browser().newContext({ viewport: { width: 390, height: 844 } });
  onTestFinished(async () => {
    await context.close();
    program.child.kill("SIGINT");
    await program.finished;
    rmSync(root, { recursive: true, force: true });
  });
  let printed = "";
  program.child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  await expect.poll(() => printed).toMatch(/\/open#\S+/);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(/http:\S+\/open#\S+/.exec(printed)?.[0] ?? "");
  await page.locator(".link-state.live").waitFor({ state: "attached" });
  return page;
}

test("marks the demo, shows the next steps at its end, and stops the clock", async () => {
  const page = await openDemo(20);
  const badge = page.getByRole("group", { name: "Demo" });
  await badge.getByText("DEMO", { exact: true }).waitFor();
  await page.waitForFunction(() => document.title.includes("DEMO · Waymark"));
  const card = page.getByRole("dialog", { name: "That was the demo" });
  await card.waitFor();
  // The agent on this machine, not one of the recording.
  await card.getByText("Give Gemini CLI a todo list").waitFor();
  await card.getByText(/waymark(?:\.js)? setup gemini$/).waitFor();
  await card.getByText("gemini", { exact: true }).waitFor();
  await card.getByText(/waymark(?:\.js)? serve$/).waitFor();
  // Commands of Waymark run in the clone, the agent in a project.
  const steps = (await card.locator("li").allTextContents()).map((text) => text.split(", run in"));
  expect(steps.map(([, folder = ""]) => folder.startsWith(` ${process.cwd()}`))).toEqual([
    true,
    false,
    true,
  ]);
  await card.getByText("Start it in one of your projects").waitFor();
  await card.getByText("To see your own:").waitFor();
  expect(await horizontalOverflow(page)).toBe(0);
  // The dialog has focus, and Escape closes it.
  await card.locator("button:focus").waitFor();
  await page.keyboard.press("Escape");
  await card.waitFor({ state: "detached" });

  await badge.getByText("over").waitFor();
  await page.locator(".track").first().waitFor();
  expect(await page.locator(".tracks .i-active").count()).toBe(0);
  // Times are the same an hour later.
  const states = () => page.locator(".track > .state").allTextContents();
  const shown = await states();
  expect(shown.length).toBe(4);
  await page.clock.install({ time: Date.now() + 3_600_000 });
  await page.reload();
  await badge.getByText("over").waitFor();
  await expect.poll(states).toEqual(shown);
  expect(await card.count()).toBe(0);
  await badge.getByRole("button", { name: "Next steps" }).click();
  await card.waitFor();
});

test("delays the end card while the user types", async () => {
  const page = await openDemo(20);
  const field = page.getByRole("searchbox");
  await field.focus();
  await page.getByRole("group", { name: "Demo" }).getByText("over").waitFor();
  const card = page.getByRole("dialog", { name: "That was the demo" });
  expect(await card.count()).toBe(0);
  await field.blur();
  await card.waitFor();
});
