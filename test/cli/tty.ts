import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { describe } from "vitest";
import { needs } from "../skipped.ts";
import { remember } from "../started.ts";
import { PROGRAM } from "./machine.ts";

/** A shell script in a real terminal, with the screen as a terminal emulator draws it. */
export interface Tty {
  readonly child: ChildProcess;
  /** The rows of the screen, without the blanks at their ends. */
  screen(): readonly string[];
  /** The same, and what has left it at the top. */
  scrollback(): readonly string[];
  /** All of it as one text, without the blanks at the end. */
  text(): string;
  /** Everything that was ever written, byte for byte. */
  raw(): string;
  /** When the bytes came, in pieces. */
  pieces(): readonly { readonly at: number; readonly bytes: string }[];
  /** How far the cursor ever went up in one step. */
  highest(): number;
  /** How many cells a letter on the screen takes. */
  widthAt(row: number, column: number): number;
  /** Whether the screen of full-size programs is shown. */
  isOther(): boolean;
  /** Resolves when the screen is as wanted. */
  until(wanted: (rows: readonly string[]) => boolean, what: string): Promise<void>;
  /** Resolves when the text is on the screen or above it. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves with the exit code of the script. */
  readonly finished: Promise<number | null>;
}

/** `script` of util-linux is what makes a terminal; other systems have one with other options. */
export const NO_TTY =
  process.platform !== "linux" || spawnSync("script", ["--version"]).status !== 0
    ? "there is no script of util-linux, which makes a terminal"
    : "";

/** Tests that need a terminal. Where there is none they are skipped. */
export function describeOnTerminal(name: string, tests: () => void): void {
  describe(name, needs(NO_TTY), tests);
}

/** Generous: only what never comes waits that long. */
const PATIENCE = 30_000;

export interface TtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export function openTty(
  command: string,
  { columns = 80, rows = 24, env = {} }: TtyOptions = {},
): Tty {
  const root = mkdtempSync(join(tmpdir(), "waymark-tty-"));
  const name = join(root, "name");
  const script = `tty > "${name}"; stty cols ${columns} rows ${rows}; ${command}`;
  const child = remember(
    spawn("script", ["-qefc", script, "/dev/null"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH,
        SHELL: "/bin/sh",
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
        TZ: "UTC",
        ...env,
      },
    }),
  );
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 500 });
  const looks = new Set<() => void>();
  const pieces: { readonly at: number; readonly bytes: string }[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    pieces.push({ at: performance.now(), bytes: chunk.toString("latin1") });
    terminal.write(chunk, () => {
      for (const look of looks) look();
    });
  });
  child.stdin.on("error", () => undefined);
  child.setMaxListeners(0);
  const raw = () => pieces.map(({ bytes }) => bytes).join("");
  const lines = (from: number, to: number) => {
    const { active } = terminal.buffer;
    return Array.from(
      { length: to - from },
      (_, place) => active.getLine(from + place)?.translateToString(true) ?? "",
    );
  };
  const screen = () => {
    const { baseY } = terminal.buffer.active;
    return lines(baseY, baseY + terminal.rows);
  };
  const scrollback = () => lines(0, terminal.buffer.active.length);
  const text = () => scrollback().join("\n").trimEnd();
  const until: Tty["until"] = (wanted, what) =>
    new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why} ${what}:\n${screen().join("\n")}`));
      // biome-ignore lint/style/noRestrictedGlobals: ends a wait for output that never comes
      const timer = setTimeout(() => fail("the screen never showed"), PATIENCE);
      const look = () => {
        if (!wanted(screen())) return;
        clearTimeout(timer);
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      // The emulator draws later than the bytes arrive: the last of them count, too.
      child.once("close", () =>
        terminal.write("", () => {
          look();
          fail("it ended without showing");
        }),
      );
      look();
    });
  return {
    child,
    screen,
    scrollback,
    text,
    raw,
    pieces: () => pieces,
    highest: () =>
      Math.max(0, ...Array.from(raw().matchAll(/\x1b\[(\d+)A/g), ([, up]) => Number(up))),
    widthAt: (row, column) => {
      const { active } = terminal.buffer;
      return (
        active
          .getLine(active.baseY + row)
          ?.getCell(column)
          ?.getWidth() ?? 0
      );
    },
    isOther: () => terminal.buffer.active.type === "alternate",
    until,
    shows: (wanted) => until(() => text().includes(wanted), `"${wanted}"`),
    type: (keys) => void child.stdin.write(keys),
    resize(width, height) {
      if (!existsSync(name)) throw new Error("the script has not said which terminal it has");
      terminal.resize(width, height);
      const path = readFileSync(name, "utf8").trim();
      spawnSync("stty", ["-F", path, "cols", String(width), "rows", String(height)]);
    },
    finished: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        rmSync(root, { recursive: true, force: true });
        terminal.write("", () => resolve(code));
      });
    }),
  };
}

/** The program in a terminal. */
export interface ProgramTty extends Tty {
  pid(): number;
}

/**
 * Runs the program with these words; says at the end how it ended, and whether the terminal is as it
 * was before. `folder` is for what the script leaves.
 */
export function openProgram(
  args: string,
  folder: string,
  options: TtyOptions & { readonly program?: string },
): ProgramTty {
  const name = mkdtempSync(join(folder, "tty-"));
  const { program = `"${process.execPath}" "${PROGRAM}"` } = options;
  const tty = openTty(
    [
      `stty -g > "${name}/before"`,
      // The shell becomes the program, so that its number is the program's.
      `sh -c 'echo $$ > "${name}/pid"; exec ${program} ${args}'`,
      'echo "ended with $?"',
      `stty -g > "${name}/after"`,
      `cmp -s "${name}/before" "${name}/after" && echo "as it was"`,
    ].join("; "),
    options,
  );
  return { ...tty, pid: () => Number(readFileSync(join(name, "pid"), "utf8")) };
}
