import { NoAnswer } from "../core/error.ts";

/** Nothing where it is gone: agents remove the directories that they worked in. */
export function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** For what cannot do without; `or` says what can be done instead of going elsewhere. */
export function neededDirectory(or = ""): string {
  const directory = currentDirectory();
  if (directory !== undefined) return directory;
  throw new NoAnswer(`The current directory is gone. Change to one that is there${or}.`);
}

/** What is recorded of where a list began. */
export function originHere(): { readonly cwd?: string } {
  const cwd = currentDirectory();
  return cwd === undefined ? {} : { cwd };
}
