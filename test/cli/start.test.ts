import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { signInBy } from "../servers/http/sign-in.ts";
import { until } from "../until.ts";
import { newBoards } from "./boards.ts";
import { claudeSession } from "./claude-session.ts";
import { linkIn } from "./link-in.ts";
import { describeOnTerminal } from "./tty.ts";

const ROOT = join(import.meta.dirname, "../..");
const START = join(ROOT, "scripts/start.mjs");
const A = "aaaaaaaa-1111-4111-8111-111111111111";
const FILE = `.claude/projects/-srv-shop/${A}.jsonl`;
const ADDRESS = /Page: (http:\/\/127\.0\.0\.1:\d+\/\S*)/;

const boards = newBoards();
let child: ChildProcess | undefined;
afterEach(async () => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child?.once("close", resolve));
  child.kill("SIGTERM");
  await closed;
});

/** `npm start` without a terminal. `untilPrinted` resolves when the output matches. */
function started(script = START, env: Readonly<Record<string, string>> = {}) {
  let output = "";
  const started = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...boards.env(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child = started;
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const untilPrinted = (wanted: RegExp) =>
    until(() => wanted.exec(output), `output that matches ${wanted}`).catch((error) => {
      throw new Error(`${error.message}\n${output}`);
    });
  return { child: started, untilPrinted };
}

test("prints the table, the link to the page and each change without a terminal", async () => {
  const now = Date.now();
  const session = claudeSession(A, "/srv/shop")
    .prompt("Open the shop", now)
    .todos([["Sweep the floor", "in_progress"]], now);
  const path = boards.home.write(FILE, session.text());
  const { untilPrinted } = started();
  await untilPrinted(/Open the shop/);
  const [, address = ""] = await untilPrinted(ADDRESS);
  const entered = await signInBy(address);
  expect(entered.status).toBe(200);
  const old = session.text().length;
  session.todos([["Sweep the floor", "completed"]], Date.now());
  appendFileSync(path, session.text().slice(old));
  await untilPrinted(/✓ +Sweep the floor/);
});

test("plays the demo if there are no sessions", async () => {
  const { untilPrinted } = started();
  await untilPrinted(/No agent has run here yet\. Starting the demo, a recording\./);
  await untilPrinted(ADDRESS);
  await untilPrinted(/Claude Code ledger-api/);
});

test("prints progress while it builds; an interrupted build leaves nothing behind", async () => {
  // A clone without a build.
  const clone = join(boards.machine.root, "clone");
  const temporary = join(boards.machine.root, "temporary");
  mkdirSync(temporary, { recursive: true });
  for (const name of ["bin", "scripts", "src", "package.json"])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  const before = new Set(readdirSync(clone));
  const start = started(join(clone, "scripts/start.mjs"), { TMPDIR: temporary });
  await start.untilPrinted(
    /Building Waymark\. .*\n {2}bundling the program, the library and the page\n/,
  );
  const closed = new Promise((resolve) => start.child.once("close", resolve));
  start.child.kill("SIGINT");
  await closed;
  expect(start.child.exitCode).toBe(1);
  expect(readdirSync(temporary)).toEqual([]);
  expect(existsSync(join(clone, "dist/cli.cjs"))).toBe(false);
  expect(readdirSync(clone).filter((name) => name !== "dist" && !before.has(name))).toEqual([]);
});

describeOnTerminal("npm start on a terminal", () => {
  test("opens the board and the page, which end together", async () => {
    boards.home.write(FILE, claudeSession(A, "/srv/shop").prompt("Open it", Date.now()).text());
    const tty = boards.board(80, 24, {}, "", { program: `"${process.execPath}" "${START}"` });
    await tty.shows("Open it");
    await tty.shows(" w page ");
    expect(tty.isOther()).toBe(true);
    // Each link works once, and the key line stays.
    const links = new Set<string>();
    for (let round = 0; round < 3; round++) {
      tty.type("w");
      await tty.until((rows) => !links.has(linkIn(rows)) && linkIn(rows) !== "", "a new link");
      const link = linkIn(tty.screen());
      links.add(link);
      expect((await signInBy(link)).status).toBe(200);
      expect((await signInBy(link)).ok).toBe(false);
      const copied = `\x1b]52;c;${Buffer.from(link).toString("base64")}\x07`;
      await tty.until(
        (rows) =>
          /enter open .*\? help {2}q quit/.test(rows.at(-1) ?? "") && tty.raw().includes(copied),
        "the keys, and the link in the clipboard",
      );
    }
    tty.type("q");
    expect(await tty.finished).toBe(0);
    // No dead link is left on the screen.
    expect(tty.text()).not.toContain("http://");
    await expect(fetch([...links][0] ?? "")).rejects.toThrow();
    expect(tty.text()).toContain("ended with 0\nas it was");
  });
});
