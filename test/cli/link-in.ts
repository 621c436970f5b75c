/** The link to the page on a screen, which may wrap to the next row; empty without one. */
export function linkIn(rows: readonly string[]): string {
  const text = rows.map((row) => row.trim()).join("");
  return /http:\/\/127\.0\.0\.1:\d+\/open#[\w-]{32}/.exec(text)?.[0] ?? "";
}
