import { type Group, isOpen, type Row, type View } from "../../../core/views/view.ts";

/** A phase of a list and its visible rows. */
export interface Section extends Omit<Group, "rows"> {
  readonly key: string;
  readonly rows: readonly Row[];
  /** Has no open todos. */
  readonly isDone: boolean;
  /** Only the heading is shown. */
  readonly isFolded: boolean;
  readonly canFold: boolean;
  /** Hidden rows before and after the visible ones. */
  readonly above: readonly Row[];
  readonly below: readonly Row[];
}

/** Lists up to this length are shown in full. */
const SHORT = 60;
const BEFORE = 3;
const AFTER = 40;

/**
 * The visible part of a list. In a long list, finished phases are folded and the others show the rows
 * around the next todo. Phases that the user opened or folded stay that way; the edited row is always
 * visible.
 */
export function sectionsOf(
  { groups, rows }: Pick<View, "groups" | "rows">,
  opened: ReadonlySet<string>,
  folded: ReadonlySet<string>,
  edited?: string,
): readonly Section[] {
  const isLong = rows.length > SHORT;
  return groups.map((group) => {
    // Not the index: phases may be inserted before it.
    const key = group.phase === undefined ? "" : `phase ${group.phase}`;
    const editedIndex = group.rows.findIndex(({ todo }) => todo.id === edited);
    const isDone = !group.rows.some(({ todo }) => isOpen(todo));
    const canFold = group.phase !== undefined || (isLong && isDone);
    const folds = folded.has(key) || (isLong && isDone && !opened.has(key));
    const isFolded = canFold && folds && editedIndex === -1;
    const first = isDone ? 0 : group.rows.findIndex(({ todo }) => isOpen(todo));
    const isWhole = !isLong || opened.has(key);
    const from = editedIndex === -1 ? first : Math.min(first, editedIndex);
    const start = isWhole || isFolded ? 0 : Math.max(0, from - BEFORE);
    const end = isFolded
      ? 0
      : isWhole
        ? group.rows.length
        : Math.max(first + AFTER, editedIndex + 1);
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
