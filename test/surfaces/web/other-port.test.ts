import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { type OtherServer, openOtherServer, replay } from "./other-server.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const demo = (machine: Machine) => {
  machine.run(["todo", "add", "Lay the table", "--session", "demo"]);
};
const TRACK = pagePath({ session: "demo", agent: "main" });

/** Visits the other server, whose page attacks the board. */
async function visitOther(context: BrowserContext, other: OtherServer): Promise<void> {
  const before = other.reports();
  const page = await context.newPage();
  await page.goto(other.url);
  await expect.poll(other.reports, { timeout: 20_000 }).toBeGreaterThan(before);
  await page.close();
}

test("grants no access with anything that a server on another port receives, before and after a restart", {
  tags: ["port-reuse"],
  timeout: 120_000,
}, async () => {
  const stage = await on(demo);
  const page = await stage.open();
  const context = page.context();
  const board = stage.url();
  const other = await openOtherServer(board);
  await visitOther(context, other);
  // From the board: as its opener, and by a link.
  const left = await context.newPage();
  await left.goto(board);
  await left.locator(".link-state.live").waitFor();
  for (const leave of ["open", "assign"] as const) {
    const before = other.reports();
    await left.evaluate(
      ([how, url = ""]) => {
        if (how === "open") window.open(url);
        else location.assign(url);
      },
      [leave, other.url],
    );
    await expect.poll(other.reports).toBeGreaterThan(before);
  }
  expect(JSON.stringify(other.received)).not.toContain("Lay the table");
  expect(await replay(board, other.received)).toEqual([]);

  await stage.stop();
  await stage.serve(Number(new URL(board).port));
  expect(await replay(board, other.received)).toEqual([]);
  await page.goto(board);
  await page.locator(".link-state.live").waitFor();
  await visitOther(context, other);
  expect(JSON.stringify(other.received)).not.toContain("Lay the table");
  expect(await replay(board, other.received)).toEqual([]);
});

test("keeps a browser signed in across reload, tabs, restart and bookmarks", {
  tags: ["port-reuse"],
}, async () => {
  const stage = await on(demo);
  const page = await stage.open();
  const board = stage.url();
  const isLive = () => page.locator(".link-state.live").waitFor();
  const tab = await page.context().newPage();
  await tab.goto(new URL(`${TRACK}#plan`, board).href);
  await tab.locator(".link-state.live").waitFor();
  await page.reload();
  await isLive();
  await stage.stop();
  await page.locator(".strip.lost").waitFor();
  await stage.serve(Number(new URL(board).port));
  await isLive();
  await tab.close();
  await page.goto("about:blank");
  await page.goto(new URL(TRACK, board).href);
  await isLive();
  await page.getByText("Lay the table").first().waitFor();
  expect(new URL(page.url()).pathname).toBe(TRACK);
  expect(await page.context().cookies()).toEqual([]);
});

test("keeps a browser signed in to two servers that alternate on a port", async () => {
  const stage = await on(demo);
  const page = await stage.open();
  const board = stage.url();
  const token = join(stage.machine.home, "serve-token");
  const turn = async (from: string, to: string) => {
    await stage.stop();
    renameSync(token, `${token}.${from}`);
    if (existsSync(`${token}.${to}`)) renameSync(`${token}.${to}`, token);
    await stage.serve(Number(new URL(board).port));
    await page.goto(board);
  };
  await turn("first", "second");
  await page.getByRole("heading", { level: 1, name: "Sign in to Waymark" }).waitFor();
  await page.goto(await stage.link());
  await page.locator(".link-state.live").waitFor();
  for (const [from, to] of [
    ["second", "first"],
    ["first", "second"],
  ] as const) {
    await turn(from, to);
    await page.locator(".link-state.live").waitFor();
  }
});

test("reveals nothing to another program on the board's port", {
  tags: ["port-reuse"],
  timeout: 120_000,
}, async () => {
  const stage = await on(demo);
  const page = await stage.open();
  const board = stage.url();
  const port = Number(new URL(board).port);
  await stage.stop();
  await page.locator(".strip.lost").waitFor();
  const other = await openOtherServer("http://127.0.0.1:9/", port);
  // The open page challenges the new server, which cannot prove itself.
  await page.getByText(/Open the link that waymark serve prints/).waitFor();
  expect(other.received.some(({ url }) => url.startsWith("/session?"))).toBe(true);
  expect(other.received.filter(({ url }) => url.startsWith("/api/"))).toEqual([]);
  // The other program has the same origin: it can use the key, but not read it.
  await visitOther(page.context(), other);
  expect(JSON.stringify(other.received)).toContain("no export: InvalidAccessError");
  await other.close();
  await stage.serve(port);
  expect(await replay(board, other.received)).toEqual([]);
  await page.locator(".link-state.live").waitFor();
});
