import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { CHUNK, decode, type Input, readChunk } from "./input.ts";
import { openStdin } from "./stdin-stream.ts";
import { pause } from "./write-bytes.ts";

/** Together with what is done then, less than an agent waits. */
const PATIENCE = 2_000;
/** Agents put at most a line end behind the object. */
const END = 8;

/**
 * The one JSON object that an agent sends on the standard input, of at most `max` bytes. An input
 * that stays open is left when the object is whole, or, as far as it came, when patience ends.
 *
 * The streams of `process` cost more than all the rest of a hook. So what is there already is read
 * without them; only where the system offers no other way to wait in bounded time is the remainder
 * left to them.
 */
export function readEvent(max: number): Input | Promise<Input> {
  const pipe = openPipe();
  if (pipe === undefined) return readFirst(max);
  try {
    return readPipe(pipe, max);
  } finally {
    closeSync(pipe);
  }
}

/** Linux opens the pipe that is our input once more, in a way that never blocks. */
function openPipe(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    if (!fstatSync(0).isFIFO()) return undefined;
    return openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // Never open at all, somebody else's, or a system without /proc.
    return undefined;
  }
}

function readPipe(pipe: number, max: number): Input {
  const bytes = collect(max);
  const end = performance.now() + PATIENCE;
  while (performance.now() < end) {
    const chunk = readChunk(pipe);
    if (chunk === "later") {
      if (bytes.isWhole()) break;
      pause(1);
    } else if (chunk === undefined || !bytes.add(chunk)) break;
  }
  return bytes.input();
}

/** Files have an end. A socket is asked for more only as long as there seems to be more. */
function readFirst(max: number): Input | Promise<Input> {
  const bytes = collect(max);
  const isEndless = isSocketOrPipe();
  for (;;) {
    const chunk = readChunk(0);
    if (chunk === undefined) return bytes.input();
    if (chunk === "later") return readOn(bytes);
    if (!bytes.add(chunk) || (isEndless && bytes.isWhole())) return bytes.input();
    if (isEndless && chunk.length < CHUNK) return readOn(bytes);
  }
}

function isSocketOrPipe(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

async function readOn(bytes: Bytes): Promise<Input> {
  const stdin = openStdin();
  const timer = setTimeout(stdin.stop, PATIENCE);
  await stdin.read((chunk) => {
    if (!bytes.add(chunk) || bytes.isWhole()) stdin.stop();
  });
  clearTimeout(timer);
  return bytes.input();
}

interface Bytes {
  /** Whether more may come: not when there are too many already. */
  add(chunk: Buffer): boolean;
  /** What came is one object, and nothing but blanks could follow. */
  isWhole(): boolean;
  input(): Input;
}

function collect(max: number): Bytes {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      return size <= max;
    },
    isWhole: () =>
      /\}\s*$/.test(chunks.at(-1)?.subarray(-END).toString("latin1") ?? "") &&
      isJson(Buffer.concat(chunks).toString()),
    input: () => decode(size > max ? undefined : Buffer.concat(chunks)),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Some of it is still to come.
    return false;
  }
}
