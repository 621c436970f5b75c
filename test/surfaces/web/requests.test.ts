import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Machine } from "../../cli/machine.ts";
import { FIXTURES } from "../../sessions/home.ts";
import { stageOfEach } from "./stage.ts";
import { layTeam } from "./team.ts";

const on = stageOfEach();

const REQUESTS = [
  {
    agent: "claude",
    kind: "permission",
    pill: "Needs permission",
    text: "npm install left-pad",
    where: "Answer in the terminal of Claude Code.",
  },
  {
    agent: "codex",
    kind: "question",
    pill: "Asks you",
    text: "Which port should the server use?",
    where: "Answer in the terminal of Codex.",
  },
] as const;

/** Runs one hook command for each recorded event, in a session of its own for each agent. */
function feed(machine: Machine, agent: string, kind: string, moment: string): void {
  const file = join(FIXTURES, "needs-you", agent, kind, `${moment}.jsonl`);
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { event, payload } = JSON.parse(line);
    const input = JSON.stringify({ ...payload, session_id: `${agent}-waits` });
    const { status, stderr } = machine.run(["hook", agent, event], { input });
    expect({ event, status, stderr }).toEqual({ event, status: 0, stderr: "" });
  }
}

test("permission prompts and questions come first, with what is asked and where to answer", async () => {
  const made = await on(async (machine) => {
    await layTeam(machine.home, Date.now());
    for (const { agent, kind } of REQUESTS) feed(machine, agent, kind, "pending");
  });
  const page = await made.open();
  const rows = page.locator(".track.needs-you");
  // The plan of the team waits, too.
  await expect.poll(() => rows.count()).toBe(3);
  await expect.poll(() => page.title()).toBe("(3) Waymark");
  const all = page.locator(".track");
  for (const place of [0, 1, 2])
    expect(await all.nth(place).getAttribute("class")).toContain("needs-you");
  for (const { agent, kind, pill, text, where } of REQUESTS) {
    const row = rows.filter({ hasText: text });
    await row.getByText(pill, { exact: true }).waitFor();
    await row.getByText(where).waitFor();
    // It is answered where the agent runs.
    expect(await row.getByRole("button").count()).toBe(0);
    await row.locator("a.title").click();
    const hero = page.locator(".hero");
    for (const part of [pill, text, where]) await hero.getByText(part).waitFor();
    feed(made.machine, agent, kind, "after");
    await hero.getByText(where).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Tracks" }).first().click();
    await row.waitFor({ state: "detached" });
  }
  await expect.poll(() => page.title()).toBe("(1) Waymark");
});
