import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Machine } from "../../cli/machine.ts";
import { FIXTURES } from "../../sessions/home.ts";
import { stagePerTest } from "./stage.ts";
import { createTeam } from "./team.ts";

const on = stagePerTest();

const REQUESTS = [
  {
    agent: "claude",
    kind: "permission",
    pill: "Permission",
    text: "npm install left-pad",
    where: "Answer in the Claude Code terminal.",
  },
  {
    agent: "codex",
    kind: "question",
    pill: "Question",
    text: "Which port should the server use?",
    where: "Answer in the Codex terminal.",
  },
] as const;

/** Runs a hook command for each recorded event, with one session per agent. */
function feed(machine: Machine, agent: string, kind: string, moment: string): void {
  const file = join(FIXTURES, "needs-you", agent, kind, `${moment}.jsonl`);
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { event, payload } = JSON.parse(line);
    const input = JSON.stringify({ ...payload, session_id: `${agent}-waits` });
    const { status, stderr } = machine.run(["hook", agent, event], { input });
    expect({ event, status, stderr }).toEqual({ event, status: 0, stderr: "" });
  }
}

test("shows permission prompts and questions first, with where to answer", async () => {
  const stage = await on(async (machine) => {
    await createTeam(machine.home, Date.now());
    for (const { agent, kind } of REQUESTS) feed(machine, agent, kind, "pending");
  });
  const page = await stage.open();
  const rows = page.locator(".track.needs-you");
  // The team's plan also needs the user.
  await expect.poll(() => rows.count()).toBe(3);
  await expect.poll(() => page.title()).toBe("(3) Waymark");
  const all = page.locator(".track");
  for (const place of [0, 1, 2])
    expect(await all.nth(place).getAttribute("class")).toContain("needs-you");
  for (const { agent, kind, pill, text, where } of REQUESTS) {
    const row = rows.filter({ hasText: text });
    await row.getByText(pill, { exact: true }).waitFor();
    await row.getByText(where).waitFor();
    // The page cannot answer it.
    expect(await row.getByRole("button").count()).toBe(0);
    await row.locator("a.title").click();
    const hero = page.locator(".hero");
    for (const part of [pill, text, where]) await hero.getByText(part).waitFor();
    feed(stage.machine, agent, kind, "after");
    await hero.getByText(where).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Sessions" }).first().click();
    await row.waitFor({ state: "detached" });
  }
  await expect.poll(() => page.title()).toBe("(1) Waymark");
});
