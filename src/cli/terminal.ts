import { fstatSync, writeSync } from "node:fs";
import { forTerminal, oneLine } from "../core/safe-text.ts";
import { toJson } from "./json.ts";

/** Where the program speaks: data goes out, everything else is said beside it. */
export interface Terminal {
  readonly isTty: boolean;
  readonly color: boolean;
  readonly unicode: boolean;
  readonly width: number;
  /** Prints lines that are harmless already. */
  print(lines: string): void;
  /** Prints lines of foreign text. */
  printText(lines: string): void;
  printJson(value: unknown): void;
  /** Prints a file's content as it is; made harmless only where it is looked at. */
  printFile(content: string): void;
  /** One line on the standard error stream. */
  say(line: string): void;
}

const OUT = 1;
const ERROR = 2;

// The streams of `process` cost several milliseconds to set up, which every call would pay.
function write(target: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(target, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      // A pipe that does not block is full: its reader needs a moment.
      pause(1);
    }
  }
}

export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

export function isTty(handle: 0 | 1 | 2): boolean {
  try {
    if (!fstatSync(handle).isCharacterDevice()) return false;
  } catch {
    // The stream was closed before the program began.
    return false;
  }
  // Loaded only now: with the module come all of the network's.
  return process.getBuiltinModule("node:tty").isatty(handle);
}

/** Colours: FORCE_COLOR, else NO_COLOR, else only on a terminal that is not dumb. */
export function wantsColor(env: NodeJS.ProcessEnv, tty: boolean): boolean {
  const force = env.FORCE_COLOR;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  if (env.NO_COLOR) return false;
  return tty && env.TERM !== "dumb";
}

/** Signs beyond ASCII: unless asked not to, on the Linux console, or in a locale without them. */
export function wantsUnicode(env: NodeJS.ProcessEnv): boolean {
  if (env.WAYMARK_ASCII && env.WAYMARK_ASCII !== "0") return false;
  if (env.TERM === "linux") return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return !locale || /utf-?8/i.test(locale);
}

function widthOf(env: NodeJS.ProcessEnv, tty: boolean): number {
  const columns = (tty ? process.stdout.columns : 0) || Number(env.COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? Math.min(columns, 1_000) : 80;
}

export function openTerminal(env: NodeJS.ProcessEnv): Terminal {
  let known: { readonly tty: boolean; readonly color: boolean; readonly width: number } | undefined;
  const facts = () => {
    if (!known) {
      const tty = isTty(OUT);
      known = { tty, color: wantsColor(env, tty), width: widthOf(env, tty) };
    }
    return known;
  };
  return {
    get isTty() {
      return facts().tty;
    },
    get color() {
      return facts().color;
    },
    get width() {
      return facts().width;
    },
    unicode: wantsUnicode(env),
    print: (lines) => write(OUT, `${lines}\n`),
    printText: (lines) => write(OUT, `${lines.split("\n").map(forTerminal).join("\n")}\n`),
    printFile: (content) =>
      write(OUT, facts().tty ? content.split("\n").map(forTerminal).join("\n") : content),
    printJson: (value) => write(OUT, `${toJson(value)}\n`),
    say(line) {
      try {
        write(ERROR, `${forTerminal(oneLine(line))}\n`);
      } catch {
        // Nobody listens any more; what was asked for is still done and printed.
      }
    },
  };
}
