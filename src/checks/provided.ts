import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { errorMessage } from "../core/error.ts";
import { type CheckDefinition, readDefinition } from "./definition.ts";

export const CHECKS_FILE = ".waymark/checks.toml";
const PACKAGE_FILE = "package.json";
const MAX_FILE = 1024 * 1024;
const MAX_CHECKS = 50;

/** The checks that a repository brings along. None of them runs before the user trusts it. */
export interface Provided {
  readonly checks: readonly (CheckDefinition & { readonly file: string })[];
  /** Entries and files that cannot be used, with the reason. */
  readonly problems: readonly string[];
}

/** Reads the checks of a repository; the first definition of a name counts. */
export function readProvided(root: string): Provided {
  const problems: string[] = [];
  const checks = new Map<string, Provided["checks"][number]>();
  for (const { file, read } of [
    { file: CHECKS_FILE, read: tomlChecks },
    { file: PACKAGE_FILE, read: packageChecks },
  ]) {
    const text = textOf(join(root, file), file, problems);
    if (text === undefined) continue;
    try {
      for (const [name, value] of read(text)) {
        const definition = readDefinition(name, value);
        if (typeof definition === "string")
          problems.push(`${file}: check ${JSON.stringify(name.slice(0, 60))}: ${definition}`);
        else if (!checks.has(name) && checks.size < MAX_CHECKS)
          checks.set(name, { ...definition, file });
      }
    } catch (error) {
      problems.push(`${file}: ${errorMessage(error).split("\n")[0]}`);
    }
  }
  return { checks: [...checks.values()], problems };
}

function textOf(path: string, file: string, problems: string[]): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // A symlink may lead out of the repository, to a device or a file of the user.
  if (!stats.isFile() || stats.size > MAX_FILE) {
    problems.push(`${file} is not a regular file of at most 1 MiB.`);
    return undefined;
  }
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    problems.push(`${file}: ${errorMessage(error)}`);
    return undefined;
  }
}

type Entries = readonly (readonly [name: string, value: unknown])[];

/** `[checks.NAME]`, or `NAME = "command"` below `[checks]`; the heading may be left out. */
function tomlChecks(text: string): Entries {
  const file = parse(text);
  return entriesOf(Object.hasOwn(file, "checks") ? file.checks : file);
}

/** The key `waymark.checks`. */
function packageChecks(text: string): Entries {
  const { waymark } = JSON.parse(text) as { waymark?: { checks?: unknown } };
  return entriesOf(waymark?.checks ?? {});
}

/** A table by name, or a list of tables with a name. */
function entriesOf(value: unknown): Entries {
  if (typeof value !== "object" || value === null) throw new Error("checks must be a table.");
  if (!Array.isArray(value)) return Object.entries(value);
  return value.map((each: unknown, index) => {
    const name = (each as { name?: unknown } | null)?.name;
    return [typeof name === "string" ? name : `number ${index + 1}`, each];
  });
}
