import { WaymarkError } from "../../core/error.ts";
import { damageHint } from "../storage/lost-store.ts";
import { redactedMessage } from "../storage/warn.ts";
import { isMoved, RESULT, resultCode } from "./result-code.ts";

/** Whether the connection must be discarded: its cache of the file may be wrong. */
export function isBroken(error: unknown): boolean {
  const code = resultCode(error);
  return code === RESULT.ioError || code === RESULT.corrupt || code === RESULT.notADatabase;
}

/** Maps an SQLite error to a WaymarkError that says what failed, where, and what to do. */
export function sqliteFailure(path: string, error: unknown): unknown {
  if (error instanceof WaymarkError) return error;
  if (isMoved(error)) return replacedError(path);
  const cause = { cause: error };
  const reason = redactedMessage(error);
  switch (resultCode(error)) {
    case undefined:
      return error;
    case RESULT.busy:
    case RESULT.locked:
      return new WaymarkError(
        "store_busy",
        `The store ${path} is in use by another process. Try again.`,
        cause,
      );
    case RESULT.readOnly:
      return new WaymarkError(
        "store_read_only",
        `The store ${path} is not writable (${reason}). Check the owner and mode of the file and ` +
          "its directory, and that the disk is not mounted read-only.",
        cause,
      );
    case RESULT.corrupt:
    case RESULT.notADatabase:
      return new WaymarkError(
        "store_corrupt",
        `The file ${path} is damaged or not a Waymark store (${reason}). It was not changed. ${damageHint(path)}`,
        cause,
      );
    case RESULT.full:
      return new WaymarkError(
        "store_full",
        `No space left to write the store ${path}. Nothing was acknowledged; free some space and try again.`,
        cause,
      );
    case RESULT.cannotOpen:
      return new WaymarkError(
        "store_failed",
        `The store ${path} cannot be opened (${reason}). Check that it is a file, that its directory ` +
          "exists, and that both are writable.",
        cause,
      );
    default:
      return new WaymarkError(
        "store_failed",
        `The store ${path} failed: ${reason}. Nothing was acknowledged; try again, and check the disk ` +
          "if it keeps failing.",
        cause,
      );
  }
}

/** Another file replaced the store during the operation. */
export function replacedError(path: string): WaymarkError {
  return new WaymarkError(
    "store_replaced",
    `The store ${path} was replaced or removed while it was in use. Nothing was acknowledged; try again.`,
  );
}
