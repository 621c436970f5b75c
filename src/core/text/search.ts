/** The words that somebody looks for, so that case, width and spaces do not matter. */
export function searchWords(search: string): readonly string[] {
  return folded(search).split(" ").filter(Boolean);
}

export function isFound(word: string, texts: Iterable<string>): boolean {
  for (const text of texts) if (folded(text).includes(word)) return true;
  return false;
}

/** As texts are compared. */
export function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
