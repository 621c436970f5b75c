/** Columns of text hold neither NUL nor lone surrogates: text that may have them is kept as inside a JSON string. */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function fromColumn(column: unknown): string {
  return JSON.parse(`"${column}"`);
}
