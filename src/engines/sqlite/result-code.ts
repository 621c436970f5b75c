/** The results of SQLite that are told apart. */
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

/** The file was renamed or removed, said of a write. */
const MOVED = 1_032;

/** SQLite's own result code with the details in the upper bits. */
function detailedCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // Node says `errcode`, libsql `rawCode`; when opening fails libsql has it in the text only.
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  if (typeof errcode === "number") return errcode;
  if (typeof rawCode === "number") return rawCode;
  const said = /Unable to open connection .*: (\d+)"\)$/.exec(error.message)?.[1];
  return said === undefined ? undefined : Number(said);
}

/** The same without the details. */
export function resultCode(error: unknown): number | undefined {
  const code = detailedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

export function isMoved(error: unknown): boolean {
  return detailedCode(error) === MOVED;
}

/** SQLite failed, and not because another process is at the file. */
export function isFault(error: unknown): boolean {
  return resultCode(error) !== undefined && !isBusy(error);
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === RESULT.busy || code === RESULT.locked;
}
