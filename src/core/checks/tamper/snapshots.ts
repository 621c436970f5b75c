import { isSnapshot } from "./languages.ts";
import type { Sign } from "./signs.ts";
import { lineAt, lineStarts, squeezed } from "./source.ts";
import type { FileChange } from "./warning.ts";

/** Recorded results that changed or are gone. New ones, and moved ones, are no sign. */
export function snapshotSigns(changes: readonly FileChange[], isFragment = false): readonly Sign[] {
  const snapshots = changes.filter(({ path }) => isSnapshot(path));
  const kept = new Set(
    snapshots.flatMap(({ after }) =>
      after === null ? [] : [...entriesOf(after).values()].map(({ value }) => value),
    ),
  );
  return snapshots.flatMap(({ path, before, after }): readonly Sign[] => {
    if (before === null || before === after) return [];
    // A part of a file that only grows has new results.
    if (isFragment && squeezed(after ?? "").includes(squeezed(before))) return [];
    const now = after === null ? new Map<string, Entry>() : entriesOf(after);
    for (const [name, { value }] of entriesOf(before)) {
      const entry = now.get(name);
      if (entry ? entry.value === value : kept.has(value)) continue;
      const line =
        entry && after !== null ? lineAt({ lines: lineStarts(after) }, entry.offset) : null;
      const lost = line === null && { text: name || path };
      return [{ kind: "snapshot_rewritten", file: path, line, ...lost }];
    }
    return [];
  });
}

interface Entry {
  readonly value: string;
  readonly offset: number;
}

const ENTRY = /^(?:exports\[`([^`\n]{1,400})`\] = |# name: ([^\n]{1,400})\n)/gm;

/** The named entries of a snapshot file; a file without names is one entry. */
function entriesOf(text: string): ReadonlyMap<string, Entry> {
  const starts = [...text.matchAll(ENTRY)];
  const entries = new Map<string, Entry>();
  for (const [index, start] of starts.entries()) {
    const from = start.index + start[0].length;
    const value = squeezed(text.slice(from, starts[index + 1]?.index ?? text.length));
    entries.set(start[1] ?? start[2] ?? "", { value, offset: start.index });
  }
  if (entries.size === 0) entries.set("", { value: squeezed(text), offset: 0 });
  return entries;
}
