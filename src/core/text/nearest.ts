/** Edit distance: letters to change, add, remove or swap. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

const LONGEST = 40;

/** The known name that was most likely meant; undefined if none is similar. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.slice(0, LONGEST).toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const begins = wanted.length > 1 && candidate.toLowerCase().startsWith(wanted);
    const steps = begins ? 0.5 : distance(wanted, candidate.toLowerCase());
    if (steps >= least) continue;
    best = candidate;
    least = steps;
  }
  return best;
}
