import { closeSync, openSync, readSync } from "node:fs";
import { WaymarkError } from "../../core/error.ts";
import { pause } from "./write-bytes.ts";

export type Input =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: "too_large" | "not_utf8" };

export const CHUNK = 64 * 1024;

/** Of what an agent tells its hook. */
export const MAX_HOOK_INPUT = 32 * 1024 * 1024;

/** What is there, `"later"` where nothing is there yet, and nothing at the end. */
export function readChunk(handle: number): Buffer | "later" | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK);
  try {
    const count = readSync(handle, chunk, 0, CHUNK, null);
    return count === 0 ? undefined : chunk.subarray(0, count);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EAGAIN") return "later";
    // How Windows tells the end of a pipe, and what a stream that was never open says.
    if (code === "EOF" || code === "EBADF") return undefined;
    throw error;
  }
}

function readBytes(handle: number, max: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let size = 0; ; ) {
    const chunk = readChunk(handle);
    if (chunk === "later") {
      pause(2);
      continue;
    }
    if (chunk === undefined) return Buffer.concat(chunks);
    size += chunk.length;
    if (size > max) return undefined;
    chunks.push(chunk);
  }
}

export function decode(bytes: Buffer | undefined): Input {
  if (!bytes) return { ok: false, problem: "too_large" };
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, problem: "not_utf8" };
  }
}

/** All of the standard input, but never more than `max` bytes of it. */
export function readStdin(max: number): Input {
  try {
    return decode(readBytes(0, max));
  } catch (cause) {
    throw unreadable("the standard input", cause);
  }
}

export function readTextFile(path: string, max: number): Input {
  let handle: number | undefined;
  try {
    handle = openSync(path, "r");
    return decode(readBytes(handle, max));
  } catch (cause) {
    throw unreadable(path, cause);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

export function unreadable(
  what: string,
  cause: unknown,
  way = "Name a file to read.",
): WaymarkError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason =
    code === "ENOENT" ? "it does not exist" : code === "EISDIR" ? "it is a directory" : message;
  return new WaymarkError("unreadable", `Cannot read ${what}: ${reason}. ${way}`, {
    cause,
  });
}
