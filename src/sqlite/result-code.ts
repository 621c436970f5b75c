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

/** SQLite's own result code, without the details in the upper bits. */
export function resultCode(error: unknown): number | undefined {
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
  return code === RESULT.busy || code === RESULT.locked;
}
