import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { expectAccessibleNow, expectNoInjection, horizontalOverflow } from "./audit.ts";
import { addProofs, refundProofs } from "./proofs.ts";
import { stagePerTest } from "./stage.ts";
import { createTeam } from "./team.ts";

const on = stagePerTest();
const TRACK = pagePath({ session: "7f3a91c2-guest-refunds", agent: "main" });

test("draws evidence as a ladder, and shows the run of the selected todo", async () => {
  const stage = await on(({ home }) => createTeam(home, Date.now()));
  const page = await stage.open({ bypassCSP: true });
  await addProofs(page, refundProofs(Date.now()));
  await page.reload();
  const row = page.locator(".track", { hasText: "Refund every payment once" }).first();
  await expect
    .poll(() => row.locator(".progress .num").first().textContent())
    .toBe("5 of 11 · 3 verified · 1 check failing");
  const cells = (classes: string) => row.locator(`> .progress > .bar > .${classes}`).count();
  await expect.poll(() => cells("reproduced")).toBe(1);
  expect(await Promise.all(["verified", "stale", "failed", "done"].map(cells))).toEqual([
    2, 2, 1, 0,
  ]);

  await page.goto(new URL(TRACK, stage.url()).href);
  await page
    .getByText("5 of 11 done. 1 reproduced, 2 verified, 1 stale, 1 with warnings.")
    .waitFor();
  await page.getByText("1 check failing.").waitFor();
  const todo = (text: string) => page.locator(".list .todo", { hasText: text });
  const label = (text: string) => todo(text).locator(".mark").getAttribute("aria-label");
  expect(await label("Reproduce the double refund")).toContain("Status: done, reproduced.");
  expect(await label("Write down the key format")).toContain("Status: done, evidence is stale.");
  expect(await label("Add the column")).toContain("done, check passed with warnings");
  expect(await label("Write the way back")).toContain("Status: check failed.");
  await todo("Write down the key format")
    .getByText(/Stale: 3 edits since \d\d:\d\d/)
    .waitFor();
  // The chart counts what the list counts.
  await page.getByRole("img", { name: "11 todos, 5 done, 3 verified" }).waitFor();
  for (const how of ["reproduced", "stale", "warned", "verified"])
    expect(await page.locator(`.timeline .end.is-${how}`).count()).toBeGreaterThan(0);

  // The selected todo shows its run; the panel follows the selection.
  await todo("Write the way back").focus();
  const proof = page.getByRole("complementary", { name: "npm test -- refunds" });
  await proof.getByText("Failed", { exact: true }).waitFor();
  for (const fact of ["exit code 1", "14.2s", "at 9c41e07", "on harbor"])
    await expect.poll(() => proof.locator(".proof-facts").first().textContent()).toContain(fact);
  const output = (await proof.getByLabel("Output of npm test -- refunds").textContent()) ?? "";
  expect(output).toContain("✕ allows one refund per payment");
  // No sequence has an effect, and hidden characters are visible.
  expect(output).not.toMatch(/[\u001b\u202e\u200b]|example\.com|\[2J/);
  expect(output).toContain("100% \\u{202e}gnirts \\u{200b}<img src=x onerror=alert(1)>");
  expect(output).not.toContain("50%");
  await expectNoInjection(page);

  await page.keyboard.press("k");
  const warnings = page.getByRole("region", { name: "Warnings" });
  await warnings.getByText("src/refunds/keys.test.ts:61").waitFor();
  await warnings.getByText('it.skip("two clients", …').waitFor();
  await expect.poll(() => warnings.textContent()).toContain("\\u{202e}txt.exe");

  // Escape closes the panel and the focus returns to the todo; `o` opens it again.
  await page.keyboard.press("Escape");
  await warnings.waitFor({ state: "detached" });
  await expect
    .poll(() => todo("Add the column").evaluate((it) => it === document.activeElement))
    .toBe(true);
  await page.keyboard.press("o");
  await warnings.waitFor();

  await expectAccessibleNow(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await warnings.waitFor();
  await expect.poll(() => horizontalOverflow(page)).toBe(0);
});
