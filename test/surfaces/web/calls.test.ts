import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { claudeSession } from "../../cli/claude-session.ts";
import type { Machine } from "../../cli/machine.ts";
import { expectAccessibleNow, expectNoInjection, horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const SESSION = "cccccccc-1111-4111-8111-111111111111";
const TRACK = pagePath({ session: SESSION, agent: "main" });
const START = Date.now() - 600_000;

const at = (seconds: number) => START + seconds * 1_000;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `step ${index + 1}`).join("\n");

/** The output of a failed test run, with colors, a link, hidden characters and HTML in it. */
const FAILED = [
  "Exit code 1",
  numbered(80),
  "\u001b[41m FAIL \u001b[49m src/refunds/\u001b[1mkeys.test.ts\u001b[22m",
  "  \u001b[31m× allows one refund per payment\u001b[39m",
  "\u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007 <img src=x onerror=alert(1)>\u202e\u200b",
  numbered(100),
  "connecting to postgres://ann:hunter2@db.test/shop",
].join("\n");

function session(): string {
  const todos = (first: string) =>
    [
      ["Run the refund tests", first],
      ["Describe the keys", first],
    ] as const;
  return claudeSession(SESSION, "/srv/harbor")
    .prompt("Refund every payment once", at(0))
    .todos([["Run the refund tests", "in_progress"]], at(1))
    .failed("Bash", { command: "npm test -- refunds" }, at(2), FAILED)
    .call("Bash", { command: "cat <<EOF\nline two\nEOF" }, at(100), "line two")
    .call("Bash", { command: "npm test -- refunds" }, at(200), "Tests  3 passed (3)")
    .todos(todos("completed"), at(201))
    .text();
}

function fileOf({ root }: Machine): string {
  const dir = join(root, ".claude", "projects", "-p");
  mkdirSync(dir, { recursive: true });
  return join(dir, `${SESSION}.jsonl`);
}

function prepare(machine: Machine): void {
  writeFileSync(fileOf(machine), session());
}

test("opens a call from the list, the timeline and the evidence of a todo", async () => {
  const stage = await on(prepare);
  const page = await stage.open({
    bypassCSP: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.goto(new URL(TRACK, stage.url()).href);
  const rows = page.locator(".calls-list .call-row");
  await rows.filter({ hasText: "npm test -- refunds" }).last().click();
  const drawer = page.locator(".drawer");
  await drawer.locator(".proof-facts", { hasText: "exit code 1" }).waitFor();
  await drawer.getByText("Failed", { exact: true }).waitFor();
  // Starts shortly before the first failure.
  expect(await drawer.locator(".log-head > span").textContent()).toBe(
    "Lines 79–138 of 185. 2 failures.",
  );
  expect(await drawer.locator(".log-line").nth(0).textContent()).toBe("step 78\n");
  const red = drawer.locator(".ansi-red", { hasText: "allows one refund per payment" });
  await red.waitFor();
  expect(await drawer.locator(".is-failure").count()).toBe(2);
  await drawer.getByText("link <img src=x onerror=alert(1)>\\u{202e}\\u{200b}").waitFor();
  expect(await drawer.locator("a, img").count()).toBe(0);
  await expectNoInjection(page);
  await expectAccessibleNow(page);

  await drawer.getByRole("button", { name: "Show all" }).click();
  await drawer
    .getByText("connecting to postgres://ann:...@db.test/shop")
    .waitFor({ state: "attached" });
  expect(await drawer.locator(".log-line").count()).toBe(185);
  await page.keyboard.press("y");
  await drawer.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(" FAIL  src/refunds/keys.test.ts\n  × allows one refund per payment\n");
  expect(copied).not.toContain("hunter2");

  // The keys of the page keep working: the drawer follows, escape closes it and the row has the focus.
  await page.keyboard.press("k");
  await drawer.getByText("line two").first().waitFor();
  await drawer.getByLabel("Command").getByText("cat <<EOF").waitFor();
  await page.keyboard.press("j");
  await drawer.locator(".proof-facts", { hasText: "exit code 1" }).waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  const focused = page.locator(".call-row:focus");
  expect(await focused.textContent()).toContain("npm test -- refunds");

  await page.locator(".calls.check .mark-call").first().click();
  await drawer.locator(".proof-facts", { hasText: "exit code 1" }).waitFor();
  await page.keyboard.press("Escape");

  // The evidence of a todo: the drawer follows the selection of todos.
  await page.locator(".list .todo").first().focus();
  await page.getByRole("button", { name: "Show the output of npm test" }).click();
  await drawer.getByText("Run the refund tests").waitFor();
  await drawer.getByText("Tests 3 passed (3)").waitFor();
  await drawer.getByText("Passed", { exact: true }).waitFor();
  await page.keyboard.press("j");
  await drawer.getByText("Describe the keys").waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });

  // A long output has its beginning and its end.
  writeFileSync(
    fileOf(stage.machine),
    session() +
      claudeSession(SESSION, "/srv/harbor")
        .call("Bash", { command: "yes" }, at(300), "y\n".repeat(1_300_000))
        .text()
        .replaceAll("toolu_1", "toolu_yes"),
  );
  await page.reload();
  await rows.filter({ hasText: "yes" }).click();
  await drawer.getByText(/not shown/).waitFor();
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 844 });
    await expect.poll(() => horizontalOverflow(page)).toBe(0);
  }
  await expectAccessibleNow(page);
});

test("says why the output of a call cannot be shown", async () => {
  const stage = await on((machine) => {
    const open = claudeSession(SESSION, "/srv/harbor").prompt("Go", at(0));
    open.call("Bash", { command: "sleep 900" }, at(1));
    writeFileSync(fileOf(machine), open.text());
  });
  const page = await stage.open();
  await page.goto(new URL(TRACK, stage.url()).href);
  const row = page.locator(".calls-list .call-row", { hasText: "sleep 900" });
  await row.click();
  const drawer = page.locator(".drawer");
  await drawer.getByText("Still running. Its output appears when it ends.").waitFor();
  // The end of the call reaches the open drawer.
  const ended = claudeSession(SESSION, "/srv/harbor").prompt("Go", at(0));
  ended.call("Bash", { command: "sleep 900" }, at(1), "awake");
  const file = fileOf(stage.machine);
  writeFileSync(file, ended.text());
  await drawer.getByText("awake").waitFor();
  writeFileSync(file, claudeSession(SESSION, "/srv/harbor").prompt("Go", at(0)).text());
  await page.keyboard.press("Escape");
  await row.click();
  await drawer.getByText("The agent's file does not contain this call.").waitFor();
});
