import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { expectAccessibleNow, expectNoInjection, horizontalOverflow } from "./audit.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

test("says that the queue is paused, resumes it, and retries a failed task", async () => {
  const stage = await on(({ run }) => {
    run(["task", "add", "Import the ledger", "--max-attempts", "1"]);
    run(["task", "add", "Crop the photos"]);
    run(["task", "claim", "t1", "--as", "mole"]);
    run(["task", "fail", "t1", "--as", "mole", "--epoch", "1", "--reason", "two header rows"]);
    run(["task", "pause", "--as", "ann", "--reason", "<img src=x onerror=alert(1)>"]);
  });
  const { machine } = stage;
  const page = await stage.open({ bypassCSP: true });
  await page.goto(new URL("/tasks", stage.url()).href);
  const strip = page.locator(".strip[role=status]", { hasText: "Queue paused by ann" });
  await strip
    .getByText(/just now: <img src=x onerror=alert\(1\)>\. Claimed tasks continue\./)
    .waitFor();
  await expectNoInjection(page);
  await expectAccessibleNow(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => horizontalOverflow(page)).toBe(0);

  await strip.getByRole("button", { name: "Resume queue" }).click();
  await page.getByText("Resumed the queue.").waitFor();
  await strip.waitFor({ state: "detached" });
  expect(machine.json(["task", "queue"])).toMatchObject({ paused: null });
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.getByText("Paused the queue.").waitFor();
  await page.locator(".strip", { hasText: "onerror=alert(1)" }).waitFor();
  expect(machine.json(["task", "queue"])).toMatchObject({
    paused: { reason: "<img src=x onerror=alert(1)>" },
  });
  // Another process resumes it.
  machine.run(["task", "resume"]);
  await page.locator(".strip", { hasText: "Queue paused" }).waitFor({ state: "detached" });

  const failed = page.locator('.kanban .failed [data-task="t1"]');
  await failed.getByText("1 of 1 attempts: two header rows").waitFor();
  await failed.getByRole("button", { name: "Retry: t1" }).click();
  await page.getByRole("button", { name: /^Undo/ }).last().click();
  expect((machine.json(["task", "show", "t1"]) as Task).status).toBe("failed");
  await failed.getByRole("button", { name: "Retry: t1" }).click();
  await page.locator('.kanban .ready [data-task="t1"]').waitFor();
  expect((machine.json(["task", "show", "t1"]) as Task).status).toBe("open");
});
