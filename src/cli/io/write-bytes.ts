import { writeSync } from "node:fs";
import { WaymarkError } from "../../core/error.ts";

type Handle = 1 | 2;

/**
 * Writes synchronously, so that a slow reader causes backpressure and not buffering. `process.stdout` would cost
 * several milliseconds at every start.
 */
export function writeBytes(handle: Handle, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(handle, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw failure(handle, error);
      // A non-blocking pipe is full.
      pause(1);
    }
  }
}

export function writeText(handle: Handle, text: string): void {
  writeBytes(handle, Buffer.from(text));
}

export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Whether a write failed because the reader or the terminal is gone. */
export function isDisconnected(error: unknown): boolean {
  const { code } = (error instanceof WaymarkError ? error.cause : error) as NodeJS.ErrnoException;
  return code === "EPIPE" || code === "EBADF" || code === "EIO";
}

/** A closed pipe stays as it is, because the program ends quietly then; other failures get a message. */
function failure(handle: Handle, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EPIPE") return cause;
  const stream = handle === 1 ? "standard output" : "standard error";
  return new WaymarkError(
    "output_unwritable",
    `Cannot write to ${stream}: ${message}. Free disk space, or redirect the output elsewhere.`,
    { cause },
  );
}
