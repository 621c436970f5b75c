import { readFileSync, readlinkSync } from "node:fs";

/** A process of this machine, told from a later one with the same number by when it was born. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly born: string;
}

const MOST_ANCESTORS = 32;

/** A process and those that it descends from, nearest first; none where they cannot be known. */
export function lineage(pid: number, platform: NodeJS.Platform = process.platform): Process[] {
  const find = platform === "linux" ? fromProc : platform === "win32" ? () => undefined : fromPs();
  const found: Process[] = [];
  for (let next = pid; next > 1 && found.length < MOST_ANCESTORS; ) {
    const one = find(next);
    if (!one) break;
    found.push(one);
    next = one.parent;
  }
  return found;
}

/**
 * The pid namespace of this process, such as a container's: a process number means nothing in
 * another one. Empty if the system has none.
 */
export function pidNamespace(): string {
  if (process.platform !== "linux") return "";
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return "";
  }
}

/** When a process was born, where that can be known without starting another one. */
export function bornOf(pid: number): string | undefined {
  return process.platform === "linux" ? fromProc(pid)?.born : undefined;
}

function fromProc(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in brackets and may itself hold brackets and spaces.
    const end = stat.lastIndexOf(")");
    const rest = stat.slice(end + 2).split(" ");
    const name = stat.slice(stat.indexOf("(") + 1, end);
    return { pid, parent: Number(rest[1]), name, born: rest[19] ?? "" };
  } catch {
    // It has ended.
    return undefined;
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

function fromPs(): (pid: number) => Process | undefined {
  // Loaded only here: most machines answer without it.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout } = spawnSync("ps", ["-axo", "pid=,ppid=,lstart=,comm="], { encoding: "utf8" });
  return (pid) => {
    const line = new RegExp(`^\\s*${pid}\\s.*$`, "m").exec(stdout ?? "")?.[0];
    const [, , parent, born, command] = PS_LINE.exec(line ?? "") ?? [];
    if (parent === undefined || born === undefined || command === undefined) return undefined;
    return { pid, parent: Number(parent), name: command.split("/").at(-1) ?? command, born };
  };
}
