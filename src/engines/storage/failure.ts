import { WaymarkError } from "../../core/error.ts";
import { redactedMessage } from "./warn.ts";

export function closedError(what: string): WaymarkError {
  return new WaymarkError("store_closed", `${what} is closed. Open it again to continue.`);
}

export function busyError(path: string, waited: number): WaymarkError {
  return new WaymarkError(
    "store_busy",
    `The store ${path} was busy for ${Math.round(waited / 1000)} s, so nothing was written. Another ` +
      "process has it locked: try again, or look for one that hangs.",
  );
}

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const READ_ONLY = new Set(["EROFS", "EACCES", "EPERM"]);

/** Maps an error of the file system to a WaymarkError. */
export function fileFailure(what: string, path: string, error: unknown): WaymarkError {
  if (error instanceof WaymarkError) return error;
  const system = error instanceof Error && "code" in error ? String(error.code) : "";
  const cause = { cause: error };
  if (FULL.has(system))
    return new WaymarkError(
      "store_full",
      `${what} failed: no space left for ${path}. Nothing was acknowledged; free some space and try again.`,
      cause,
    );
  if (READ_ONLY.has(system))
    return new WaymarkError(
      "store_read_only",
      `${what} failed: ${path} is not writable (${system}). Check the owner and mode of the directory.`,
      cause,
    );
  return new WaymarkError(
    "store_failed",
    `${what} failed at ${path}: ${redactedMessage(error)}. Nothing was acknowledged; try again, and check ` +
      "the disk if it keeps failing.",
    cause,
  );
}
