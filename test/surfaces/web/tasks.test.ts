import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { FULL } from "../../full.ts";
import { layBacklog, layHostileTasks } from "./backlog.ts";
import { expectHarmless, expectSound, hostile, sideways } from "./judge.ts";
import { answer, type Stage, stageOfEach } from "./stage.ts";

const on = stageOfEach();

const card = (page: Page, column: string, id: string) =>
  page.locator(`.kanban .${column} [data-task="${id}"]`);
const kept = ({ machine }: Stage) =>
  (machine.json(["task", "list"]) as Task[]).map(
    ({ id, subject, status, priority, owner, blockedBy }) => ({
      id,
      subject,
      status,
      priority,
      blockedBy,
      ...(owner !== undefined && { owner }),
    }),
  );

test("an empty board says how to begin; a task is added, ordered and moved with keys alone", async () => {
  const made = await on(() => undefined);
  const page = await made.open();
  const { keyboard } = page;
  await keyboard.press("t");
  await page.getByText("waymark task add").waitFor();
  const add = async (subject: string, more: Readonly<Record<string, string>> = {}) => {
    await keyboard.press("n");
    await page.getByLabel("What is to be done").fill(subject);
    for (const [label, text] of Object.entries(more)) await page.getByLabel(label).fill(text);
    if (Object.keys(more).length > 0) await page.getByLabel("What is to be done").focus();
    await keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await add("Paint the door", { Labels: "house, door", Description: "Twice" });
  await add("Hang it", { "Waits for": "t1" });
  await add("Sweep the floor");
  await card(page, "waiting", "t2").getByText("waits for t1").waitFor();
  await card(page, "ready", "t3").waitFor();

  await keyboard.press("j");
  await keyboard.press("j");
  await keyboard.press("0");
  await card(page, "ready", "t3").getByText("P0").waitFor();
  await keyboard.press("b");
  await answer(page, "For which task", "t2");
  await card(page, "waiting", "t3").waitFor();
  // A circle is refused in words, and the question stays.
  await keyboard.press("ArrowLeft");
  await keyboard.press("b");
  await page.getByLabel("For which task").fill("t3");
  await keyboard.press("Enter");
  const why = page.getByRole("dialog").getByRole("alert");
  await why.waitFor();
  await expect.poll(() => why.textContent()).toMatch(/t1.+t3.+t2.+t1/);
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await keyboard.press("o");
  await answer(page, "Who is to have it", "codex");
  await card(page, "claimed", "t1").getByText("codex").waitFor();
  await keyboard.press("u");
  await card(page, "ready", "t1").waitFor();
  await keyboard.press("x");
  await card(page, "done", "t1").getByText("dropped").waitFor();
  await page.locator(".pill").getByText("t1 holds up 2 tasks").waitFor();
  await keyboard.press("Space");
  await card(page, "ready", "t1").waitFor();
  await keyboard.press("Enter");
  await page.waitForURL(/\/tasks\/t1$/);
  await page.getByText("Twice").waitFor();
  await keyboard.press("e");
  await answer(page, "What is to be done", "Paint the gate");
  await page.getByRole("heading", { name: "Paint the gate" }).waitFor();
  await page.locator(".story").getByText("Edited: subject").waitFor();
  const story = () => page.locator(".story li > span:nth-child(2)").allTextContents();
  await expect
    .poll(story)
    .toEqual(["Edited: subject", "Reopened", "Dropped", "Given back", "Given to codex", "Added"]);
  await keyboard.press("Space");
  await answer(page, "What shows that it is done", "two coats");
  await page.getByText("Evidence, as given").waitFor();
  await page.getByText("two coats").first().waitFor();
  await keyboard.press("Escape");
  await keyboard.press("d");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe("Graph of tasks");
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await page.waitForURL(/\/tasks\/t[123]$/);
  expect(kept(made)).toEqual([
    {
      id: "t1",
      subject: "Paint the gate",
      status: "done",
      priority: 2,
      blockedBy: [],
      owner: "user",
    },
    { id: "t2", subject: "Hang it", status: "open", priority: 2, blockedBy: ["t1"] },
    { id: "t3", subject: "Sweep the floor", status: "open", priority: 0, blockedBy: ["t2"] },
  ]);
});

test("what agents do is seen within a second; who comes too late is told in words", async () => {
  const made = await on((machine) => layBacklog(machine.home, Date.now()));
  const page = await made.open();
  await page.goto(new URL("/tasks", made.url()).href);
  await card(page, "ready", "t13").waitFor();
  const { machine } = made;
  // The page's own clock: what it takes to start a program does not count.
  const seen = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelector('.claimed [data-task="t13"]')) resolve(Date.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  const claimed = machine.json(["task", "claim", "--as", "claude-2"]) as Task;
  expect(claimed.id).toBe("t13");
  // Beside other work only "soon" can be told from "never"; the second is measured at full size.
  expect((await seen) - (claimed.claimedAt ?? 0)).toBeLessThan(FULL ? 1_000 : 15_000);
  await expect
    .poll(() => page.locator(".task-line").textContent())
    .toBe("2 ready, 5 claimed. 3 wait for others, 1 failed. 3 done today.");

  // The graph: every edge goes from the left to the right, and the chain that is held up is shown.
  await expect.poll(() => page.locator(".node").count()).toBe(10);
  await expect.poll(() => page.locator(".tie.stuck").count()).toBe(2);
  await page.locator(".graph .pill").getByText("t5 holds up 2 tasks").waitFor();

  // An agent finishes it while a person is about to give it back.
  await page.goto(new URL("/tasks/t13", made.url()).href);
  await page.getByRole("button", { name: "Give it back" }).waitFor();
  await page.route("**/api/tasks", async (route) => {
    // The page may still be reading the tasks.
    if (route.request().method() === "POST")
      machine.run(["task", "done", "t13", "--as", "claude-2", "--epoch", "1", "--evidence", "ok"]);
    await route.continue();
  });
  await page.keyboard.press("u");
  await page.locator(".toast.problem").waitFor();
  await expect.poll(() => page.locator(".toast.problem").textContent()).toContain("t13 is done");
  await page.getByText("Evidence, as given").waitFor();
  await page.unroute("**/api/tasks");

  // Who works on it loses it only when nobody took the decision back.
  await page.goto(new URL("/tasks/t6", made.url()).href);
  await page.getByRole("button", { name: "Hand over" }).click();
  await answer(page, "Who is to have it", "bob");
  await page.getByRole("button", { name: "Undo" }).click();
  expect((machine.json(["task", "show", "t6"]) as Task).owner).toBe("7f3a91c2-guest-refunds");

  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Reopen: t4" }).click();
  await card(page, "ready", "t4").waitFor();
  await page.getByRole("button", { name: "Give it longer: t5" }).click();
  await page.getByRole("button", { name: "Give it longer: t5" }).waitFor({ state: "detached" });
  await page.keyboard.press("f");
  await page.getByRole("button", { name: "Label api" }).waitFor();
  await expect.poll(() => page.locator(".kanban [data-task]").count()).toBe(3);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("refund keys");
  await card(page, "waiting", "t9").waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".kanban [data-task]").length === 1);
  await page.keyboard.type(" nowhere");
  await page.getByText("Nothing for “refund keys nowhere” in 15 tasks.").waitFor();

  // A server that comes back is found again, with what happened meanwhile.
  await page.keyboard.press("Escape");
  const { port } = new URL(made.url());
  await made.stop();
  await page.getByText(/Not live since/).waitFor();
  machine.run(["task", "claim", "t14", "--as", "night-shift"]);
  await made.serve(Number(port));
  await card(page, "claimed", "t14").getByText("night-shift").waitFor();
});

test("sound for readers of the screen, and fit for a phone", async () => {
  const made = await on((machine) => layBacklog(machine.home, Date.now()));
  await expectSound(made, { "/tasks": ".task" });
  await expectSound(made, { "/tasks/t6": ".story" }, ["light"]);
  const page = await made.open({ viewport: { width: 390, height: 844 } });
  for (const [place, ready] of [
    ["/tasks", ".task"],
    ["/tasks/t6", ".story"],
  ] as const) {
    await page.goto(new URL(place, made.url()).href);
    await page.waitForSelector(ready);
    expect({ place, sideways: await sideways(page) }).toEqual({ place, sideways: 0 });
  }
});

test("W4 no field of a task is anything but text", async () => {
  const attacks = hostile(FULL ? 1_000 : 90);
  const made = await on((machine) => layHostileTasks(machine.home, attacks));
  const page = await made.open();
  await page.goto(new URL("/tasks", made.url()).href);
  await page.waitForSelector(".task");
  const more = page.getByRole("button", { name: /^Show \d+ more$/ });
  for (let left = await more.count(); left > 0; left--) await more.first().click();
  await page.waitForFunction(
    (count) => document.querySelectorAll(".kanban [data-task]").length === count,
    attacks.length,
  );
  await expectHarmless(page);
  const subjects = await page.locator(".kanban .title").allTextContents();
  expect(subjects.sort()).toEqual(attacks.map((text) => `subject ${text}`).sort());
  for (const [place, fields] of [
    [1, ["subject", "description", "label", "ref", "author", "owner", "proof", "key", "value"]],
    [2, ["reason", "owner"]],
  ] as const) {
    await page.goto(new URL(`/tasks/t${place + 1}`, made.url()).href);
    await page.waitForSelector(".story");
    await expectHarmless(page);
    const whole = (await page.locator("#app").textContent()) ?? "";
    const own = attacks[place] ?? "";
    for (const field of fields) {
      const said = field === "key" || field === "value" ? JSON.stringify(own).slice(1, -1) : own;
      expect(whole).toContain(`${field} ${said}`);
    }
  }
}, 120_000);
