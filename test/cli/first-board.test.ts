import { chmodSync, readdirSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { expect, test } from "vitest";
import { signInBy } from "../servers/http/sign-in.ts";
import { newBoards } from "./boards.ts";
import { claudeSession } from "./claude-session.ts";
import { linkIn } from "./link-in.ts";
import { PROGRAM } from "./machine.ts";
import { start } from "./running.ts";
import { describeOnTerminal } from "./tty.ts";

const A = "aaaaaaaa-1111-4111-8111-111111111111";
const FILE = `.claude/projects/-srv-shop/${A}.jsonl`;

const boards = newBoards();

/** PATH with a Codex whose list is off by default. */
function withCodex(): string {
  const codex = boards.home.write("bin/codex", "#!/bin/sh\nsleep 1\necho codex-cli 0.166.0\n");
  chmodSync(codex, 0o755);
  return `${dirname(codex)}${delimiter}${process.env.PATH}`;
}

/** Everything the board asked the terminal to copy, in order. */
function copiedLinks(raw: string): string[] {
  return [...raw.matchAll(/\x1b\]52;c;([^\x07]*)\x07/g)].map(([, text = ""]) =>
    Buffer.from(text, "base64").toString(),
  );
}

describeOnTerminal("the first board", () => {
  test("without an agent, shows where Waymark looks and commands that work in this directory", async () => {
    const tty = boards.board(80, 24);
    await tty.shows("No sessions yet.");
    await tty.shows("~/.claude/projects");
    expect(tty.text()).toMatch(/Codex +~\/\.codex\/sessions \+1 +not found/);
    expect(tty.text()).toContain("node bin/waymark.js demo");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    // Nothing is created in the home directory or in WAYMARK_HOME.
    expect(readdirSync(boards.home.path)).toEqual([]);
  });

  test("with an installed agent without sessions, shows that its list is off and what to run", async () => {
    const tty = boards.board(80, 24, { PATH: withCodex() });
    // The board does not wait for the version of the program.
    await tty.shows("No sessions yet.");
    await tty.shows("todo list off");
    expect(tty.text()).toContain("node bin/waymark.js setup codex");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("with sessions, names the agent whose list is off until it is set up", async () => {
    const now = Date.now();
    // A Claude Code whose default model has no list tool.
    const session = claudeSession(A, "/srv/shop").prompt("Open it", now).end(now);
    boards.home.write(FILE, session.text());
    const tty = boards.board(120, 40, { PATH: withCodex() });
    await tty.shows("Open it");
    await tty.shows("Todo list off: Claude Code, Codex");
    const line = tty.screen().find((row) => row.includes("Todo list off"));
    expect(line).toMatch(/node bin\/waymark\.js setup$/);
    tty.type("q");
    expect(await tty.finished).toBe(0);
    const env = { ...boards.env(), PATH: withCodex() };
    for (const agent of ["claude", "codex"]) {
      const done = start(process.execPath, [PROGRAM, "setup", agent, "--yes"], env);
      expect((await done.finished).code).toBe(0);
    }
    const again = boards.board(120, 40, { PATH: withCodex() });
    await again.shows("Open it");
    await again.until((rows) => rows.at(-1)?.includes("enter open") === true, "the keys");
    expect(again.text()).not.toContain("Todo list off");
    again.type("q");
    expect(await again.finished).toBe(0);
  });

  test.each([
    [40, 12],
    [80, 24],
  ])("%ix%i: w gets a new link from the running server each time", async (columns, rows) => {
    boards.home.write(FILE, claudeSession(A, "/srv/shop").prompt("Open it", Date.now()).text());
    const args = [PROGRAM, "serve", "--port", "0", "--no-open"];
    const serving = start(process.execPath, args, boards.env());
    const first = await serving.finds(/(http:\S+)/);
    expect((await signInBy(first)).ok).toBe(true);
    const tty = boards.board(columns, rows);
    await tty.shows("Open it");
    const links = new Set([first]);
    for (let round = 0; round < 2; round++) {
      tty.type("w");
      await tty.until((rows) => linkIn(rows) !== "" && !links.has(linkIn(rows)), "a new link");
      links.add(linkIn(tty.screen()));
      expect((await signInBy(linkIn(tty.screen()))).ok).toBe(true);
    }
    // The link copied from an open session leads to that session.
    tty.type("\r");
    await tty.until((rows) => !rows.at(-1)?.includes("enter open"), "the session");
    tty.type("w");
    await tty.until(() => copiedLinks(tty.raw()).length === 3, "a copied link");
    const copied = copiedLinks(tty.raw()).at(-1) ?? "";
    expect(copied).toMatch(new RegExp(`\\?to=%2Ftrack%2F${A}~main$`));
    expect((await signInBy(copied)).ok).toBe(true);
    serving.child.kill("SIGTERM");
    await serving.finished;
    tty.type("w");
    await tty.shows("The page is not being served.");
    // It may wrap to the next row.
    expect(
      tty
        .screen()
        .map((row) => row.trim())
        .join(" "),
    ).toContain("node bin/waymark.js serve");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
