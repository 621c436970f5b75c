import { CommandError } from "../core/error.ts";

/** Undefined if the directory was removed: agents remove the directories that they worked in. */
export function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Throws if the current directory was removed; `or` names an alternative for the message. */
export function requireCurrentDirectory(or = ""): string {
  const directory = currentDirectory();
  if (directory !== undefined) return directory;
  throw new CommandError(`The current directory was removed. Change to an existing one${or}.`);
}

/** The origin that a new list records. */
export function originHere(): { readonly cwd?: string } {
  const cwd = currentDirectory();
  return cwd === undefined ? {} : { cwd };
}
