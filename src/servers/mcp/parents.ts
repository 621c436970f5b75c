import { readFileSync, readlinkSync } from "node:fs";
import { isAlive } from "../../engines/storage/alive.ts";

const EVERY = 1_000;
/** Longer chains of wrappers are not followed. */
const MAX_WRAPPERS = 8;

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Tells it from a later process of the same number. */
  readonly started: string;
}

/**
 * Calls back once when whoever started this program is gone. A program in between, such as npx or a
 * shell, may outlive the one that it was started for and hold our input open: so its parent counts
 * as well, and so on up to the first that does not itself speak through two pipes. Only those can
 * be wrappers; an agent that was left alone by its shell, with a terminal or a file before it, is
 * none, and what it started goes on.
 */
export function watchParents(onGone: () => void): () => void {
  const known = process.platform === "linux" ? chain() : [];
  const first = process.ppid;
  // The first process of a container has the parent 0, which no process inside can look at.
  const isGone = () =>
    process.ppid !== first ||
    (known.length > 0 ? known.some((each) => !isSame(each)) : first > 0 && !isAlive(first));
  const timer = setInterval(() => {
    if (!isGone()) return;
    clearInterval(timer);
    onGone();
  }, EVERY);
  timer.unref();
  return () => clearInterval(timer);
}

/** The parent, and the parent of each that looks like a wrapper. */
function chain(): readonly Process[] {
  const found: Process[] = [];
  for (let pid = process.ppid; pid > 1 && found.length < MAX_WRAPPERS; ) {
    const each = look(pid);
    if (!each) break;
    found.push(each);
    if (!speaksThroughPipes(pid)) break;
    pid = each.parent;
  }
  return found;
}

function isSame({ pid, started }: Process): boolean {
  return look(pid)?.started === started;
}

function look(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in brackets and may hold anything, brackets too.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent = "", started = ""] = [fields[0], fields[1], fields[19]];
    return state === "Z" || state === "X" ? undefined : { pid, parent: Number(parent), started };
  } catch {
    // It is gone, or not ours to look at; the latter never was in the chain.
    return undefined;
  }
}

function speaksThroughPipes(pid: number): boolean {
  try {
    return [0, 1].every((handle) =>
      /^(?:pipe|socket):/.test(readlinkSync(`/proc/${pid}/fd/${handle}`)),
    );
  } catch {
    return false;
  }
}
