/** The SQLite result codes that are handled. */
export const RESULT = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** SQLITE_READONLY_DBMOVED: the file was renamed or removed. */
const MOVED = 1_032;

/** The extended result code. */
function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // `errcode` in Node, `rawCode` in libsql; a failed open of libsql has it only in its message.
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  if (typeof errcode === "number") return errcode;
  if (typeof rawCode === "number") return rawCode;
  const code = /Unable to open connection .*: (\d+)"\)$/.exec(error.message)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** The primary result code. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

export function isMoved(error: unknown): boolean {
  return extendedCode(error) === MOVED;
}

/** Whether SQLite failed for another reason than a lock. */
export function isFault(error: unknown): boolean {
  return resultCode(error) !== undefined && !isBusy(error);
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === RESULT.busy || code === RESULT.locked;
}
