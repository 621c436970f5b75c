import type { Page } from "playwright-core";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { createBacklog } from "./backlog.ts";
import { createTeam } from "./team.ts";

/** A view of the page, or a state of one, with the team of `team.ts` and the tasks of `backlog.ts`. */
export interface PageState {
  readonly name: string;
  readonly path: string;
  /** Matches once the view is drawn. */
  readonly ready: string;
  /** Whether a picture shows only the window: dialogs lie in the middle of it. */
  readonly isWindow?: boolean;
  /** Brings the view into the state. */
  readonly act?: (page: Page) => Promise<void>;
}

const SESSION = pagePath({ session: "7f3a91c2-guest-refunds", agent: "main" });
const PLAN = pagePath({ session: "plan-guest-checkout", agent: "main" });

const STALLED = pagePath({ session: "postgres-18", agent: "main" });
const REVISED = pagePath({ session: "revised", agent: "main" });

/** The team, its tasks, and a plan that was rejected and proposed again. */
export async function createStates(machine: Machine): Promise<void> {
  await createTeam(machine.home, Date.now());
  await createBacklog(machine.home, Date.now());
  const propose = (...steps: string[]) =>
    machine.run(["plan", "propose", "-", "--session", "revised"], {
      input: steps.map((step, index) => `${index + 1}. ${step}`).join("\n"),
    });
  propose("Read the header", "Store the key in the session of the user", "Prove it end to end");
  machine.run(["plan", "comment", "The jobs read it too.", "revised", "--step", "2"]);
  machine.run(["plan", "reject", "revised", "--comment", "Not in the session"]);
  propose("Read the header", "Store the key beside the refund", "Backfill it", "Prove it");
}

/** Presses keys and waits for what they open. */
const press =
  (keys: readonly string[], opens: string) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForSelector(opens);
  };

const search =
  (text: string, shows: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole("searchbox").fill(text);
    await page.waitForSelector(shows);
  };

const BOARD = { path: "/", ready: ".track" };
const LIST = { path: SESSION, ready: ".timeline" };
const TASKS = { path: "/tasks", ready: ".task" };

export const PAGE_STATES: readonly PageState[] = [
  { name: "board", ...BOARD },
  { name: "board-filter", ...BOARD, act: press(["f"], ".menu") },
  { name: "board-search", ...BOARD, act: search("refund", ".hits") },
  { name: "board-no-match", ...BOARD, act: search("nothing like this", ".empty") },
  { name: "board-filtered-out", path: "/?agent=qwen&state=working", ready: ".empty" },
  { name: "palette", isWindow: true, ...BOARD, act: press(["Control+k"], "dialog.palette[open]") },
  { name: "help", isWindow: true, ...BOARD, act: press(["?"], "dialog[open]") },
  { name: "session", ...LIST },
  {
    name: "session-todo",
    isWindow: true,
    ...LIST,
    act: (page) => page.locator(".list .todo").nth(5).focus(),
  },
  {
    name: "session-edit",
    isWindow: true,
    ...LIST,
    async act(page) {
      await page.locator(".list .todo").nth(5).focus();
      await press(["e"], ".list .edit")(page);
    },
  },
  { name: "session-plan", path: PLAN, ready: ".plan" },
  { name: "session-revision", path: REVISED, ready: ".step" },
  {
    name: "session-mute",
    isWindow: true,
    path: STALLED,
    ready: ".timeline",
    act: press(["M"], "dialog[open]"),
  },
  {
    name: "session-call",
    isWindow: true,
    ...LIST,
    async act(page) {
      await page.locator(".call-row").first().click();
      await page.waitForSelector(".drawer");
    },
  },
  { name: "session-unknown", path: pagePath({ session: "none", agent: "main" }), ready: ".empty" },
  { name: "tasks", ...TASKS },
  { name: "tasks-add", isWindow: true, ...TASKS, act: press(["n"], "dialog[open]") },
  { name: "tasks-move", isWindow: true, ...TASKS, act: press(["j", "m"], ".drag-line") },
  { name: "tasks-no-match", ...TASKS, act: search("nothing like this", ".empty") },
  { name: "task", path: "/tasks/t6", ready: ".events" },
  { name: "task-unknown", path: "/tasks/t999", ready: ".empty" },
];

/** States of a machine without sessions and tasks. */
export const FIRST_STATES: readonly PageState[] = [
  { name: "first-board", path: "/", ready: ".empty-page li" },
  { name: "first-tasks", path: "/tasks", ready: ".empty" },
  {
    name: "first-demo",
    path: "/",
    ready: ".empty-page li",
    async act(page) {
      await page.getByRole("button", { name: "Play the demo" }).click();
      await page.waitForSelector(".track");
      await page.waitForTimeout(6_000);
    },
  },
];

/** States of a browser that is not signed in. */
export const SIGNED_OUT_STATES: readonly PageState[] = [
  { name: "sign-in", path: "/", ready: "#ways:not([hidden])" },
];

/** Opens a view and brings it into its state. */
export async function showState(
  page: Page,
  url: string,
  { path, ready, act }: PageState,
): Promise<void> {
  await page.goto(new URL(path, url).href);
  await page.waitForSelector(ready);
  await act?.(page);
}
