import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { claudeSession } from "../../cli/claude-session.ts";
import type { Machine } from "../../cli/machine.ts";
import { horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const PRICED = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";
const UNKNOWN = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a02";

/** Sessions with usage of a priced, of an unknown and of no model. */
function spend(machine: Machine): void {
  const at = Date.now() - 60_000;
  const write = (session: string, text: string): void => {
    const file = join(machine.root, ".claude", "projects", "-home-dev-shop", `${session}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const tokens = { input_tokens: 1_000_000, output_tokens: 100_000, cache_read_input_tokens: 0 };
  const begin = (session: string) => claudeSession(session, "/home/dev/shop").prompt("go", at);
  const priced = begin(PRICED)
    .used("claude-sonnet-4-5", { ...tokens, output_tokens: 0 }, at)
    .todos([["Lay the table", "in_progress"]], at + 1_000)
    .used("claude-sonnet-4-5", tokens, at + 2_000);
  write(PRICED, priced.text());
  const unknown = begin(UNKNOWN)
    .todos([["Pour", "in_progress"]], at)
    .used("house-red", tokens, at);
  write(UNKNOWN, unknown.text());
  machine.run(["todo", "add", "free", "--session", "none"]);
}

test("shows the cost of sessions and todos, estimated, and tokens where no price is known", async () => {
  const stage = await on(spend);
  const page = await stage.open();
  const spent = (title: string) =>
    page.locator(".track", { hasText: title }).locator(".spent").textContent();
  await page.locator(".track").nth(2).waitFor();
  await expect.poll(() => spent("Lay the table")).toBe("≈$7.50");
  expect(await spent("Pour")).toBe("1.1M tok");
  expect(await spent("free")).toBe("");
  // The sum says that a part of it has no price.
  await expect.poll(() => page.locator(".head .total").textContent()).toBe("≈$7.50+");
  expect(
    await page.locator(".track", { hasText: "Lay" }).locator(".cost").getAttribute("title"),
  ).toBe("Estimated from tokens. 2.0M input, 100k output, 2 requests.");
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.goto(new URL(pagePath({ session: PRICED, agent: "main" }), stage.url()).href);
  await expect.poll(() => page.locator(".hero .cost").textContent()).toBe("≈$7.50");
  // The request before the list belongs to no todo.
  await expect.poll(() => page.locator(".list .todo .cost").textContent()).toBe("≈$4.50");
});
