import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Machine } from "../../cli/machine.ts";
import { until } from "../../until.ts";
import { expectSound, sideways } from "./judge.ts";
import { stageOfEach } from "./stage.ts";

const on = stageOfEach();

/** Gemini ships with its list off, Codex cannot be read; no other agent is there. */
function agentsOf({ root }: Machine): void {
  mkdirSync(join(root, ".gemini", "tmp"), { recursive: true });
  mkdirSync(join(root, ".codex"));
  symlinkSync("sessions", join(root, ".codex", "sessions"));
}

const row = (page: Page, agent: string) =>
  page.locator(".first li", { has: page.locator(".agent", { hasText: agent }) });
const play = (page: Page) => page.getByRole("button", { name: "Play the demo" });
const empty = (page: Page) => page.getByRole("heading", { level: 1, name: "No sessions yet" });

test("the empty page shows where Waymark looks and a command for each agent", async () => {
  const made = await on(agentsOf);
  const page = await made.open();
  await empty(page).waitFor();
  await page.getByText("2 agents found, 1 without a todo list, 1 unreadable").waitFor();
  await row(page, "Gemini").getByText("Its todo list is switched off.").waitFor();
  await row(page, "Gemini").getByText("~/.gemini/tmp").waitFor();
  await row(page, "Gemini")
    .getByText(/waymark(?:\.js)? setup gemini$/)
    .waitFor();
  await row(page, "Codex").getByText("Found, but ~/.codex/sessions cannot be read.").waitFor();
  await row(page, "Codex")
    .getByText(/waymark(?:\.js)? doctor$/)
    .waitFor();
  expect(await page.locator(".first li").count()).toBe(2);
  await page.getByRole("button", { name: "Show all" }).click();
  await row(page, "Qwen Code").getByText("Not installed").waitFor();
  await expectSound(made, { "/": ".first li" });
});

test("the empty page fits a phone, and names the agents that can be set up where none is there", async () => {
  const { open } = await on(() => {});
  const page = await open({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await row(page, "Claude Code").getByText("Not installed").waitFor();
  expect(await page.locator(".first li").count()).toBe(5);
  expect(await sideways(page)).toBe(0);
});

test("the empty page is read again when the user comes back, and gives way to the first session", async () => {
  const { open, machine } = await on(agentsOf);
  const page = await open();
  await row(page, "Gemini").getByText("switched off").waitFor();
  // As the server was started: what setup writes names the program.
  const env = { PATH: process.env.PATH ?? "" };
  expect(machine.run(["setup", "gemini", "--yes"], { env }).status).toBe(0);
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await row(page, "Gemini").getByText("Ready. Its todo list is on.").waitFor();
  machine.run(["todo", "add", "Lay the table", "--session", "first"]);
  await page.locator(".track").getByText("Lay the table").first().waitFor();
  await empty(page).waitFor({ state: "detached" });
});

test("commands are copied with and without the clipboard of the browser", async () => {
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

test("the demo plays on the page in place of the empty board, and leaves nothing", async () => {
  const before = demoFolders();
  const { open, machine, stop } = await on(() => {});
  const page = await open();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await empty(other).waitFor();
  await play(page).click();
  for (const tab of [page, other]) {
    await tab.getByRole("group", { name: "Demo" }).getByText("DEMO", { exact: true }).waitFor();
    await tab.locator(".track").getByText("Claude Code").first().waitFor();
    await tab.waitForFunction(() => /^(?:\(\d+\) )?DEMO · Waymark$/.test(document.title));
  }
  // A plan of the demo is decided in the demo alone.
  await page.getByRole("button", { name: "Approve" }).first().click();
  await page.getByRole("button", { name: "Approve" }).waitFor({ state: "detached" });
  expect(machine.json(["ls"])).toEqual([]);

  await page.getByRole("button", { name: "Leave demo" }).click();
  for (const tab of [page, other]) await empty(tab).waitFor();
  await page.waitForFunction(() => document.title === "Waymark");
  const left = () => demoFolders().filter((name) => !before.includes(name) && isOurs(name));
  const isOurs = (name: string) => existsSync(join(tmpdir(), name, "home", ".claude"));
  await until(() => left().length === 0, "the folders of the demo are removed");

  // Ending the server ends a demo that plays.
  await play(page).click();
  await page.getByRole("group", { name: "Demo" }).waitFor();
  await stop();
  await until(() => left().length === 0, "the folders of the demo are removed");
});

test("one line names agents whose list is switched off, until it is dismissed", async () => {
  const made = await on((machine) => {
    agentsOf(machine);
    machine.run(["todo", "add", "Lay the table", "--session", "mine"]);
  });
  const page = await made.open();
  const line = page.getByRole("region", { name: "Todo lists that are switched off" });
  await line.getByText(/^Gemini CLI has its todo list switched off\. Run/).waitFor();
  await line.getByText(/waymark(?:\.js)? setup gemini$/).waitFor();
  await expectSound(made, { "/": ".lists-off" });
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
