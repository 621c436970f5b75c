import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pause, until } from "../until.ts";
import { newBoards, untilGone } from "./boards.ts";
import { PROGRAM } from "./machine.ts";
import { describeOnTerminal, openTty } from "./tty.ts";

const boards = newBoards();
const { board, write } = boards;

/** Bytes; less than one full frame. */
const PAGE = 1_000;

/** Bytes that a process has written so far. */
function writtenBy(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

describeOnTerminal("the end of a board", () => {
  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)(
    "%s gives the terminal back",
    { tags: ["terminal-restore"] },
    async (signal, code) => {
      write("yard", [["Rake the leaves", "in_progress"]]);
      const tty = board(80, 24);
      await tty.shows("Rake the leaves");
      process.kill(tty.pid(), signal);
      await tty.finished;
      expect(tty.text()).toContain(`ended with ${code}\nas it was`);
      expect(tty.isOther()).toBe(false);
    },
  );

  test("exits when its terminal closes", async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const tty = board(80, 24);
    await tty.shows("Rake the leaves");
    const pid = tty.pid();
    tty.child.kill("SIGKILL");
    await untilGone(pid);
  });

  test("exits when its parent process ends but the terminal stays", {
    tags: ["terminal-restore"],
  }, async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const { root } = boards.machine;
    const between = join(root, "between.mjs");
    // Starts the program and is killed.
    writeFileSync(
      between,
      `import { spawn } from "node:child_process";
       import { writeFileSync } from "node:fs";
       writeFileSync("${root}/between", String(process.pid));
       spawn(process.execPath, ["${PROGRAM}"], { stdio: "inherit" });
       setInterval(() => {}, 1000);`,
    );
    const tty = openTty(
      `stty -g > "${root}/before"; "${process.execPath}" "${between}"; ` +
        `until [ -e "${root}/over" ]; do sleep 0.1; done; stty -g > "${root}/after"`,
      { env: boards.env() },
    );
    await tty.shows("Rake the leaves");
    expect(tty.isOther()).toBe(true);
    process.kill(Number(readFileSync(join(root, "between"), "utf8")), "SIGKILL");
    await tty.until(() => tty.text().includes("Your agents keep running."), "the end");
    writeFileSync(join(root, "over"), "");
    expect(await tty.finished).toBe(0);
    expect(tty.isOther()).toBe(false);
    const kept = (name: string) => readFileSync(join(root, name), "utf8");
    expect(kept("after")).toBe(kept("before"));
  });

  test("exits although the terminal is not read", { tags: ["slow-terminal"] }, async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const tty = board(200, 50);
    await tty.shows("Rake the leaves");
    process.kill(tty.child.pid ?? 0, "SIGSTOP");
    // Redraws until the buffer of the terminal is full.
    let written = writtenBy(tty.pid());
    let drawn = 0;
    let stuck = 0;
    await until(
      () => {
        tty.resize(200 - (drawn++ % 2), 50);
        const now = writtenBy(tty.pid());
        stuck = now - written < PAGE ? stuck + 1 : 0;
        written = now;
        return stuck === 10;
      },
      "a terminal that is full",
      { interval: 100 },
    );
    process.kill(tty.pid(), "SIGTERM");
    await untilGone(tty.pid());
    process.kill(tty.child.pid ?? 0, "SIGCONT");
  });

  test("restores the terminal and prints an unexpected error", {
    tags: ["terminal-restore"],
  }, async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const planted = join(boards.machine.root, "planted.cjs");
    writeFileSync(
      planted,
      'process.on("SIGUSR2", () => setTimeout(() => { throw new Error("planted \\x1b[2Jfault"); }));',
    );
    const tty = board(80, 24, { NODE_OPTIONS: `--require=${planted}` });
    await tty.shows("Rake the leaves");
    process.kill(tty.pid(), "SIGUSR2");
    await tty.finished;
    const left = tty.text();
    expect(left).toContain("waymark: Unexpected error: planted");
    expect(left).toContain("ended with 3\nas it was");
    expect(tty.isOther()).toBe(false);
    const raw = tty.raw();
    expect(raw.lastIndexOf("\x1b[?1000l")).toBeGreaterThan(raw.lastIndexOf("\x1b[?1000h"));
    expect(tty.raw().split("\x1b[?1049l")[1]).not.toContain("\x1b[2J");
  });

  test("continues after SIGTSTP and SIGCONT and restores the terminal", {
    tags: ["terminal-restore"],
  }, async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const tty = board(80, 24);
    await tty.shows("Rake the leaves");
    process.kill(tty.pid(), "SIGSTOP");
    tty.type("?");
    process.kill(tty.pid(), "SIGCONT");
    await tty.until((rows) => !rows.join("\n").includes("Rake the leaves"), "the help");
    tty.type("\x1b");
    await tty.shows("Rake the leaves");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(tty.text()).toContain("ended with 0\nas it was");
    expect(tty.isOther()).toBe(false);
  });

  test("draws no more frames than usual during a thousand resizes in a second", {
    tags: ["slow-terminal"],
  }, async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const tty = board(80, 24);
    await tty.shows("Rake the leaves");
    const from = performance.now();
    for (let n = 0; n < 1_000; n++) {
      process.kill(tty.pid(), "SIGWINCH");
      if (n % 20 === 0) tty.resize(60 + (n % 60), 20 + (n % 7));
      if (n % 50 === 0) await pause(40, "spreads the changes over a second");
    }
    tty.resize(100, 30);
    await tty.until(
      (rows) => rows.length === 30 && rows.join("\n").includes("Rake the leaves"),
      "it",
    );
    const seconds = (performance.now() - from) / 1_000;
    const frames = tty
      .pieces()
      .filter(({ at }) => at > from)
      .reduce((count, { bytes }) => count + bytes.split("\x1b[?2026h").length - 1, 0);
    expect(frames).toBeLessThanOrEqual(30 * Math.max(1, seconds));
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("draws at most ten frames a second while keys are pressed", {
    tags: ["slow-terminal"],
  }, async () => {
    write("first", [["Rake the leaves", "in_progress"]]);
    write("second", [["Water the roses", "in_progress"]]);
    const tty = board(80, 24);
    await tty.shows("Rake the leaves");
    const from = performance.now();
    const frames = () =>
      tty
        .pieces()
        .filter(({ at }) => at > from)
        .reduce((count, { bytes }) => count + bytes.split("\x1b[?2026h").length - 1, 0);
    const keys = setInterval(() => tty.type("jk"), 10);
    await until(() => frames() >= 15, "15 frames").finally(() => clearInterval(keys));
    const seconds = (performance.now() - from) / 1_000;
    // Two more: one already in flight, and one that starts the first interval.
    expect(frames()).toBeLessThanOrEqual(10 * seconds + 2);
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
