import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { CHUNK, decode, type Input, readChunk } from "./input.ts";
import { openStdin } from "./stdin-stream.ts";
import { pause } from "./write-bytes.ts";

/** Milliseconds. Together with the work that follows, shorter than the timeout of any agent. */
const TIMEOUT = 2_000;
/** Bytes to look at for the end of the object: agents append at most a line break. */
const END = 8;

/**
 * Reads one JSON object of at most `max` bytes from standard input. If the agent keeps the input open, reading stops
 * when the object is complete, or with what has arrived when the timeout ends.
 *
 * `process.stdin` costs more to create than the rest of a hook, so the input is read synchronously. The stream is only
 * used for the remainder, on systems without another way to wait with a timeout.
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

/** On Linux, reopens the input pipe in non-blocking mode. */
function openPipe(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    if (!fstatSync(0).isFIFO()) return undefined;
    return openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // Closed, owned by another user, or no /proc.
    return undefined;
  }
}

function readPipe(pipe: number, max: number): Input {
  const bytes = collect(max);
  const end = performance.now() + TIMEOUT;
  while (performance.now() < end) {
    const chunk = readChunk(pipe);
    if (chunk === "later") {
      if (bytes.isComplete()) break;
      pause(1);
    } else if (chunk === undefined || !bytes.add(chunk)) break;
  }
  return bytes.input();
}

/** Reads a file to its end; reads a socket or pipe while full chunks arrive, then falls back to the stream. */
function readFirst(max: number): Input | Promise<Input> {
  const bytes = collect(max);
  const mayStayOpen = isSocketOrPipe();
  for (;;) {
    const chunk = readChunk(0);
    if (chunk === undefined) return bytes.input();
    if (chunk === "later") return readOn(bytes);
    if (!bytes.add(chunk) || (mayStayOpen && bytes.isComplete())) return bytes.input();
    if (mayStayOpen && chunk.length < CHUNK) return readOn(bytes);
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
  const timer = setTimeout(stdin.stop, TIMEOUT);
  await stdin.read((chunk) => {
    if (!bytes.add(chunk) || bytes.isComplete()) stdin.stop();
  });
  clearTimeout(timer);
  return bytes.input();
}

interface Bytes {
  /** Returns false if that makes too many bytes. */
  add(chunk: Buffer): boolean;
  /** The bytes so far are a complete JSON object. */
  isComplete(): boolean;
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
    isComplete: () =>
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
    // Incomplete.
    return false;
  }
}
