/** Whether a version is `least` or newer, compared by numbers. */
export function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string) =>
    text.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [mine, theirs] = [numbers(version), numbers(least)];
  for (let index = 0; index < Math.max(mine.length, theirs.length); index++) {
    const difference = (mine[index] ?? 0) - (theirs[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
