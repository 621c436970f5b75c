import { writeSync } from "node:fs";
import { WaymarkError } from "../../core/error.ts";

type Handle = 1 | 2;

/**
 * Writes all of it before it returns: whoever reads slowly slows us down and fills no memory. The
 * streams of `process` cost several milliseconds to set up, which every call would pay.
 */
export function writeBytes(handle: Handle, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(handle, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw failure(handle, error);
      // A pipe that does not block is full: its reader needs a moment.
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

/** Nobody is there any more to read what is written. */
export function isGone(error: unknown): boolean {
  const { code } = (error instanceof WaymarkError ? error.cause : error) as NodeJS.ErrnoException;
  return code === "EPIPE" || code === "EBADF" || code === "EIO";
}

/** A reader that has seen enough is no fault; everything else is one of the world. */
function failure(handle: Handle, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EPIPE") return cause;
  const stream = handle === 1 ? "standard output" : "standard error stream";
  return new WaymarkError(
    "output_unwritable",
    `The ${stream} cannot be written to: ${message}. Make room where it goes, or send it elsewhere.`,
    { cause },
  );
}
