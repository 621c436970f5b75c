import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeSession } from "../../cli/claude-session.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

const SESSION = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";

test("copies the resume command, archives a session, undoes it and shows what is archived", async () => {
  const stage = await on((machine) => {
    const now = Date.now() - 60_000;
    const file = claudeSession(SESSION, "/srv/my shop")
      .prompt("Fix the shed", now)
      .todos([["Find the nails", "completed"]], now);
    const dir = join(machine.root, ".claude", "projects", "-p");
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `${SESSION}.jsonl`), file.text());
  });
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
