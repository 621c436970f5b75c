import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { expectAccessibleNow, expectNoInjection, horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";
import { endUndoPeriod, pauseUndoPeriod } from "./undo-time.ts";

const on = stagePerTest();
const DEMO = pagePath({ session: "demo", agent: "main" });

const ONE = `Guests pay with an email address only. Accounts are created in the background.

1. Split CheckoutForm into address and payment
2. Allow an order without a user
3. Create an account for every guest in the background
4. Send the receipt to the account's address
5. Prove it end to end
`;
const TWO = `Guests pay with an email address only. Accounts stay as they are.

1. Prove it end to end
2. Split CheckoutForm into address and payment
3. Allow an order without a user and keep the old foreign key
4. Send the receipt to the address on the order
5. Add a rate limit <img src=x onerror=alert(1)>\u202e\u200b
`;
const THREE = `${TWO.replace(/<.*/, "for guests")}6. Describe it\n`;

function propose(machine: Machine, text: string): void {
  machine.run(["plan", "propose", "-", "--session", "demo"], { input: text });
}

test("compares a plan with its earlier revisions, with the comments on each step", async () => {
  const stage = await on((machine) => {
    propose(machine, ONE);
    machine.run(["plan", "comment", "The reports join on it.", "demo", "--step", "2"]);
    machine.run(["plan", "comment", "Why in the background?", "demo", "--step", "3"]);
    machine.run(["plan", "reject", "demo", "--comment", "No accounts"]);
    propose(machine, TWO);
  });
  const page = await stage.open({ bypassCSP: true });
  await pauseUndoPeriod(page);
  await page.goto(new URL(DEMO, stage.url()).href);
  const plan = page.locator("#plan");
  await plan.getByText("Revision 2 compared with revision 1").waitFor();
  expect(await plan.locator(".diff-counts").textContent()).toBe(
    "+1 added−1 removed~2 changed↕1 moved1 unchanged",
  );
  await plan.getByText(/You rejected revision 1 at .*“No accounts”/).waitFor();
  const steps = await plan.locator(".step").evaluateAll((rows) =>
    rows.map((row) => {
      const part = (name: string) => row.querySelector(name)?.textContent ?? "";
      return [row.className, part(".old"), part(".new"), part(".sign")].join(" ").trim();
    }),
  );
  expect(steps).toEqual([
    "step is-same 5 1",
    "step is-same 1 2",
    "step is-changed 2 3 ~",
    "step is-removed 3  −",
    "step is-changed 4 4 ~",
    "step is-added  5 +",
  ]);
  expect(await plan.locator(".is-changed ins").first().textContent()).toBe(
    "and keep the old foreign key",
  );
  await plan.locator(".step").first().getByText("moved from 5").waitFor();
  // A comment stays with its step; a removed step keeps its comments, folded.
  const changed = plan.locator(".step").nth(2);
  expect(await changed.locator(".thread li").textContent()).toMatch(
    /^You on revision 1, \d\d:\d\dThe reports join on it\.$/,
  );
  const removed = plan.locator(".is-removed");
  expect(await removed.getByText("Why in the background?").isVisible()).toBe(false);
  await removed.getByText("1 comment").click();
  await removed.getByText("Why in the background?").waitFor();
  await plan.getByText("Add a rate limit <img src=x onerror=alert(1)>\\u{202e}\\u{200b}").waitFor();
  await expectNoInjection(page);
  await expectAccessibleNow(page);

  await plan.getByRole("button", { name: "Comment on step 3" }).click();
  expect(await plan.getByLabel("Applies to").inputValue()).toBe("3");
  await page.keyboard.type("Also the index");
  await plan.getByRole("button", { name: "Comment", exact: true }).click();
  await changed.getByText("Also the index").waitFor();
  await plan.getByRole("button", { name: "Nothing" }).click();
  await plan.locator(".plan-text").getByText("Accounts stay as they are.").waitFor();
  await plan.getByRole("button", { name: "Revision 1" }).click();

  // A revision that arrives while the user reads is not shown, and not decided, until the user asks for it.
  propose(stage.machine, THREE);
  await plan.getByText("Revision 3 arrived.").waitFor();
  expect(await plan.getByText("Describe it").count()).toBe(0);
  for (const name of ["Approve", "Reject"])
    expect(await plan.getByRole("button", { name }).isDisabled()).toBe(true);
  await page.locator("h1").click();
  await page.keyboard.press("a");
  await plan.getByRole("button", { name: "Show", exact: true }).click();
  await plan.locator(".is-added", { hasText: "Describe it" }).waitFor();
  await plan.getByRole("button", { name: "Revision 2" }).click();
  await plan.getByText("Revision 3 compared with revision 2").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(page)).toBe(0);
  await expectAccessibleNow(page);
  await plan.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await endUndoPeriod(page);
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
  await page.getByText("Plan approved.").waitFor();
  expect(stage.machine.json(["plan", "show", "demo"])).toMatchObject({
    plan: { state: "approved", revision: 3, text: THREE.trim() },
  });
});
