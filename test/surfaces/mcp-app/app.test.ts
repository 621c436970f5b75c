import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { accessibilityFaults, hostile } from "../web/audit.ts";
import { hostPerTest } from "./host.ts";
import type { HostWindow } from "./host-page.ts";

const on = hostPerTest();
const TODOS = [
  { text: "Write the down migration", status: "completed" },
  { text: "Backfill keys", status: "in_progress", activeText: "Backfilling keys" },
  { text: "Return the first result" },
];
const PLAN = "# Keys\n\n1. Make refund_key nullable\n2. Backfill in batches\n";

interface Shown {
  readonly todos: readonly { readonly text: string; readonly status: string }[];
}

for (const era of ["old", "new"] as const)
  test(`draws the list and changes it as the user, in the ${era} protocol`, async () => {
    const { machine, view, show, client, requests } = await on({ era });
    await show("todos", { todos: TODOS });
    const rows = view.locator(".rows li .text");
    await expect.poll(() => rows.allTextContents()).toEqual(TODOS.map(({ text }) => text));
    await expect.poll(() => view.locator(".head").textContent()).toContain("1 of 3");
    const stored = () =>
      (machine.json(["todos", "--session", "s"]) as Shown).todos.map(({ text, status }) => [
        text,
        status,
      ]);

    await view.getByRole("button", { name: "Mark done: Return the first result" }).click();
    await view.getByText("Completed “Return the first result”").waitFor();
    expect(stored()[2]).toEqual(["Return the first result", "completed"]);
    await view.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => stored()[2]).toEqual(["Return the first result", "pending"]);

    const field = view.getByRole("textbox", { name: "Add a todo" });
    await field.fill("Fire 200 equal requests");
    await field.press("Enter");
    await view.getByText("Added “Fire 200 equal requests”").waitFor();
    await view.getByRole("button", { name: "Move: Fire 200 equal requests" }).press("ArrowUp");
    await view.getByText("Moved “Fire 200 equal requests”").waitFor();
    expect(stored().map(([text]) => text)).toEqual([
      "Write the down migration",
      "Backfill keys",
      "Fire 200 equal requests",
      "Return the first result",
    ]);

    // The agent learns of the edits once.
    const told = await client.callTool({ name: "todos", arguments: {} });
    expect(JSON.stringify(told.content)).toContain("Fire 200 equal requests");
    expect(JSON.stringify(told.content)).toMatch(/user/i);
    const again = await client.callTool({ name: "todos", arguments: {} });
    expect(JSON.stringify(again.content)).not.toMatch(/user/i);
    expect(requests).toEqual([]);
  });

test("approves the plan that is shown, with a message to the model", async () => {
  const { view, show, client, machine, page } = await on({ width: 720 });
  await client.callTool({ name: "plan", arguments: { propose: PLAN } });
  await show("plan", { propose: `${PLAN}3. Add the unique index\n` });
  const panel = view.getByRole("region", { name: "Plan Revision 2, 3 steps" });
  await expect
    .poll(() => panel.locator("li").allTextContents())
    .toEqual(["Make refund_key nullable", "Backfill in batches", "Add the unique index (new)"]);
  // The list is beside the plan in wide frames.
  await panel.getByRole("textbox", { name: "Message with your decision" }).fill("At night");
  await panel.getByRole("button", { name: "Approve" }).click();
  await view.getByText("Plan approved").waitFor();
  expect(await panel.count()).toBe(0);
  const { plan } = machine.json(["show", "s"]) as { plan: object };
  expect(plan).toMatchObject({ state: "approved", comment: "At night" });
  await expect
    .poll(() => page.evaluate(() => (window as unknown as HostWindow).host.messages))
    .toEqual([
      [{ type: "text", text: expect.stringMatching(/^I approve your plan\. .*"At night"$/) }],
    ]);
  await expect
    .poll(() => view.locator(".rows li .text").allTextContents())
    .toEqual(["Make refund_key nullable", "Backfill in batches", "Add the unique index"]);
});

test("does not approve a plan that replaced the one on the screen", async () => {
  const { view, show, client, machine, calls, alter } = await on();
  await show("plan", { propose: PLAN });
  await view.getByRole("button", { name: "Approve" }).waitFor();
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  // Later reads arrive after the click.
  let drawn: Record<string, unknown> | undefined;
  alter((result) => {
    if (result.isError) return result;
    drawn ??= result;
    return drawn;
  });
  await expect.poll(() => drawn).toBeDefined();
  await client.callTool({ name: "plan", arguments: { propose: "1. Drop the table\n" } });
  await view.getByRole("button", { name: "Approve" }).click();
  await view.locator(".notice.problem").waitFor();
  alter((result) => result);
  expect(machine.json(["show", "s"])).toMatchObject({ plan: { state: "proposed" } });
  await view.getByText("Drop the table").waitFor();
});

test("shows changes of the agent while it is visible, and stops when it is closed", async () => {
  const { view, show, client, calls, page } = await on();
  await show("todos", { todos: TODOS });
  await view.getByRole("list").getByText("Backfill keys").waitFor();
  await client.callTool({ name: "todos", arguments: { add: ["Another one"] } });
  await view.getByText("Another one").waitFor();
  await page.evaluate(() => (window as unknown as HostWindow).host.teardown());
  const { length } = calls;
  await page.waitForTimeout(5_000);
  expect(calls.length - length).toBeLessThanOrEqual(1);
});

test("does not read the list while it is out of sight", async () => {
  const { view, show, client, calls, page } = await on();
  await show("todos", { todos: TODOS });
  await view.getByRole("list").getByText("Backfill keys").waitFor();
  await page.evaluate(() => {
    document.body.insertAdjacentHTML("afterbegin", '<div style="height:5000px"></div>');
    scrollTo(0, 0);
  });
  await page.waitForTimeout(1_000);
  const { length } = calls;
  await client.callTool({ name: "todos", arguments: { add: ["Another one"] } });
  await page.waitForTimeout(5_000);
  expect(calls.length).toBe(length);
  await page.evaluate(() => scrollTo(0, 100_000));
  await view.getByText("Another one").waitFor();
});

test("keeps edits while the server does not answer", async () => {
  const { view, show, machine, setLost, calls } = await on();
  await show("todos", { todos: TODOS });
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  await view.getByRole("button", { name: /^Mark done: Return/ }).waitFor();
  setLost(true);
  await view.getByRole("button", { name: /^Mark done: Return/ }).click();
  await view.getByText(/Not live since .* Your changes are kept\./).waitFor();
  // The mark shows the edit at once.
  await view.getByRole("button", { name: /^Reopen: Return/ }).waitFor();
  setLost(false);
  await view.getByRole("button", { name: "Retry" }).click();
  await view.getByText("Completed “Return the first result”").waitFor();
  expect(await view.getByText("Not live since").count()).toBe(0);
  const { todos } = machine.json(["todos", "--session", "s"]) as Shown;
  expect(todos[2]?.status).toBe("completed");
});

test("replaces the token of an earlier server, and changes the list once", async () => {
  const { view, show, machine, alter, calls } = await on();
  alter(({ _meta, ...result }) => ({
    ...result,
    _meta: { ...(_meta as object), "waymark/token": "old" },
  }));
  await show("todos", { todos: TODOS });
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  await view.getByRole("button", { name: /^Mark done: Return/ }).waitFor();
  alter((result) => result);
  await view.getByRole("button", { name: /^Mark done: Return/ }).click();
  await view.getByText("Completed “Return the first result”").waitFor();
  const { todos } = machine.json(["todos", "--session", "s"]) as Shown;
  expect(todos[2]?.status).toBe("completed");
  const tokens = calls.flatMap(({ arguments: { token, edit } }) => (edit ? [token === "old"] : []));
  expect(tokens).toEqual([true, false]);
});

test("shows why a change was refused, and the list as it is", async () => {
  const { view, show, client, calls } = await on();
  await show("todos", { todos: TODOS });
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  await client.callTool({ name: "todos", arguments: { drop: ["3"] } });
  await view.getByRole("button", { name: /^Mark done: Return/ }).click();
  await view
    .getByText("This todo was changed in the meantime. Your change was not saved.")
    .waitFor();
  await view
    .getByRole("button", { name: "Reopen: Return the first result. Status: cancelled." })
    .waitFor();
  await view.getByRole("button", { name: "Dismiss" }).click();
  expect(await view.locator(".notice").count()).toBe(0);
});

test("says why a call of the model was refused", async () => {
  const { view, show } = await on();
  await show("todos", { finish: ["9"] });
  await view.getByText('No todo has the id "9".').waitFor();
});

test("is read-only in hosts without tool calls", async () => {
  const { view, show, calls } = await on({ hasTools: false });
  await show("todos", { todos: TODOS });
  await view.getByText("Read-only:").waitFor();
  expect(await view.locator(".rows li .text").allTextContents()).toEqual(
    TODOS.map(({ text }) => text),
  );
  expect(await view.getByRole("button").and(view.locator(":not(.fold)")).count()).toBe(0);
  expect(await view.getByRole("textbox").count()).toBe(0);
  expect(calls).toEqual([]);
});

test("draws what hosts leave of a result", async () => {
  const { view, show, alter } = await on({ hasTools: false });
  await view.getByText("Loading the list…").waitFor();
  alter(({ content }) => ({ content }));
  await show("todos", { todos: TODOS });
  await view.getByText('1 [x] "Write the down migration"').waitFor();
  alter(({ content, structuredContent }) => ({ content, structuredContent }));
  await show("todos", { todos: TODOS });
  await expect
    .poll(() => view.locator(".rows li .text").allTextContents())
    .toEqual(TODOS.map(({ text }) => text));
});

test("says what to do with an empty list, and adds the first todo", async () => {
  const { view, show, machine } = await on();
  await show("todos", {});
  await view.getByText("No todos yet. Add one, or ask the agent for a plan.").waitFor();
  await view.getByRole("textbox", { name: "Add a todo" }).fill("Begin");
  await view.getByRole("button", { name: "Add" }).click();
  await view.getByText("Added “Begin”").waitFor();
  expect(machine.json(["todos", "--session", "s"])).toMatchObject({ todos: [{ text: "Begin" }] });
  await view.getByRole("button", { name: "Undo" }).click();
  await view.getByText("No todos yet.").waitFor();
});

test("shows the shared tasks with their owners", async () => {
  const { view, show } = await on({
    toolInfo: "tasks",
    prepare(machine) {
      machine.run(["task", "add", "Add the column"]);
      machine.run(["task", "add", "Backfill", "--blocked-by", "t1"]);
      machine.run(["task", "claim", "t1", "--as", "codex"]);
    },
  });
  await show("tasks", {});
  await expect
    .poll(() => view.locator(".tasks li").allTextContents())
    .toEqual([
      expect.stringMatching(/^t1 Add the columncodex, lease /),
      "t2 Backfillblocked by t1",
    ]);
  expect(await view.locator(".tasks .meta").first().textContent()).toBe("1 claimed, 1 blocked");
});

test("adds, completes and retries tasks as the user", async () => {
  const { view, show, machine } = await on({
    toolInfo: "tasks",
    prepare(machine) {
      machine.run(["task", "add", "Add the column"]);
      machine.run(["task", "add", "Prove it", "--check", "true"]);
      machine.run(["task", "add", "Send it", "--max-attempts", "1"]);
      machine.run(["task", "claim", "t3", "--as", "codex"]);
      machine.run(["task", "fail", "t3", "--as", "codex", "--reason", "no network"]);
    },
  });
  const statusOf = (id: string) =>
    (machine.json(["task", "show", id]) as { readonly status: string }).status;
  await show("tasks", {});
  await view.getByRole("button", { name: "Mark done: t1 Add the column" }).click();
  await view.getByText("Completed “Add the column”").waitFor();
  expect(statusOf("t1")).toBe("done");
  await view.getByRole("button", { name: "Undo" }).click();
  await view.getByText("Reopened “Add the column”").waitFor();
  expect(statusOf("t1")).toBe("open");
  // A check decides about the second one.
  expect(await view.getByRole("button", { name: /t2/ }).count()).toBe(0);
  await view.getByRole("button", { name: "Retry: t3 Send it" }).click();
  await view.getByText("Retrying “Send it”").waitFor();
  expect(statusOf("t3")).toBe("open");

  const field = view.getByRole("textbox", { name: "Add a task" });
  await field.fill("Announce it");
  await field.press("Enter");
  await view.getByText("Added “Announce it”").waitFor();
  await view.locator(".tasks li").getByText("Announce it").waitFor();
  expect(statusOf("t4")).toBe("open");
});

test("moves a todo with the pointer", async () => {
  const { view, show, machine, page } = await on();
  await show("todos", { todos: TODOS });
  const grip = view.getByRole("button", { name: "Move: Return the first result" });
  await grip.hover();
  await page.mouse.down();
  await view.locator(".rows li").nth(1).hover();
  expect(await view.locator(".over .text").allTextContents()).toEqual(["Backfill keys"]);
  await page.mouse.up();
  await view.getByText("Moved “Return the first result”").waitFor();
  const { todos } = machine.json(["todos", "--session", "s"]) as Shown;
  expect(todos.map(({ text }) => text)).toEqual([
    "Write the down migration",
    "Return the first result",
    "Backfill keys",
  ]);
});

test("shows texts as they are, and loads nothing", { tags: ["html-injection"] }, async () => {
  const { view, show, requests, page } = await on();
  const texts = hostile(12).map((text) => `${text} http://other.test/x`);
  await show("todos", { todos: texts.map((text) => ({ text })) });
  await show("plan", { propose: texts.map((text, n) => `${n + 1}. ${text}`).join("\n") });
  await view.getByRole("button", { name: "Approve" }).waitFor();
  expect(await view.locator(".rows li .text").allTextContents()).toEqual(texts);
  expect(
    await view
      .locator("#app :is(script, img, iframe, object, embed, style, base, form, a)")
      .count(),
  ).toBe(0);
  expect(requests).toEqual([]);
  expect(page.frames().length).toBe(2);
});

test("follows the theme and the colors of the host", async () => {
  const { view, show, page } = await on({
    theme: "light",
    context: {
      styles: {
        variables: {
          "--color-background-primary": "light-dark(#fdf6e3, #002b36)",
          "--color-text-primary": "url(http://other.test/x)",
        },
      },
    },
  });
  await show("todos", { todos: TODOS });
  await view.getByRole("list").getByText("Backfill keys").waitFor();
  const colors = () =>
    view.locator("main").evaluate((main) => {
      const { backgroundColor, color } = getComputedStyle(main);
      return { backgroundColor, color };
    });
  expect(await colors()).toEqual({
    backgroundColor: "rgb(253, 246, 227)",
    color: "rgb(27, 28, 30)",
  });
  await page.evaluate(() => (window as unknown as HostWindow).host.change({ theme: "dark" }));
  await expect
    .poll(colors)
    .toEqual({ backgroundColor: "rgb(0, 43, 54)", color: "rgb(236, 237, 239)" });
});

test("fits frames from 320 pixels, without motion if the user wants none", async () => {
  for (const width of [320, 480, 1200]) {
    const { view, show, client, page } = await on({
      width,
      reducedMotion: "reduce",
      session: `w${width}`,
    });
    await show("todos", { todos: [...TODOS, { text: "x".repeat(400) }] });
    await client.callTool({ name: "plan", arguments: { propose: `1. ${"y".repeat(300)}\n` } });
    await view.getByRole("button", { name: "Approve" }).waitFor();
    const { overflow, height, isMoving } = await view.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const icon = document.querySelector(".i-active");
      return {
        overflow: scrollWidth - clientWidth,
        height: document.getElementById("app")?.getBoundingClientRect().height ?? 0,
        isMoving: icon !== null && getComputedStyle(icon).animationName !== "none",
      };
    });
    expect({ width, overflow, isMoving }).toEqual({ width, overflow: 0, isMoving: false });
    // The host made the frame as high as the view.
    await expect
      .poll(() => page.locator("iframe").evaluate((frame) => frame.clientHeight))
      .toBe(Math.ceil(height));
  }
});

test.each(["light", "dark"] as const)("is accessible in %s", async (theme) => {
  for (const width of [360, 720]) {
    const { view, show, client, setLost } = await on({ theme, width, session: `${theme}${width}` });
    await show("todos", { todos: TODOS });
    await client.callTool({ name: "plan", arguments: { propose: PLAN } });
    await view.getByRole("button", { name: "Approve" }).waitFor();
    expect(await accessibilityFaults(view)).toEqual([]);
    setLost(true);
    await view.getByText("Not live since").waitFor();
    expect(await accessibilityFaults(view)).toEqual([]);
  }
});

test("is less than 60 KB compressed, in one file", async () => {
  const { client } = await on();
  const { contents } = await client.readResource({ uri: "ui://waymark/list" });
  const { text } = contents[0] as { text: string };
  expect(gzipSync(text).length).toBeLessThan(60 * 1024);
  expect(text.match(/\b(?:src|href|url)\s*[=(]\s*["']?[^"')\s>]+/g) ?? []).toEqual([]);
});
