import { fstatSync } from "node:fs";
import { forJson, forTerminal, terminalLine } from "../../core/text/escape.ts";
import { withoutSecrets } from "../../engines/storage/own-secrets.ts";
import type { Progress } from "../../home/open.ts";
import { progressOn } from "./progress.ts";
import { writeText } from "./write-bytes.ts";

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
  /** One line on the standard error stream, without passwords of connection strings. */
  say(line: string): void;
  /** A line on the standard error stream that says how far a long piece of work is. */
  progress(what: string): Progress;
}

const OUT = 1;
const ERROR = 2;

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
    print: (lines) => writeText(OUT, `${lines}\n`),
    printText: (lines) => writeText(OUT, `${lines.split("\n").map(forTerminal).join("\n")}\n`),
    printFile: (content) =>
      writeText(OUT, facts().tty ? content.split("\n").map(forTerminal).join("\n") : content),
    printJson: (value) => writeText(OUT, `${forJson(value, 2)}\n`),
    progress: (what) => progressOn(what, () => isTty(ERROR)),
    say(line) {
      try {
        writeText(ERROR, `${terminalLine(withoutSecrets(line))}\n`);
      } catch {
        // Nobody listens any more; what was asked for is still done and printed.
      }
    },
  };
}
