import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { gitIn } from "../../git/repositories.ts";
import { expectAccessibleNow, horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const DEMO = pagePath({ session: "demo", agent: "main" });

/** A repository whose own check is not trusted, and a session with a completed todo. */
function repository(machine: Machine): void {
  const { cwd } = machine;
  gitIn(cwd, "init", "-q");
  mkdirSync(join(cwd, ".waymark"));
  writeFileSync(join(cwd, ".waymark", "checks.toml"), '[checks.lint]\ncommand = "touch ../lint"\n');
  writeFileSync(join(cwd, "a.test.js"), 'it("adds", () => expect(1 + 1).toBe(2));\n');
  gitIn(cwd, "add", ".");
  gitIn(cwd, "-c", "user.name=a", "-c", "user.email=a@a.test", "commit", "-qm", "first");
  machine.run(["todo", "add", "Paint", "Dry", "--session", "demo"]);
  machine.run(["todo", "done", "1", "--session", "demo"]);
}

test("verifies a todo with progress, cancel and result in every tab", async () => {
  const stage = await on(repository);
  const [one, two] = [await stage.open({ bypassCSP: true }), await stage.open()];
  for (const page of [one, two]) {
    await page.goto(new URL(DEMO, stage.url()).href);
    await page.waitForSelector(".list .todo");
  }
  const go = join(stage.machine.root, "go");
  await one.locator(".list .todo").first().focus();
  await one.keyboard.press("v");
  const dialog = one.getByRole("dialog");
  // The only check is one of the repository: its whole command and origin, and nothing runs.
  await dialog.getByText("The check lint of .waymark/checks.toml is not trusted.").waitFor();
  await dialog.getByText("touch ../lint").waitFor();
  await dialog.getByText("from .waymark/checks.toml, not trusted").waitFor();
  await expectAccessibleNow(one);
  await dialog
    .getByRole("textbox", { name: "Command" })
    .fill(`until test -e ${go}; do sleep 0.1; done; echo 140 passed`);
  await dialog.getByLabel("Name", { exact: true }).fill("test");
  await one.keyboard.press("Enter");
  const added = dialog.getByRole("listitem", { name: "test" });
  await added.getByText("added by you").waitFor();
  await added.getByRole("button", { name: "Verify with test" }).click();
  await dialog.waitFor({ state: "detached" });

  for (const page of [one, two])
    await page.locator(".todo .fact", { hasText: "Verifying…" }).waitFor();
  await two.locator(".list .todo").first().focus();
  await two.locator(".proof-card .verifying", { hasText: /Verifying… \d+s/ }).waitFor();
  await two.locator(".proof-card").getByRole("button", { name: "Cancel" }).click();
  for (const page of [one, two]) await page.getByText("Verification cancelled.").waitFor();

  // On the board, `v` verifies the completed todos of the selected session.
  await two.keyboard.press("Escape");
  await two.keyboard.press("Escape");
  await two.locator(".track.selected").waitFor();
  await two.keyboard.press("v");
  await two.locator(".track .verifying").getByText("Verifying…").waitFor();
  writeFileSync(go, "");
  for (const page of [one, two]) await page.getByText(/140 passed passed in \d+s/).waitFor();
  await two.locator(".track .verifying").waitFor({ state: "detached" });
  // The result is stored, and all tabs show it.
  const todo = one.locator(".list .todo").first();
  await todo.getByText("Reproduced").waitFor();
  await expect
    .poll(() => two.locator(".track .progress .num").first().textContent())
    .toBe("1 of 2 · 1 reproduced");

  // A test was switched off: the check passes, but proves nothing until the user accepts it.
  const skipped = 'it.skip("adds", () => expect(1 + 1).toBe(2));\n';
  writeFileSync(join(stage.machine.cwd, "a.test.js"), skipped);
  await todo.focus();
  await one.keyboard.press("v");
  await todo.getByText("1 warning, check passed").waitFor();
  await one.getByRole("region", { name: "Warnings" }).getByText("a.test.js:1").waitFor();
  await one.getByRole("button", { name: "Accept" }).click();
  await one.getByText("Warnings accepted.").waitFor();
  await todo.getByText("Reproduced").waitFor();
  await one.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(one)).toBe(0);
});

test("offers no verification in the demo", async () => {
  const stage = await on(() => {});
  const page = await stage.open();
  await page.getByRole("button", { name: /demo/i }).first().click();
  await page.locator(".track").first().waitFor();
  await page.keyboard.press("v");
  expect(await page.getByRole("button", { name: "Verify" }).count()).toBe(0);
  expect(await page.getByRole("dialog").count()).toBe(0);
});
