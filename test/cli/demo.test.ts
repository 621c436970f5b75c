import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { TracksResponse } from "../../src/core/wire.ts";
import { FULL } from "../full.ts";
import { pageHeadersBy } from "../servers/http/sign-in.ts";
import { newBoards } from "./boards.ts";
import { PROGRAM } from "./machine.ts";
import { start } from "./running.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();

test("prints the recording, one line per change", () => {
  const { status, stdout } = boards.machine.run(["demo", "--plain", "--speed", "40"]);
  const lines = stdout.trimEnd().split("\n");
  const has = (text: string) => lines.some((line) => line.includes(text));
  expect(status).toBe(0);
  for (const text of [
    "Claude Code ledger-api/explore",
    "Codex infra",
    "Gemini CLI ledger-web",
    "opencode ledger-web",
    "✓✓ Add the idempotency_key column",
    "note: Keep the postcode field",
  ])
    expect([text, has(text)]).toEqual([text, true]);
  expect(boards.machine.run(["demo", "--speed", "fast"]).status).toBe(2);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "removes its files when %s ends it",
  async (signal) => {
    const place = join(boards.machine.root, `demo-${signal}`);
    mkdirSync(place);
    const args = [PROGRAM, "demo", "--plain"];
    const demo = start(process.execPath, args, { HOME: boards.machine.root, TMPDIR: place });
    // Some versions of Node store compiled code there.
    const left = () => readdirSync(place).filter((name) => name.startsWith("waymark-"));
    await demo.untilPrinted("Claude Code");
    expect(left().length).toBe(1);
    demo.child.kill(signal);
    expect((await demo.finished).signal).toBe(signal);
    expect(left()).toEqual([]);
  },
);

/** The stream up to and including the wanted event. */
async function readUntil({ body }: Response, wanted: string): Promise<string> {
  let text = "";
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    const place = text.indexOf(wanted);
    if (place >= 0 && text.includes("\n\n", place)) return text;
  }
  throw new Error(`the stream ended without ${wanted}`);
}

/** `demo --page` without a terminal, and the event stream of a signed-in browser. */
async function pageDemo(place: string, speed: string) {
  mkdirSync(place);
  const env = { HOME: boards.machine.root, TMPDIR: place };
  const demo = start(process.execPath, [PROGRAM, "demo", "--page", "--speed", speed], env);
  const opening = await demo.finds(/Page: (http:\S+)/);
  const headers = await pageHeadersBy(opening);
  const get = (path: string) => fetch(new URL(path, opening), { headers });
  const tracks = async () => (await (await get("/api/tracks")).json()) as TracksResponse;
  const interrupt = async () => {
    demo.child.kill("SIGINT");
    expect((await demo.finished).signal).toBe("SIGINT");
    expect(readdirSync(place).filter((name) => name.startsWith("waymark-"))).toEqual([]);
  };
  return { demo, get, tracks, interrupt };
}

test("demo --page marks the page as a demo while the recording plays", async () => {
  // Slow enough not to end during the test.
  const { tracks, interrupt } = await pageDemo(join(boards.machine.root, "slow"), "0.1");
  expect((await tracks()).demo).toEqual({ over: false });
  await interrupt();
});

test("demo --page without a terminal prints when it is over and serves the page until Ctrl+C", async () => {
  const place = join(boards.machine.root, "demo-page");
  const { demo, get, tracks, interrupt } = await pageDemo(place, "40");
  // From the first event: the recording may end before the first response.
  const [era] = (await tracks()).position.split(".");
  const events = await get(`/api/events?after=${era}.0`);
  await demo.untilPrinted("The demo is over. The page stays open until you press Ctrl+C.");
  expect((await tracks()).demo).toMatchObject({ over: true, overAt: expect.any(Number) });
  expect(await readUntil(events, "event: demo\n")).toContain('data: {"over":true,"overAt":');
  // No agent works at the end.
  await expect
    .poll(async () => (await tracks()).tracks.filter(({ state }) => state === "working"))
    .toEqual([]);
  await interrupt();
});

describeOnTerminal("the demo on a terminal", () => {
  test.each(
    FULL
      ? [
          [40, 12],
          [80, 24],
          [120, 40],
        ]
      : [[40, 12]],
  )(
    "%ix%i: shows a badge and an end card, replays, and prints a summary that fits",
    async (columns, rows) => {
      const tty = boards.board(columns, rows, {}, "demo --speed 30");
      await tty.shows(" DEMO ");
      await tty.shows("Make refunds idempotent");
      await tty.shows("The demo is over.");
      await tty.shows("1:04");
      // No agent works, so the screen is static.
      tty.type("\r");
      await tty.until((lines) => !lines.join().includes("The demo is over."), "the board below");
      // The board may still be reading the last changes of the recording.
      await tty.until(
        (lines) => !/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|working/.test(lines.join("\n")),
        "that no agent works after the demo",
      );
      expect(tty.screen().join("\n")).toContain(" DEMO ");
      tty.type("r");
      await tty.until((lines) => /0:\d\d/.test(lines[0] ?? ""), "the demo again");
      await tty.shows("The demo is over.");
      tty.type("q");
      expect(await tty.finished).toBe(0);
      const text = tty.text();
      expect(text).toContain("ended with 0\nas it was");
      // The suggested command works in this directory, although waymark is not on PATH.
      expect(text).toContain("  node bin/waymark.js setup\n");
      expect(text.split("\n").filter((line) => line.length > columns)).toEqual([]);
    },
  );

  test("the end card names the agents of this machine, not those of the recording", async () => {
    const codex = boards.home.write("bin/codex", "#!/bin/sh\necho codex-cli 0.166.0\n");
    chmodSync(codex, 0o755);
    const PATH = `${dirname(codex)}${delimiter}${process.env.PATH}`;
    const tty = boards.board(80, 24, { PATH }, "demo --speed 100");
    await tty.shows("The demo is over.");
    await tty.shows("node bin/waymark.js setup codex   give Codex a todo list");
    await tty.shows("Found here: Codex (todo list off).");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
