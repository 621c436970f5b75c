import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { enterBy } from "../hosts/http/entering.ts";
import { until } from "../until.ts";
import { newBoards } from "./boards.ts";
import { claudeSession } from "./claude-session.ts";
import { describeOnTerminal } from "./tty.ts";

const START = join(import.meta.dirname, "../../scripts/start.mjs");
const A = "aaaaaaaa-1111-4111-8111-111111111111";
const FILE = `.claude/projects/-srv-shop/${A}.jsonl`;
const ADDRESS = /The page: (http:\/\/127\.0\.0\.1:\d+\/\S*)/;

/** The link on the screen, which may go on in the next row. */
function linkIn(rows: readonly string[]): string {
  const text = rows.map((row) => row.trim()).join("");
  return /http:\/\/127\.0\.0\.1:\d+\/open#[\w-]{32}/.exec(text)?.[0] ?? "";
}

const boards = newBoards();
let child: ChildProcess | undefined;
afterEach(async () => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child?.once("close", resolve));
  child.kill("SIGTERM");
  await closed;
});

/** `npm start` where nobody looks; resolves when it said what is looked for. */
function started() {
  let said = "";
  const started = spawn(process.execPath, [START], {
    env: { PATH: process.env.PATH, ...boards.env() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child = started;
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const says = (wanted: RegExp) =>
    until(() => wanted.exec(said), `output that matches ${wanted}`).catch((error) => {
      throw new Error(`${error.message}\n${said}`);
    });
  return { child: started, says };
}

test("without a terminal: how everything stands, where the page is, then each change", async () => {
  const now = Date.now();
  const session = claudeSession(A, "/srv/shop")
    .prompt("Open the shop", now)
    .todos([["Sweep the floor", "in_progress"]], now);
  const path = boards.home.write(FILE, session.text());
  const { says } = started();
  await says(/Open the shop/);
  const [, address = ""] = await says(ADDRESS);
  const entered = await enterBy(address);
  expect(entered.headers.get("set-cookie")).toMatch(/^waymark-\w+=.*HttpOnly/);
  const old = session.text().length;
  session.todos([["Sweep the floor", "completed"]], Date.now());
  appendFileSync(path, session.text().slice(old));
  await says(/✓ +Sweep the floor/);
});

test("where no agent was ever run it plays the recorded team", async () => {
  const { says } = started();
  await says(/No agent has run here yet: this is a recorded team\./);
  await says(ADDRESS);
  await says(/Claude Code ledger-api/);
});

describeOnTerminal("npm start on a terminal", () => {
  test("the board, with the page beside it; both end together", async () => {
    boards.home.write(FILE, claudeSession(A, "/srv/shop").prompt("Open it", Date.now()).text());
    const tty = boards.board(80, 24, {}, "", { program: `"${process.execPath}" "${START}"` });
    await tty.shows("Open it");
    await tty.shows(" w page ");
    expect(tty.isOther()).toBe(true);
    // Each link works, though the one before was used, and the keys stay where they are.
    const links = new Set<string>();
    for (let round = 0; round < 3; round++) {
      tty.type("w");
      await tty.until((rows) => !links.has(linkIn(rows)) && linkIn(rows) !== "", "a new link");
      const link = linkIn(tty.screen());
      links.add(link);
      expect((await enterBy(link)).status).toBe(204);
      expect((await enterBy(link)).ok).toBe(false);
      const copied = `\x1b]52;c;${Buffer.from(link).toString("base64")}\x07`;
      await tty.until(
        (rows) =>
          /enter open .*\? help {2}q quit/.test(rows.at(-1) ?? "") && tty.raw().includes(copied),
        "the keys, and the link in the clipboard",
      );
    }
    tty.type("q");
    expect(await tty.finished).toBe(0);
    // No link stays behind: it would lead nowhere.
    expect(tty.text()).not.toContain("http://");
    await expect(fetch([...links][0] ?? "")).rejects.toThrow();
    expect(tty.text()).toContain("ended with 0\nas it was");
  });
});
