import { type Group, isOpen, type Row, type View } from "../../../core/views/view.ts";

/** A phase of a list, as much of it as is drawn. */
export interface Section extends Omit<Group, "rows"> {
  readonly key: string;
  readonly rows: readonly Row[];
  /** Nothing of it is open. */
  readonly isDone: boolean;
  /** Only its heading is drawn. */
  readonly isFolded: boolean;
  readonly canFold: boolean;
  /** Rows before and after those that are drawn. */
  readonly above: readonly Row[];
  readonly below: readonly Row[];
}

/** Lists up to this length are drawn whole: there is nothing to get lost in. */
const SHORT = 60;
const BEFORE = 3;
const AFTER = 40;

/**
 * What of a list is drawn. In a long one, phases that are done fold, and of the others the part
 * around what comes next is shown. What a person opened or folded stays so, and what they edit is
 * always drawn.
 */
export function sectionsOf(
  { groups, rows }: Pick<View, "groups" | "rows">,
  opened: ReadonlySet<string>,
  folded: ReadonlySet<string>,
  edited?: string,
): readonly Section[] {
  const isLong = rows.length > SHORT;
  return groups.map((group) => {
    // Not by its place: a phase may come before it.
    const key = group.phase === undefined ? "" : `phase ${group.phase}`;
    const kept = group.rows.findIndex(({ todo }) => todo.id === edited);
    const isDone = !group.rows.some(({ todo }) => isOpen(todo));
    const canFold = group.phase !== undefined || (isLong && isDone);
    const folds = folded.has(key) || (isLong && isDone && !opened.has(key));
    const isFolded = canFold && folds && kept === -1;
    const first = isDone ? 0 : group.rows.findIndex(({ todo }) => isOpen(todo));
    const isWhole = !isLong || opened.has(key);
    const from = kept === -1 ? first : Math.min(first, kept);
    const start = isWhole || isFolded ? 0 : Math.max(0, from - BEFORE);
    const end = isFolded ? 0 : isWhole ? group.rows.length : Math.max(first + AFTER, kept + 1);
    return {
      ...group,
      key,
      isDone,
      canFold,
      isFolded,
      rows: group.rows.slice(start, end),
      above: group.rows.slice(0, start),
      below: isFolded ? [] : group.rows.slice(end),
    };
  });
}
