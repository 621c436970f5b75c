import { closeSync, openSync, readSync } from "node:fs";
import { WaymarkError } from "../../core/error.ts";
import { pause } from "./write-bytes.ts";

export type Input =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: "too_large" | "not_utf8" };

export const CHUNK = 64 * 1024;

/** Bytes of a hook event. */
export const MAX_HOOK_INPUT = 32 * 1024 * 1024;

/** Returns available bytes, `"later"` if there are none yet, or undefined at the end. */
export function readChunk(handle: number): Buffer | "later" | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK);
  try {
    const count = readSync(handle, chunk, 0, CHUNK, null);
    return count === 0 ? undefined : chunk.subarray(0, count);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EAGAIN") return "later";
    // Windows reports the end of a pipe as EOF; a stream that was closed at the start gives EBADF.
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

/** Reads standard input to its end; fails with `too_large` after `max` bytes. */
export function readStdin(max: number): Input {
  try {
    return decode(readBytes(0, max));
  } catch (cause) {
    throw unreadable("standard input", cause);
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

export function unreadable(what: string, cause: unknown, advice = "Check the path."): WaymarkError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason =
    code === "ENOENT" ? "no such file" : code === "EISDIR" ? "it is a directory" : message;
  return new WaymarkError("unreadable", `Cannot read ${what}: ${reason}. ${advice}`, {
    cause,
  });
}
