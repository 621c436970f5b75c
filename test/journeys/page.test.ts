import { afterEach, expect, test } from "vitest";
import { pagePath } from "../../src/surfaces/web/connection/api.ts";
import { type Stage, stagePerTest } from "../surfaces/web/stage.ts";
import { endUndoPeriod, pauseUndoPeriod } from "../surfaces/web/undo-time.ts";
import { type Claude, startClaude } from "./claude.ts";

const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";

const on = stagePerTest();
let claude: Claude | undefined;
afterEach(async () => {
  await claude?.end();
  claude = undefined;
});

async function claudeWithPage(): Promise<{ readonly agent: Claude; readonly made: Stage }> {
  const made = await on(async (machine) => {
    claude = await startClaude(machine, SESSION);
  });
  if (!claude) throw new Error("the stage was set without an agent");
  claude.tell("SessionStart", { source: "startup" });
  return { agent: claude, made };
}

test("user edits on the page reach the agent once and are not undone", async () => {
  const { agent, made } = await claudeWithPage();
  const todos = ["Paint the door", "Oil the hinges", "Change the lock"].map((text) => ({ text }));
  await agent.call({ todos });
  await agent.call({ start: "1" });
  const page = await made.open();
  await page.goto(new URL(pagePath({ session: SESSION, agent: "main" }), made.url()).href);
  const todo = (text: string) => page.locator(".list .todo", { hasText: text });
  await todo("Change the lock").dragTo(todo("Oil the hinges"), { targetPosition: { x: 40, y: 2 } });
  await page.waitForFunction(
    () => document.querySelectorAll(".list .todo .text")[1]?.textContent === "Change the lock",
  );
  await todo("Oil the hinges").focus();
  await page.keyboard.press("x");
  await page.locator(".todo.is-cancelled").waitFor();
  await todo("Paint the door").focus();
  await page.keyboard.press("m");
  await page.getByLabel("Note for the agent").fill("Blue, please");
  await page.keyboard.press("Enter");
  await page.locator(".note").getByText("Blue, please").waitFor();

  const received = [1, 2, 3].map((n) => agent.use("Read", { file_path: `/srv/${n}` }));
  expect(received.filter((text) => text !== "")).toHaveLength(1);
  expect(received[0]).toContain("Oil the hinges");
  expect(received[0]).toContain("Blue, please");
  expect(received[0]).toContain("reordered the list: 1, 3, 2");

  await todo("Change the lock").focus();
  await page.keyboard.press("e");
  await page.getByLabel("Todo text").fill("Change both locks");
  await page.keyboard.press("Enter");
  await page.getByText("Change both locks", { exact: true }).first().waitFor();
  // Composed before the agent saw the edits.
  await agent.call({
    todos: [
      { text: "Paint the door", status: "completed" },
      { text: "Change the lock", status: "in_progress" },
    ],
  });
  const { todos: after } = made.machine.json(["todos", "--session", SESSION]) as {
    todos: { text: string; status: string }[];
  };
  expect(after.map(({ text, status }) => [text, status])).toEqual([
    ["Paint the door", "completed"],
    ["Change both locks", "in_progress"],
  ]);
});

test("a plan is commented on and approved on a phone; only then the list accepts writes", async () => {
  const { agent, made } = await claudeWithPage();
  await agent.call(
    { propose: "# Move the door\n\n1. Take the door off\n2. Widen the frame\n3. Hang it again\n" },
    "plan",
  );
  expect(await agent.call({ todos: [{ text: "At once" }] })).toContain("read-only");
  expect(made.machine.run(["ls"]).stdout).toMatch(/◆ plan|needs you/i);
  const page = await made.open({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await page
    .getByText(/needs you/i)
    .first()
    .waitFor();
  await pauseUndoPeriod(page);
  await page.goto(new URL(pagePath({ session: SESSION, agent: "main" }), made.url()).href);
  await page.getByText("Widen the frame").first().waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await page.getByLabel("Comment for the agent").fill("Mind the wall");
  await page.getByLabel("Applies to").selectOption({ label: "Step 2: Widen the frame" });
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("Mind the wall").first().waitFor();
  await page.getByRole("button", { name: "Approve" }).first().click();
  await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  // As long as it can be undone, the plan waits.
  const plan = () => made.machine.json(["plan", "show", SESSION]) as { plan: { state: string } };
  expect(plan().plan.state).toBe("proposed");
  await endUndoPeriod(page);
  await page.getByRole("button", { name: "Approve" }).waitFor({ state: "detached" });
  const received =
    agent.tell("UserPromptSubmit", { prompt: "Go on" }) +
    agent.use("Read", { file_path: "/srv/a" });
  expect(received).toContain("Mind the wall");
  expect(await agent.call({ start: "1" })).toContain('[>] "Take the door off"');
  const { todos } = made.machine.json(["todos", "--session", SESSION]) as {
    todos: { text: string; step?: unknown }[];
  };
  expect(todos.map(({ text }) => text)).toEqual([
    "Take the door off",
    "Widen the frame",
    "Hang it again",
  ]);
});
