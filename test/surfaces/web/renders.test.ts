import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type ClaudeSession, claudeSession } from "../../cli/claude-session.ts";
import type { Machine } from "../../cli/machine.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

const SESSIONS = 100;
const UPDATED = 3;
const UPDATES = 12;

interface Written {
  readonly file: string;
  readonly session: ClaudeSession;
}

/** Sessions that work on a list of one todo. */
function writeSessions(machine: Machine, at: number): readonly Written[] {
  return Array.from({ length: SESSIONS }, (_, index) => {
    const id = `${String(index).padStart(8, "0")}-6c5e-4d52-9d43-0b5b9a6f9a01`;
    const file = join(machine.root, ".claude", "projects", "-home-dev-shop", `${id}.jsonl`);
    const session = claudeSession(id, "/home/dev/shop").prompt(`Shelf ${index}`, at);
    session.todos([[`Count shelf ${index}`, "in_progress"]], at);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, session.text());
    return { file, session };
  });
}

interface Counts {
  /** Renders of the whole page, and of them the most in one frame. */
  readonly page: number;
  readonly perFrame: number;
  /** Titles of the sessions whose rows were rendered because they changed. */
  readonly changed: readonly string[];
  /** Renders of rows with the same properties as before. */
  readonly needless: number;
}

/** The page with a counter: Preact calls the hook before each render of a component. */
const COUNTED = `
  import { options } from "preact";
  import "./app.tsx";
  let frame = 0;
  const next = () => { frame++; requestAnimationFrame(next); };
  requestAnimationFrame(next);
  const drawn = new Map();
  let frames = [];
  let changed = new Set();
  let needless = 0;
  const before = options.__r;
  options.__r = (vnode) => {
    const { type, props } = vnode;
    if (type.name === "Page") frames.push(frame);
    if (type.name === "DrawnRow") {
      const last = drawn.get(props.row.key);
      drawn.set(props.row.key, props);
      if (last && last.row.source !== props.row.source) changed.add(props.row.title);
      else if (last && last.now === props.now && last.isSelected === props.isSelected) needless++;
    }
    before?.(vnode);
  };
  window.takeCounts = () => {
    const perFrame = Math.max(0, ...frames.map((at) => frames.filter((each) => each === at).length));
    const counts = { page: frames.length, perFrame, changed: [...changed], needless };
    [frames, changed, needless] = [[], new Set(), 0];
    return counts;
  };`;

async function countingScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: COUNTED, resolveDir: resolve("src/surfaces/web"), loader: "ts" },
    bundle: true,
    // package.json says that modules have no side effects.
    ignoreAnnotations: true,
    write: false,
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  return outputFiles[0]?.text ?? "";
}

const takeCounts = (page: Page): Promise<Counts> =>
  page.evaluate(() => (window as unknown as { takeCounts(): Counts }).takeCounts());

test("renders once per frame, and only the rows that changed", async () => {
  let written: readonly Written[] = [];
  const { visit, link } = await on((machine) => {
    written = writeSessions(machine, Date.now() - 2_000);
  });
  const body = await countingScript();
  const page = await visit();
  await page.route("**/app.js", (route) =>
    route.fulfill({ body, contentType: "text/javascript; charset=utf-8" }),
  );
  await page.goto(await link());
  await page.getByText(`Live, ${SESSIONS} sessions`).waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".track[data-shown]").length > 5);
  await takeCounts(page);

  for (let count = 1; count <= UPDATES; count++)
    for (const { file, session } of written.slice(0, UPDATED)) {
      const length = session.text().length;
      session.todos([[`Count again ${count}`, "in_progress"]], Date.now());
      appendFileSync(file, session.text().slice(length));
    }
  await expect
    .poll(() => page.locator(".track", { hasText: `Count again ${UPDATES}` }).count())
    .toBe(UPDATED);

  const { page: renders, perFrame, changed, needless } = await takeCounts(page);
  expect(perFrame).toBe(1);
  // Each update is an event of the stream, with others about the session.
  expect(renders).toBeLessThan(UPDATED * UPDATES);
  expect(changed.toSorted()).toEqual(["Shelf 0", "Shelf 1", "Shelf 2"]);
  expect(needless).toBe(0);
});
