/** Escapes text as in a JSON string: text columns hold neither NUL nor lone surrogates. */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function fromColumn(column: unknown): string {
  return JSON.parse(`"${column}"`);
}
