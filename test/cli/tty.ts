import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { fakeTerminal } from "../hosts/terminal.ts";

/** A shell script in a pseudo terminal, with the screen as it looks. */
export interface Tty {
  readonly child: ChildProcess;
  /** What is on the screen and above it. */
  text(): string;
  /** Everything that was ever written, with its sequences. */
  raw(): string;
  /** How far the cursor ever went up. */
  highest(): number;
  /** Resolves when the screen shows the text. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Resolves with the exit code of the script. */
  readonly finished: Promise<number | null>;
}

/** `script` of util-linux is what makes a terminal; other systems have one with other options. */
export const NO_TTY =
  process.platform !== "linux" || spawnSync("script", ["--version"]).status !== 0
    ? "there is no script of util-linux, which makes a terminal"
    : "";

const PATIENCE = 20_000;
/** The beginning of a sequence whose end is still to come. */
const UNFINISHED = /\x1b(?:\[[0-9;]*)?$/;

export function openTty(
  command: string,
  { columns = 80, rows = 24, env = {} as Readonly<Record<string, string>> } = {},
): Tty {
  const screen = fakeTerminal(columns, rows);
  const child = spawn(
    "script",
    ["-qefc", `stty cols ${columns} rows ${rows}; ${command}`, "/dev/null"],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH,
        SHELL: "/bin/sh",
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
        TZ: "UTC",
        ...env,
      },
    },
  );
  const decoder = new StringDecoder("utf8");
  const looks = new Set<() => void>();
  let held = "";
  let raw = "";
  let broken: unknown;
  child.stdout.on("data", (chunk: Buffer) => {
    const given = decoder.write(chunk);
    const text = held + given;
    raw += given;
    held = UNFINISHED.exec(text)?.[0] ?? "";
    try {
      screen.write(text.slice(0, text.length - held.length));
    } catch (error) {
      broken ??= error;
    }
    for (const look of looks) look();
  });
  child.stdin.on("error", () => undefined);
  return {
    child,
    text: () => screen.text(),
    raw: () => raw,
    highest: () => screen.highest(),
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`${why} "${wanted}":\n${screen.text()}`));
        const timer = setTimeout(() => fail("the screen never showed"), PATIENCE);
        const look = () => {
          if (broken) reject(broken);
          else if (!screen.text().includes(wanted)) return;
          clearTimeout(timer);
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        child.once("close", () => fail("it ended without showing"));
        look();
      }),
    type: (keys) => void child.stdin.write(keys),
    finished: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => (broken ? reject(broken) : resolve(code)));
    }),
  };
}
