import { fstatSync } from "node:fs";
import { forJson, forTerminal, terminalLine } from "../../core/text/escape.ts";
import { redactSecrets } from "../../engines/storage/redact-secrets.ts";
import type { Progress } from "../../home/open.ts";
import { progressOn } from "./progress.ts";
import { writeText } from "./write-bytes.ts";

/** Output of the program: data goes to stdout, everything else to stderr. */
export interface Terminal {
  readonly isTty: boolean;
  readonly color: boolean;
  readonly unicode: boolean;
  readonly width: number;
  /** Prints lines that are already escaped. */
  print(lines: string): void;
  /** Escapes and prints lines. */
  printText(lines: string): void;
  printJson(value: unknown): void;
  /** Prints the content of a file: unchanged, but escaped on a terminal. */
  printFile(content: string): void;
  /** Prints one line to stderr, escaped, without the passwords of connection strings. */
  printError(line: string): void;
  /** A progress line on stderr. */
  progress(what: string): Progress;
}

const OUT = 1;
const ERROR = 2;

export function isTty(handle: 0 | 1 | 2): boolean {
  try {
    if (!fstatSync(handle).isCharacterDevice()) return false;
  } catch {
    // The stream was closed when the program started.
    return false;
  }
  // Loaded on demand: `node:tty` pulls in the network modules.
  return process.getBuiltinModule("node:tty").isatty(handle);
}

/** Whether to use colors: FORCE_COLOR decides, then NO_COLOR, then whether this is a terminal. */
export function wantsColor(env: NodeJS.ProcessEnv, tty: boolean): boolean {
  const force = env.FORCE_COLOR;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  if (env.NO_COLOR) return false;
  return tty && env.TERM !== "dumb";
}

/** Whether to draw with Unicode: not with WAYMARK_ASCII, on the Linux console, or in a locale without UTF-8. */
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
    printError(line) {
      try {
        writeText(ERROR, `${terminalLine(redactSecrets(line))}\n`);
      } catch {
        // stderr is closed; the command still does its work.
      }
    },
  };
}
