import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { type OtherServer, openOtherServer, replay } from "./other-server.ts";
import { stageOfEach } from "./stage.ts";

const on = stageOfEach();
const demo = (machine: Machine) => {
  machine.run(["todo", "add", "Lay the table", "--session", "demo"]);
};
const TRACK = pagePath({ session: "demo", agent: "main" });

/** The user visits the other server, which attacks from its page. */
async function visitOther(context: BrowserContext, other: OtherServer): Promise<void> {
  const before = other.reports();
  const page = await context.newPage();
  await page.goto(other.url);
  await expect.poll(other.reports, { timeout: 20_000 }).toBeGreaterThan(before);
  await page.close();
}

test("N3 what a server on another port receives opens nothing, before and after a restart", async () => {
  const made = await on(demo);
  const page = await made.open();
  const context = page.context();
  const board = made.url();
  const other = await openOtherServer(board);
  await visitOther(context, other);
  // From a page of the board: with the board as the opener, and by a link.
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

  await made.stop();
  await made.serve(Number(new URL(board).port));
  expect(await replay(board, other.received)).toEqual([]);
  await page.goto(board);
  await page.locator(".link-state.live").waitFor();
  await visitOther(context, other);
  expect(JSON.stringify(other.received)).not.toContain("Lay the table");
  expect(await replay(board, other.received)).toEqual([]);
}, 120_000);

test("N3 a browser stays signed in: reload, another tab, a restart, a bookmark", async () => {
  const made = await on(demo);
  const page = await made.open();
  const board = made.url();
  const isLive = () => page.locator(".link-state.live").waitFor();
  const tab = await page.context().newPage();
  await tab.goto(new URL(`${TRACK}#plan`, board).href);
  await tab.locator(".link-state.live").waitFor();
  await page.reload();
  await isLive();
  await made.stop();
  await page.locator(".strip.lost").waitFor();
  await made.serve(Number(new URL(board).port));
  await isLive();
  await tab.close();
  await page.goto("about:blank");
  await page.goto(new URL(TRACK, board).href);
  await isLive();
  await page.getByText("Lay the table").first().waitFor();
  expect(new URL(page.url()).pathname).toBe(TRACK);
  expect(await page.context().cookies()).toEqual([]);
});

test("a browser stays signed in to each of two servers that take turns on a port", async () => {
  const made = await on(demo);
  const page = await made.open();
  const board = made.url();
  const token = join(made.machine.home, "serve-token");
  const turn = async (from: string, to: string) => {
    await made.stop();
    renameSync(token, `${token}.${from}`);
    if (existsSync(`${token}.${to}`)) renameSync(`${token}.${to}`, token);
    await made.serve(Number(new URL(board).port));
    await page.goto(board);
  };
  await turn("first", "second");
  await page.getByRole("heading", { level: 1, name: "Sign in to Waymark" }).waitFor();
  await page.goto(await made.link());
  await page.locator(".link-state.live").waitFor();
  for (const [from, to] of [
    ["second", "first"],
    ["first", "second"],
  ] as const) {
    await turn(from, to);
    await page.locator(".link-state.live").waitFor();
  }
});

test("N3 another program on the board's port learns nothing that opens it later", async () => {
  const made = await on(demo);
  const page = await made.open();
  const board = made.url();
  const port = Number(new URL(board).port);
  await made.stop();
  await page.locator(".strip.lost").waitFor();
  const other = await openOtherServer("http://127.0.0.1:9/", port);
  // The page that is still open asks who is there, and gets no proof.
  await page.getByText(/Open the link that waymark serve prints/).waitFor();
  expect(other.received.some(({ url }) => url.startsWith("/session?"))).toBe(true);
  expect(other.received.filter(({ url }) => url.startsWith("/api/"))).toEqual([]);
  // A page of the other program has the same origin: it sees the key, and cannot read it.
  await visitOther(page.context(), other);
  expect(JSON.stringify(other.received)).toContain("no export: InvalidAccessError");
  await other.close();
  await made.serve(port);
  expect(await replay(board, other.received)).toEqual([]);
  await page.locator(".link-state.live").waitFor();
}, 120_000);
