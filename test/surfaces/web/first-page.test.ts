import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Machine } from "../../cli/machine.ts";
import { until } from "../../until.ts";
import { expectAccessible, horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";
import { endUndoPeriod, pauseUndoPeriod } from "./undo-time.ts";

const on = stagePerTest();

/** Gemini CLI with its list off, and Codex with an unreadable folder. */
function agentsOf({ root }: Machine): void {
  mkdirSync(join(root, ".gemini", "tmp"), { recursive: true });
  mkdirSync(join(root, ".codex"));
  symlinkSync("sessions", join(root, ".codex", "sessions"));
}

const row = (page: Page, agent: string) =>
  page.locator(".empty-page li", { has: page.locator(".agent", { hasText: agent }) });
const play = (page: Page) => page.getByRole("button", { name: "Play the demo" });
const empty = (page: Page) => page.getByRole("heading", { level: 1, name: "No sessions yet" });

test("shows the path and a command for each agent on the empty page", async () => {
  const stage = await on(agentsOf);
  const page = await stage.open();
  await empty(page).waitFor();
  await page.getByText("2 agents found, 1 without a todo list, 1 unreadable").waitFor();
  await row(page, "Gemini").getByText("Its todo list is off.").waitFor();
  await row(page, "Gemini").getByText("~/.gemini/tmp").waitFor();
  await row(page, "Gemini")
    .getByText(/waymark(?:\.js)? setup gemini$/)
    .waitFor();
  await row(page, "Codex").getByText("Found, but ~/.codex/sessions cannot be read.").waitFor();
  await row(page, "Codex")
    .getByText(/waymark(?:\.js)? doctor$/)
    .waitFor();
  expect(await page.locator(".empty-page li").count()).toBe(2);
  await page.getByRole("button", { name: "Show all" }).click();
  await row(page, "Qwen Code").getByText("Not installed").waitFor();
  await expectAccessible(stage, { "/": ".empty-page li" });
});

test("fits the empty page on a phone and lists supported agents if none is installed", async () => {
  const { open } = await on(() => {});
  const page = await open({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await row(page, "Claude Code").getByText("Not installed").waitFor();
  expect(await page.locator(".empty-page li").count()).toBe(14);
  expect(await horizontalOverflow(page)).toBe(0);
});

test("reloads the empty page on focus and replaces it with the first session", async () => {
  const { open, machine } = await on(agentsOf);
  const page = await open();
  await row(page, "Gemini").getByText("is off").waitFor();
  // With the PATH of the server: setup writes the path of the program.
  const env = { PATH: process.env.PATH ?? "" };
  expect(machine.run(["setup", "gemini", "--yes"], { env }).status).toBe(0);
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await row(page, "Gemini").getByText("Ready. Its todo list is on.").waitFor();
  machine.run(["todo", "add", "Lay the table", "--session", "first"]);
  await page.locator(".track").getByText("Lay the table").first().waitFor();
  await empty(page).waitFor({ state: "detached" });
});

test("copies commands with and without clipboard permission", async () => {
  const { open } = await on(agentsOf);
  for (const isDenied of [false, true]) {
    const page = await open();
    const context = page.context();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    if (isDenied)
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error("denied"));
      });
    const copy = row(page, "Gemini").getByRole("button", { name: /^Copy / });
    await copy.focus();
    await page.keyboard.press("Enter");
    await row(page, "Gemini")
      .getByRole("status")
      .filter({ hasText: /^Copied: .*setup gemini$/ })
      .waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/waymark(?:\.js)? setup gemini$/);
    expect(await copy.evaluate((each) => each === document.activeElement)).toBe(true);
  }
});

const demoFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("waymark-demo-"));

test("plays the demo instead of the empty board and leaves no files", async () => {
  const before = demoFolders();
  const { open, machine, stop } = await on(() => {});
  const page = await open();
  await pauseUndoPeriod(page);
  await page.reload();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await empty(other).waitFor();
  await play(page).click();
  for (const tab of [page, other]) {
    await tab.getByRole("group", { name: "Demo" }).getByText("DEMO", { exact: true }).waitFor();
    await tab.locator(".track").getByText("Claude Code").first().waitFor();
    await tab.waitForFunction(() => /^(?:\(\d+\) )?DEMO · Waymark$/.test(document.title));
  }
  // Approving a plan of the demo changes only the demo.
  const sent = page.waitForResponse(
    (response) => response.request().postDataJSON()?.decision === "approve",
  );
  await page.getByRole("button", { name: "Approve" }).first().click();
  await page.getByRole("button", { name: "Approve" }).waitFor({ state: "detached" });
  await endUndoPeriod(page);
  expect((await sent).ok()).toBe(true);
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
  expect(machine.json(["ls"])).toEqual([]);

  await page.getByRole("button", { name: "Leave demo" }).click();
  for (const tab of [page, other]) await empty(tab).waitFor();
  await page.waitForFunction(() => document.title === "Waymark");
  const left = () => demoFolders().filter((name) => !before.includes(name) && isOurs(name));
  const isOurs = (name: string) => existsSync(join(tmpdir(), name, "home", ".claude"));
  await until(() => left().length === 0, "the folders of the demo are removed");

  // A decision that was not sent ends with the demo.
  await play(page).click();
  await page.getByRole("button", { name: "Approve" }).first().click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await page.getByRole("button", { name: "Leave demo" }).click();
  await empty(page).waitFor();
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });

  // Stopping the server stops a running demo.
  await play(page).click();
  await page.getByRole("group", { name: "Demo" }).waitFor();
  await stop();
  await until(() => left().length === 0, "the folders of the demo are removed");
});

test("names agents whose todo list is off until dismissed", async () => {
  const stage = await on((machine) => {
    agentsOf(machine);
    machine.run(["todo", "add", "Lay the table", "--session", "mine"]);
  });
  const page = await stage.open();
  const line = page.getByRole("region", { name: "Agents whose todo list is off" });
  await line.getByText(/^Todo list off: Gemini CLI\. To turn it on, run/).waitFor();
  await line.getByText(/waymark(?:\.js)? setup gemini$/).waitFor();
  await expectAccessible(stage, { "/": ".lists-off" });
  await line.getByRole("button", { name: /^Dismiss/ }).focus();
  await page.keyboard.press("Enter");
  await line.waitFor({ state: "detached" });
  await page.reload();
  await page.locator(".track").waitFor();
  const asked = page.waitForResponse(/\/api\/agents$/);
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await asked;
  await line.waitFor({ state: "detached" });
});
