import { expect, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import { expectAccessibleNow } from "./audit.ts";
import { EDITING, editedRepository } from "./editing.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const TRACK = pagePath({ session: EDITING, agent: "main" });

test("mutes a finding in all tabs, and shows it again", async () => {
  const stage = await on(editedRepository);
  const [one, two] = [await stage.open({ bypassCSP: true }), await stage.open()];
  await two.getByRole("heading", { name: "1 working (stuck)." }).waitFor();
  await one.goto(new URL(TRACK, stage.url()).href);
  const pill = one.locator(".hero .pill", { hasText: "Stalled" });
  await pill.waitFor();
  await one.keyboard.press("M");
  const dialog = one.getByRole("dialog", { name: "Mute: Stalled" });
  await dialog.getByText(/no output for/).waitFor();
  await expectAccessibleNow(one);
  await one.keyboard.press("1");
  await one.getByText("Stalled: muted for an hour.").waitFor();
  await pill.waitFor({ state: "detached" });
  await one
    .locator(".hero")
    .getByText(/Stalled, muted until \d\d:\d\d/)
    .waitFor();
  await two.getByRole("heading", { name: "1 working." }).waitFor();
  await two
    .locator(".track")
    .getByText(/Stalled, muted until/)
    .waitFor();

  await one.getByRole("button", { name: /^Undo/ }).click();
  await pill.waitFor();
  await two.getByRole("heading", { name: "1 working (stuck)." }).waitFor();

  // On the board, with the selected session.
  await two.locator(".track.selected").waitFor();
  await two.keyboard.press("M");
  await two.getByRole("button", { name: "Until it changes" }).click();
  await two.getByRole("heading", { name: "1 working." }).waitFor();
  await one.locator(".hero").getByText("Stalled, muted until it changes").waitFor();
  await one.getByRole("button", { name: "Unmute: Stalled" }).click();
  await pill.waitFor();
  await two.getByRole("heading", { name: "1 working (stuck)." }).waitFor();
  expect(await two.getByText(/, muted/).count()).toBe(0);
});

test("refuses programs that mute", async () => {
  const stage = await on(editedRepository);
  const { readFileSync } = await import("node:fs");
  const token = readFileSync(`${stage.machine.home}/serve-token`, "utf8").trim();
  const url = `${stage.url()}api/tracks/${encodeURIComponent(`${EDITING}~main`)}/mute`;
  const send = (body: unknown) =>
    fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await send({ kind: "stalled", end: "hour" })).status).toBe(403);
  expect((await send({ kind: "stalled", end: "day" })).status).toBe(400);
});
