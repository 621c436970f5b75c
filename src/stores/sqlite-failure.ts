import { WaymarkError } from "../core/error.ts";
import { messageOf } from "./warn.ts";

const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** SQLite's own result code, without the details in the upper bits. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // Node says `errcode`, libsql `rawCode`; when opening fails libsql has it in the text only.
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  if (typeof rawCode === "number") return rawCode & 0xff;
  const said = /Unable to open connection .*: (\d+)"\)$/.exec(error.message)?.[1];
  return said === undefined ? undefined : Number(said) & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** After these the connection's idea of the file cannot be trusted. */
export function isBroken(error: unknown): boolean {
  const code = resultCode(error);
  return code === IO_ERROR || code === CORRUPT || code === NOT_A_DATABASE;
}

/** Says what SQLite could not do, where, and the way out. */
export function sqliteFailure(path: string, error: unknown): unknown {
  if (error instanceof WaymarkError) return error;
  const cause = { cause: error };
  const reason = messageOf(error);
  switch (resultCode(error)) {
    case undefined:
      return error;
    case BUSY:
    case LOCKED:
      return new WaymarkError(
        "store_busy",
        `The store ${path} is in use by another process. Try again.`,
        cause,
      );
    case READ_ONLY:
      return new WaymarkError(
        "store_read_only",
        `The store ${path} cannot be written (${reason}). Check the owner and mode of the file and ` +
          "its directory, and that the disk is not mounted read-only.",
        cause,
      );
    case CORRUPT:
    case NOT_A_DATABASE:
      return new WaymarkError(
        "store_corrupt",
        `The file ${path} is damaged or is no Waymark store (${reason}). It was left as it is: move ` +
          "it away to start a new one, or bring back a copy.",
        cause,
      );
    case FULL:
      return new WaymarkError(
        "store_full",
        `No room left to write the store ${path}. Nothing was acknowledged; free some space and try again.`,
        cause,
      );
    case CANNOT_OPEN:
      return new WaymarkError(
        "store_failed",
        `The store ${path} cannot be opened (${reason}). Check that it is a file, that its directory ` +
          "exists, and that both may be written.",
        cause,
      );
    default:
      return new WaymarkError("store_failed", `The store ${path} failed: ${reason}`, cause);
  }
}
