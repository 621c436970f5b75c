import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { describe } from "vitest";
import { endWithTest } from "../child-processes.ts";
import { needs } from "../skipped.ts";
import { PROGRAM } from "./machine.ts";

/** A shell script in a pseudo-terminal, with the screen of a terminal emulator. */
export interface Tty {
  readonly child: ChildProcess;
  /** The rows of the screen, without trailing blanks. */
  screen(): readonly string[];
  /** The rows, with the scrollback. */
  scrollback(): readonly string[];
  /** Rows and scrollback as one text. */
  text(): string;
  /** All bytes that were written. */
  raw(): string;
  /** The bytes in chunks, with their times. */
  pieces(): readonly { readonly at: number; readonly bytes: string }[];
  /** The largest step of the cursor upwards. */
  highest(): number;
  /** Width of a character on the screen. */
  widthAt(row: number, column: number): number;
  /** Whether the alternate screen is active. */
  isOther(): boolean;
  /** Resolves when the screen matches. */
  until(wanted: (rows: readonly string[]) => boolean, what: string): Promise<void>;
  /** Resolves when the text is on the screen or in the scrollback. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves with the exit code of the script. */
  readonly finished: Promise<number | null>;
}

/** `script` of util-linux creates the terminal; on other systems it has other options. */
export const NO_TTY =
  process.platform !== "linux" || spawnSync("script", ["--version"]).status !== 0
    ? "there is no script of util-linux, which makes a terminal"
    : "";

/** Tests that need a terminal; skipped without one. */
export function describeOnTerminal(name: string, tests: () => void): void {
  describe(name, needs(NO_TTY), tests);
}

/** Generous, because only a failing test waits that long. */
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
  const child = endWithTest(
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
      // biome-ignore lint/style/noRestrictedGlobals: times out a wait for missing output
      const timer = setTimeout(() => fail("the screen never showed"), PATIENCE);
      const look = () => {
        if (!wanted(screen())) return;
        clearTimeout(timer);
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      // The emulator draws after the bytes have arrived, so wait for the last ones.
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
      if (!existsSync(name)) throw new Error("the script has not written the name of its terminal");
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

/** Runs the program in a terminal. */
export interface ProgramTty extends Tty {
  pid(): number;
}

/**
 * Runs the program with these arguments, then prints its exit code and whether the terminal was restored. `folder` is
 * for the files of the script.
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
      // exec, so that the process id of the shell is that of the program.
      `sh -c 'echo $$ > "${name}/pid"; exec ${program} ${args}'`,
      'echo "ended with $?"',
      `stty -g > "${name}/after"`,
      `cmp -s "${name}/before" "${name}/after" && echo "as it was"`,
    ].join("; "),
    options,
  );
  return { ...tty, pid: () => Number(readFileSync(join(name, "pid"), "utf8")) };
}
