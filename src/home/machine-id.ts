import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { UsageError, WaymarkError } from "../core/error.ts";
import { checkMachine } from "../core/views/relayed.ts";
import { createAtomically, ensureDirectory } from "../engines/storage/files.ts";

const FILE = "machine";
const SHAPE = /^[\w-]{36}$/;

/** The id of this home, independent of the machine's name; undefined if none was created yet. */
export function readMachineId(home: string): string | undefined {
  try {
    const id = readFileSync(join(home, FILE), "utf8").trim();
    return SHAPE.test(id) ? id : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function loadOrCreateMachineId(home: string): string {
  try {
    const known = readMachineId(home);
    if (known !== undefined) return known;
    ensureDirectory(home);
    const { randomUUID } = process.getBuiltinModule("node:crypto");
    createAtomically(join(home, FILE), `${randomUUID()}\n`);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // Another process created it first.
    if (code !== "EEXIST")
      throw new WaymarkError(
        "home_unwritable",
        `The id of this machine cannot be stored: ${message}. Check the owner and mode of ${home}, or set WAYMARK_HOME to another directory.`,
        { cause },
      );
  }
  const id = readMachineId(home);
  if (id === undefined)
    throw new WaymarkError(
      "machine_unreadable",
      `${join(home, FILE)} does not contain a machine id. Remove it, and Waymark creates a new one.`,
    );
  return id;
}

/** The name of this machine for others: `given`, or else the host name. */
export function machineName(given: string | undefined): string {
  if (given !== undefined) {
    const problem = checkMachine(given);
    if (problem !== undefined) throw new UsageError(problem);
    return given;
  }
  const host = hostname().split(".")[0] ?? "";
  const name = host.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return name.slice(0, 63) || "machine";
}
