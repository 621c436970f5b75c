import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { stageOfEach } from "./stage.ts";

const on = stageOfEach();

const S = ["--session", "demo"];
const write = (machine: Machine, plan: unknown, explanation?: string) =>
  machine.tool("update_plan", { plan, ...(explanation && { explanation }) }, ...S);
const GOOD = [{ step: "Read", status: "in_progress" }];

test("the page warns of a refused write until the next accepted one", async () => {
  const made = await on((machine) => {
    write(machine, GOOD);
  });
  const page = await made.open();
  await page.waitForSelector(".track");
  expect(await page.locator(".refused").count()).toBe(0);
  write(made.machine, "none");
  await page.locator(".track .refused").getByText("List update refused: plan").waitFor();
  await page.goto(new URL(pagePath({ session: "demo", agent: "main" }), made.url()).href);
  await page.locator(".hero .refused").getByText("List update refused: plan").waitFor();
  write(made.machine, GOOD);
  await page.locator(".refused").waitFor({ state: "detached" });
});

test("the page shows the explanation of a plan beside it", async () => {
  const made = await on((machine) => {
    write(machine, GOOD, "First <b>look</b>.");
  });
  const page = await made.open();
  await page.goto(new URL(pagePath({ session: "demo", agent: "main" }), made.url()).href);
  await page.locator(".list .explanation").getByText("First <b>look</b>.").waitFor();
  write(made.machine, [...GOOD, { step: "Fix", status: "pending" }], "The bug is elsewhere.");
  await page.locator(".list .explanation").getByText("The bug is elsewhere.").waitFor();
});

test("closed todos stay on the page unless a delay is set", async () => {
  const plan = [
    { step: "Read", status: "completed" },
    { step: "Fix", status: "in_progress" },
  ];
  const path = pagePath({ session: "demo", agent: "main" });
  const made = await on((machine) => {
    write(machine, plan);
  });
  const page = await made.open();
  await page.goto(new URL(path, made.url()).href);
  await page.locator(".list .todo").getByText("Read").waitFor();
  await made.stop();
  await made.serve(0, { env: { WAYMARK_CLEAR_DELAY: "0" } });
  const cleared = await made.open();
  await cleared.goto(new URL(path, made.url()).href);
  await cleared.locator(".list .todo").getByText("Fix").waitFor();
  expect(await cleared.locator(".list .todo").count()).toBe(1);
});
