import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture, newUserHome, type UserHome } from "../sessions/home.ts";
import { needs } from "../skipped.ts";
import { claudeSession } from "./claude-session.ts";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";
import { start } from "./running.ts";
import { describeOnTerminal, NO_TTY, openTty, type Tty } from "./tty.ts";

const A = "aaaaaaaa-1111-4111-8111-111111111111";
const B = "bbbbbbbb-2222-4222-8222-222222222222";
const WAYMARK = `"${process.execPath}" "${PROGRAM}"`;

let machine: Machine;
let home: UserHome;
let open: Tty[] = [];
beforeEach(() => {
  machine = newMachine();
  home = newUserHome();
});
afterEach(async () => {
  for (const { child, finished } of open) {
    child.kill("SIGKILL");
    await finished.catch(() => undefined);
  }
  open = [];
  machine.remove();
  home.remove();
});

const envOf = () => ({ HOME: home.path, WAYMARK_HOME: machine.home });

/** Runs the command and prints its exit code and whether the terminal was restored. */
function onTerminal(command: string, columns = 80, rows = 24): Tty {
  const before = join(machine.root, "before");
  const after = join(machine.root, "after");
  const script = `trap : INT; stty -g > "${before}"; ${command}; echo "ended with $?"; stty -g > "${after}"`;
  const tty = openTty(script, { columns, rows, env: envOf() });
  open.push(tty);
  return tty;
}

/** Drawing in place only moves up and clears rows. */
function strangeIn(raw: string): string | undefined {
  return /\x1b(?!\[(?:\d+A|2K|[\d;]*m))|[\x00-\x09\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/.exec(raw)?.[0];
}

function isRestored(): boolean {
  const contentOf = (name: string) => readFileSync(join(machine.root, name), "utf8");
  return contentOf("before").length > 10 && contentOf("before") === contentOf("after");
}

const fileOf = (session: string) => `.claude/projects/-p/${session}.jsonl`;

describeOnTerminal("watch on a terminal", () => {
  test("updates the table in place; Ctrl+C leaves it on the screen", async () => {
    const now = Date.now();
    const session = claudeSession(A, "/srv/shop")
      .prompt("Open the shop", now)
      .todos(
        [
          ["Sweep the floor", "in_progress"],
          ["Turn the sign", "pending"],
        ],
        now,
      );
    const path = home.write(fileOf(A), session.text());
    const old = session.text().length;
    const tty = onTerminal(`${WAYMARK} watch`);
    await tty.shows("0/2");
    session.todos(
      [
        ["Sweep the floor", "completed"],
        ["Turn the sign", "in_progress"],
      ],
      now,
    );
    appendFileSync(path, session.text().slice(old));
    await tty.shows("1/2");
    home.write(fileOf(B), claudeSession(B, "/srv/yard").prompt("Rake the yard", now).text());
    await tty.shows("Rake the yard");
    tty.type("\x03");
    expect(await tty.finished).toBe(0);
    const lines = tty.text().split("\n");
    expect(lines.slice(0, 4).map((line) => line.slice(0, 6))).toEqual([
      "",
      "AGENT ",
      "Claude",
      "Claude",
    ]);
    // No row of an earlier drawing is left, and none is duplicated.
    expect(lines.slice(4)).toEqual(["^Cended with 130"]);
    expect(lines[2]?.concat(lines[3] ?? "")).not.toContain("0/2");
    expect(strangeIn(tty.raw())).toBeUndefined();
    expect(isRestored()).toBe(true);
  });

  test("updates the list of one session in a small window", async () => {
    const now = Date.now();
    const texts = Array.from({ length: 30 }, (_, place) => `Step ${place + 1} of thirty`);
    const listAt = (current: number) =>
      texts.map((text, place): [string, string] => [
        text,
        place < current ? "completed" : place === current ? "in_progress" : "pending",
      ]);
    const session = claudeSession(A, "/srv/shop").prompt("Go", now).todos(listAt(3), now);
    const path = home.write(fileOf(A), session.text());
    const old = session.text().length;
    const tty = onTerminal(`${WAYMARK} watch ${A}`, 40, 12);
    await tty.shows("Step 4 of thirty");
    session.todos(listAt(20), now);
    appendFileSync(path, session.text().slice(old));
    await tty.shows("Step 21 of thirty");
    tty.type("\x03");
    expect(await tty.finished).toBe(0);
    expect(tty.text().split("\n").length).toBeLessThanOrEqual(12);
    expect(tty.text().split("\n").at(-1)).toBe("^Cended with 130");
    expect(tty.text()).not.toContain("Step 4 of thirty");
    expect(tty.highest()).toBeLessThan(12);
    expect(strangeIn(tty.raw())).toBeUndefined();
    expect(isRestored()).toBe(true);
  });

  test("prints no colors with NO_COLOR", async () => {
    const now = Date.now();
    home.write(fileOf(A), claudeSession(A, "/srv/shop").prompt("Open the shop", now).text());
    const colors = [];
    for (const wanted of ["", "NO_COLOR=1 "]) {
      const tty = onTerminal(`${wanted}${WAYMARK} watch`);
      await tty.shows("Open the shop");
      tty.type("\x03");
      expect(await tty.finished).toBe(0);
      colors.push(/\x1b\[[\d;]+m/.test(tty.raw()));
    }
    expect(colors).toEqual([true, false]);
  });
});

describeOnTerminal("pipe on a terminal", () => {
  test("keeps the list at the bottom and logs changes above it", async () => {
    const lines = fixture("codex/exec/simple.jsonl").trimEnd().split("\n");
    const [first, second] = [join(machine.root, "first"), join(machine.root, "second")];
    const list = lines.findIndex((line) => line.includes('"todo_list"')) + 1;
    writeFileSync(first, `${lines.slice(0, list).join("\n")}\n`);
    writeFileSync(second, `${lines.slice(list).join("\n")}\n`);
    const go = join(machine.root, "go");
    const feed = `{ cat "${first}"; until [ -e "${go}" ]; do sleep 0.1; done; cat "${second}"; }`;
    const tty = onTerminal(`${feed} | ${WAYMARK} pipe`, 60, 14);
    await tty.shows("0 of 2");
    expect(tty.text()).toContain("Find the slow query");
    writeFileSync(go, "");
    expect(await tty.finished).toBe(0);
    const text = tty.text();
    expect(text).toContain("2 of 2");
    expect(text).not.toContain("0 of 2");
    expect(strangeIn(tty.raw())).toBeUndefined();
    expect(text.split("\n").at(-1)).toBe("ended with 0");
    expect(isRestored()).toBe(true);
  });
});

describe("a long first read", () => {
  const FILES = 5;
  /** Writes sessions, and a module that speeds up the clock so that any read takes long. */
  const fill = (): string => {
    mkdirSync(join(home.path, ".claude/projects/-p"), { recursive: true });
    for (let place = 0; place < FILES; place++) {
      const session = A.replace(/^./, String(place));
      home.write(fileOf(session), claudeSession(session, "/s").prompt("Go", 1).text());
    }
    return home.write(
      "fast-clock.cjs",
      "const begun = Date.now(); Date.now = () => begun + (performance.now() | 0) * 1_000;\n",
    );
  };

  test("shows its progress on a terminal and removes it", needs(NO_TTY), async () => {
    const clock = fill();
    const tty = onTerminal(
      `NODE_OPTIONS='--require "${clock}"' ${WAYMARK} ls --json > "${machine.root}/out"`,
    );
    // Output that is removed in the same write never appears on the screen; one of two files is enough.
    const far = new RegExp(`Reading sessions: [1-${FILES}] of ${FILES}`);
    await tty.until(() => far.test(tty.raw()), far.source);
    expect(await tty.finished).toBe(0);
    expect(tty.text()).toBe("ended with 0");
    const found = JSON.parse(readFileSync(join(machine.root, "out"), "utf8"));
    expect(found).toHaveLength(FILES);
  });

  test("shows no progress without a terminal", async () => {
    const env = { ...envOf(), NODE_OPTIONS: `--require "${fill()}"` };
    const { finished } = start(process.execPath, [PROGRAM, "ls", "--json"], env);
    const { code, stderr, stdout } = await finished;
    expect({ code, stderr, found: JSON.parse(stdout.toString()).length }).toEqual({
      code: 0,
      stderr: "",
      found: FILES,
    });
  });
});
