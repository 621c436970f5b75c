/** The words of a search, normalized so that case, width and spaces do not matter. */
export function searchTerms(search: string): readonly string[] {
  return normalizeForSearch(search).split(" ").filter(Boolean);
}

/** Whether one of the texts contains a search term. */
export function isFound(word: string, texts: Iterable<string>): boolean {
  for (const text of texts) if (normalizeForSearch(text).includes(word)) return true;
  return false;
}

/** Normalizes a text for comparison with search terms. */
export function normalizeForSearch(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
