/** `length` characters at `at` become `text`. */
export interface Edit {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** Lines `from` to `fromEnd` of the old text became lines `to` to `toEnd` of the new one. */
interface Hunk {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

/** Lines with their line endings: joined, they are the text again. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Texts that differ in more lines are shown as replaced. */
const MAX_CHANGES = 2_000;

/** The shortest edit script between two texts, line by line (Myers). */
function hunksOf(a: readonly string[], b: readonly string[]): Hunk[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++;
  const rows = a.length - head - tail;
  const columns = b.length - head - tail;
  if (rows === 0 && columns === 0) return [];
  const whole = { from: head, fromEnd: head + rows, to: head, toEnd: head + columns };
  if (rows === 0 || columns === 0) return [whole];
  const trace: Map<number, number>[] = [];
  let reach = new Map([[1, 0]]);
  for (let steps = 0; steps <= Math.min(rows + columns, MAX_CHANGES); steps++) {
    trace.push(new Map(reach));
    const next = new Map(reach);
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let row = furthest(reach, diagonal, steps);
      while (row < rows && row - diagonal < columns && a[head + row] === b[head + row - diagonal])
        row++;
      next.set(diagonal, row);
      if (row >= rows && row - diagonal >= columns) return walkBack(trace, rows, columns, head);
    }
    reach = next;
  }
  return [whole];
}

function furthest(reach: ReadonlyMap<number, number>, diagonal: number, steps: number): number {
  const down = reach.get(diagonal + 1) ?? -1;
  const right = reach.get(diagonal - 1) ?? -1;
  return diagonal === -steps || (diagonal !== steps && right < down) ? down : right + 1;
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  rows: number,
  columns: number,
  head: number,
): Hunk[] {
  const hunks: Hunk[] = [];
  let [row, column] = [rows, columns];
  for (let steps = trace.length - 1; steps > 0; steps--) {
    const reach = trace[steps] ?? new Map<number, number>();
    const diagonal = row - column;
    const down = reach.get(diagonal + 1) ?? -1;
    const right = reach.get(diagonal - 1) ?? -1;
    const came =
      diagonal === -steps || (diagonal !== steps && right < down) ? diagonal + 1 : diagonal - 1;
    const before = reach.get(came) ?? 0;
    const beforeColumn = before - came;
    const fromEnd = head + (came > diagonal ? before : before + 1);
    const toEnd = head + (came > diagonal ? beforeColumn + 1 : beforeColumn);
    const last = hunks.at(-1);
    const from = head + before;
    const to = head + beforeColumn;
    if (last && last.from === fromEnd && last.to === toEnd)
      hunks[hunks.length - 1] = { ...last, from, to };
    else hunks.push({ from, fromEnd, to, toEnd });
    [row, column] = [before, beforeColumn];
  }
  return hunks.reverse();
}

/** The edits that turn `after` back into `before`, with as little of `before` as possible. */
export function editsBetween(after: string, before: string): Edit[] {
  const [a, b] = [linesOf(after), linesOf(before)];
  const starts = [0];
  for (const line of a) starts.push((starts.at(-1) ?? 0) + line.length);
  return hunksOf(a, b).map(({ from, fromEnd, to, toEnd }) => {
    const old = a.slice(from, fromEnd).join("");
    const fresh = b.slice(to, toEnd).join("");
    let head = 0;
    while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
    let tail = 0;
    while (
      tail < Math.min(old.length, fresh.length) - head &&
      old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
    )
      tail++;
    return {
      at: (starts[from] ?? 0) + head,
      length: old.length - head - tail,
      text: fresh.slice(head, fresh.length - tail),
    };
  });
}

/** Applies edits that do not overlap; their offsets refer to the text before any edit. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  // From the end to the start; edits at the same offset keep their order.
  const ordered = [...edits].reverse().sort((a, b) => b.at - a.at);
  return ordered.reduce(
    (now, { at, length, text: fresh }) => now.slice(0, at) + fresh + now.slice(at + length),
    text,
  );
}

export interface DiffLine {
  readonly kind: "file" | "hunk" | "same" | "removed" | "added";
  readonly text: string;
}

const CONTEXT = 3;

/** A unified diff; `undefined` stands for a file that does not exist. */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): DiffLine[] {
  const [a, b] = [linesOf(before ?? ""), linesOf(after ?? "")];
  const hunks = hunksOf(a, b);
  if (hunks.length === 0 && (before === undefined) === (after === undefined)) return [];
  const out: DiffLine[] = [
    { kind: "file", text: `--- ${before === undefined ? "/dev/null" : path}` },
    { kind: "file", text: `+++ ${after === undefined ? "/dev/null" : path}` },
  ];
  for (const group of grouped(hunks)) {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    const begin = Math.max(0, first.from - CONTEXT);
    const end = Math.min(a.length, last.fromEnd + CONTEXT);
    const lead = first.from - begin;
    const length = last.toEnd + (end - last.fromEnd) - (first.to - lead);
    out.push({
      kind: "hunk",
      text: `@@ -${range(begin, end - begin)} +${range(first.to - lead, length)} @@`,
    });
    let at = begin;
    for (const { from, fromEnd, to, toEnd } of group) {
      out.push(...shown("same", a.slice(at, from)));
      out.push(...shown("removed", a.slice(from, fromEnd)));
      out.push(...shown("added", b.slice(to, toEnd)));
      at = fromEnd;
    }
    out.push(...shown("same", a.slice(at, end)));
  }
  return out;
}

function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

const PREFIX = { same: " ", removed: "-", added: "+" } as const;

function shown(kind: keyof typeof PREFIX, lines: readonly string[]): DiffLine[] {
  return lines.flatMap((line) => {
    const whole = line.endsWith("\n");
    const text = whole ? line.replace(/\r?\n$/, "") : line;
    const entry = { kind, text: `${PREFIX[kind]}${text}` };
    return whole ? [entry] : [entry, { kind: "same", text: "\\ No newline at end of file" }];
  });
}

/** Groups hunks whose context lines touch. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.from - last.fromEnd <= 2 * CONTEXT) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}
