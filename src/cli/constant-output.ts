import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTty, wantsColor } from "./io/terminal.ts";
import { writeText } from "./io/write-bytes.ts";

/** Set by the build. */
declare const VERSION: string;

export const VERSION_OPTIONS: readonly string[] = ["--version", "-V", "-v"];
export const HELP_OPTIONS: readonly string[] = ["--help", "-h"];

/** Prints the version or the help of the program. False if the arguments ask for something else, or if the program has to report an error. */
export function printConstant([option = ""]: readonly string[]): boolean {
  try {
    if (VERSION_OPTIONS.includes(option)) writeText(1, `${VERSION}\n`);
    else if (HELP_OPTIONS.includes(option)) writeText(1, helpText());
    else return false;
    return true;
  } catch {
    return false;
  }
}

/** The build writes it with bold headings. */
function helpText(): string {
  const text = readFileSync(join(__dirname, "help.txt"), "utf8");
  return wantsColor(process.env, isTty(1)) ? text : text.replace(/\u001b\[\d+m/g, "");
}
