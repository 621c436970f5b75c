import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

const S = ["--session", "demo"];
const write = (machine: Machine, plan: unknown, explanation?: string) =>
  machine.tool("update_plan", { plan, ...(explanation && { explanation }) }, ...S);
const GOOD = [{ step: "Read", status: "in_progress" }];

test("warns of a refused list write until the next accepted one", async () => {
  const stage = await on((machine) => {
    write(machine, GOOD);
  });
  const page = await stage.open();
  await page.waitForSelector(".track");
  expect(await page.locator(".refused").count()).toBe(0);
  write(stage.machine, "none");
  await page.locator(".track .refused").getByText("List update refused: plan").waitFor();
  await page.goto(new URL(pagePath({ session: "demo", agent: "main" }), stage.url()).href);
  await page.locator(".hero .refused").getByText("List update refused: plan").waitFor();
  write(stage.machine, GOOD);
  await page.locator(".refused").waitFor({ state: "detached" });
});

test("shows the explanation of a list", async () => {
  const stage = await on((machine) => {
    write(machine, GOOD, "First <b>look</b>.");
  });
  const page = await stage.open();
  await page.goto(new URL(pagePath({ session: "demo", agent: "main" }), stage.url()).href);
  await page.locator(".list .explanation").getByText("First <b>look</b>.").waitFor();
  write(stage.machine, [...GOOD, { step: "Fix", status: "pending" }], "The bug is elsewhere.");
  await page.locator(".list .explanation").getByText("The bug is elsewhere.").waitFor();
});

test("hides closed todos only if a delay is set", async () => {
  const plan = [
    { step: "Read", status: "completed" },
    { step: "Fix", status: "in_progress" },
  ];
  const path = pagePath({ session: "demo", agent: "main" });
  const stage = await on((machine) => {
    write(machine, plan);
  });
  const page = await stage.open();
  await page.goto(new URL(path, stage.url()).href);
  await page.locator(".list .todo").getByText("Read").waitFor();
  await stage.stop();
  await stage.serve(0, { env: { WAYMARK_CLEAR_DELAY: "0" } });
  const cleared = await stage.open();
  await cleared.goto(new URL(path, stage.url()).href);
  await cleared.locator(".list .todo").getByText("Fix").waitFor();
  expect(await cleared.locator(".list .todo").count()).toBe(1);
});
