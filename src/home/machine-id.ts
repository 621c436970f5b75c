import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { UsageError, WaymarkError } from "../core/error.ts";
import { checkMachine } from "../core/views/relayed.ts";
import { makeDirectory } from "../engines/storage/place.ts";

const FILE = "machine";
const SHAPE = /^[\w-]{36}$/;

/** What tells this home from every other, whatever its machine is called; nothing if nobody asked yet. */
export function knownMachineId(home: string): string | undefined {
  try {
    const id = readFileSync(join(home, FILE), "utf8").trim();
    return SHAPE.test(id) ? id : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function keptMachineId(home: string): string {
  try {
    const known = knownMachineId(home);
    if (known !== undefined) return known;
    makeDirectory(home);
    const { randomUUID } = process.getBuiltinModule("node:crypto");
    writeFileSync(join(home, FILE), `${randomUUID()}\n`, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // Another one that started at the same moment was first.
    if (code !== "EEXIST")
      throw new WaymarkError(
        "home_unwritable",
        `The id of this machine cannot be kept: ${message}. Check the owner and mode of ${home}, or name another place with WAYMARK_HOME.`,
        { cause },
      );
  }
  const id = knownMachineId(home);
  if (id === undefined)
    throw new WaymarkError(
      "machine_unreadable",
      `${join(home, FILE)} does not hold the id of a machine. Remove it: a new one is made.`,
    );
  return id;
}

/** What others call this machine: as it is told, else by the name of the host. */
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
