import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { PROGRAM } from "./machine.ts";

/** The program in a real terminal, with the screen as a terminal emulator draws it. */
export interface BoardTty {
  readonly child: ChildProcess;
  /** The rows of the screen, without the blanks at their ends. */
  screen(): readonly string[];
  /** The same, and what has left it at the top. */
  scrollback(): readonly string[];
  /** Everything that was ever written, with its sequences. */
  raw(): string;
  /** How many cells a letter on the screen takes. */
  widthAt(row: number, column: number): number;
  /** Whether the screen of full-size programs is shown. */
  isOther(): boolean;
  /** Resolves when the screen is as wanted. */
  until(wanted: (rows: readonly string[]) => boolean, what: string): Promise<void>;
  shows(text: string): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Of the program. */
  pid(): number;
  readonly finished: Promise<number | null>;
}

const PATIENCE = 20_000;

export interface TtyOptions {
  /** A directory of its own for what the script leaves. */
  readonly root: string;
  readonly columns: number;
  readonly rows: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the program with these words, and says at the end how it ended. */
export function openBoardTty(args: string, { root, columns, rows, env }: TtyOptions): BoardTty {
  const name = join(root, `tty-${columns}-${Date.now()}`);
  const before = `${name}.before`;
  const after = `${name}.after`;
  const pidFile = `${name}.pid`;
  // The shell becomes the program, so that its number is the program's.
  const waymark = `sh -c 'echo $$ > "${pidFile}"; exec "${process.execPath}" "${PROGRAM}" ${args}'`;
  const script = [
    `tty > "${name}"`,
    `stty cols ${columns} rows ${rows}`,
    `stty -g > "${before}"`,
    waymark,
    'echo "ended with $?"',
    `stty -g > "${after}"`,
    `cmp -s "${before}" "${after}" && echo "as it was"`,
  ].join("; ");
  const child = spawn("script", ["-qefc", script, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      SHELL: "/bin/sh",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      TZ: "UTC",
      ...env,
    },
  });
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 500 });
  const looks = new Set<() => void>();
  let raw = "";
  child.stdout.on("data", (chunk: Buffer) => {
    raw += chunk.toString("latin1");
    terminal.write(chunk, () => {
      for (const look of looks) look();
    });
  });
  child.stdin.on("error", () => undefined);
  child.setMaxListeners(0);
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
  const until: BoardTty["until"] = (wanted, what) =>
    new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why} ${what}:\n${screen().join("\n")}`));
      const timer = setTimeout(() => fail("the screen never showed"), PATIENCE);
      const look = () => {
        if (!wanted(screen())) return;
        clearTimeout(timer);
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      child.once("close", () => {
        look();
        fail("it ended without showing");
      });
      look();
    });
  return {
    child,
    screen,
    scrollback: () => lines(0, terminal.buffer.active.length),
    raw: () => raw,
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
    shows: (text) => until((rowsNow) => rowsNow.join("\n").includes(text), `"${text}"`),
    type: (keys) => void child.stdin.write(keys),
    resize(width, height) {
      if (!existsSync(name)) throw new Error("the script has not said which terminal it has");
      terminal.resize(width, height);
      const path = readFileSync(name, "utf8").trim();
      spawnSync("stty", ["-F", path, "cols", String(width), "rows", String(height)]);
    },
    pid: () => Number(readFileSync(pidFile, "utf8")),
    finished: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => terminal.write("", () => resolve(code)));
    }),
  };
}
