/** Compares versions by their numbers. */
export function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string) =>
    text.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [mine, theirs] = [numbers(version), numbers(least)];
  for (let place = 0; place < Math.max(mine.length, theirs.length); place++) {
    const difference = (mine[place] ?? 0) - (theirs[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
