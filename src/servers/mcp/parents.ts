import { readFileSync, readlinkSync } from "node:fs";
import { isAlive } from "../../engines/storage/is-alive.ts";

/** Milliseconds between two checks. */
const INTERVAL = 1_000;
const MAX_WRAPPERS = 8;

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Start time: distinguishes it from a later process with the same pid. */
  readonly started: string;
}

/**
 * Calls back once when the program that started this one has exited. A wrapper such as npx or a shell may outlive the agent and
 * keep our input open, so the parent of a wrapper is watched, too. A process counts as a wrapper if its standard input and output are
 * pipes. An agent with a terminal or a file is not one: if its shell exits, the agent and this server continue.
 */
export function watchParents(onExit: () => void): () => void {
  const watched = process.platform === "linux" ? ancestors() : [];
  const first = process.ppid;
  // The first process of a container has the parent 0, which cannot be checked.
  const hasExited = () =>
    process.ppid !== first ||
    (watched.length > 0 ? watched.some((each) => !isRunning(each)) : first > 0 && !isAlive(first));
  const timer = setInterval(() => {
    if (!hasExited()) return;
    clearInterval(timer);
    onExit();
  }, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}

/** The parent, and the parents of wrappers. */
function ancestors(): readonly Process[] {
  const found: Process[] = [];
  for (let pid = process.ppid; pid > 1 && found.length < MAX_WRAPPERS; ) {
    const each = readProcess(pid);
    if (!each) break;
    found.push(each);
    if (!isWrapper(pid)) break;
    pid = each.parent;
  }
  return found;
}

function isRunning({ pid, started }: Process): boolean {
  return readProcess(pid)?.started === started;
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in parentheses and may contain anything, also parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent = "", started = ""] = [fields[0], fields[1], fields[19]];
    return state === "Z" || state === "X" ? undefined : { pid, parent: Number(parent), started };
  } catch {
    // The process has exited, or may not be read. The latter is never part of the chain.
    return undefined;
  }
}

function isWrapper(pid: number): boolean {
  try {
    return [0, 1].every((handle) =>
      /^(?:pipe|socket):/.test(readlinkSync(`/proc/${pid}/fd/${handle}`)),
    );
  } catch {
    return false;
  }
}
