import type { SectionName } from "../formats/backlog/sections.ts";

export type TextField = "title" | "state" | "priority" | "parent" | SectionName;
export type SetField = "labels" | "dependencies";
export type FieldName = TextField | SetField;

/**
 * The shared fields of a file or a task, in the same form for both. Dependencies and the parent are
 * ids of tasks; `state` is a phase, or `claimed OWNER`.
 */
export interface SharedFields {
  readonly texts: Readonly<Record<TextField, string>>;
  readonly sets: Readonly<Record<SetField, readonly string[]>>;
}

/** The last version that both sides had. Absent fields were never equal. */
export interface BaseFields {
  readonly texts: Readonly<Partial<Record<TextField, string>>>;
  readonly sets: Readonly<Partial<Record<SetField, readonly string[]>>>;
}

export const NO_BASE: BaseFields = { texts: {}, sets: {} };
export const SET_FIELDS: readonly SetField[] = ["labels", "dependencies"];

/** A field that both sides changed to different values. */
export interface FieldConflict {
  readonly field: TextField;
  readonly file: string;
  readonly task: string;
}

export type Side = "files" | "store";

export interface Merged {
  /** The fields that the file and the task get. They differ only in conflicts. */
  readonly file: SharedFields;
  readonly task: SharedFields;
  readonly conflicts: readonly FieldConflict[];
}

/**
 * Merges field by field. `before` has the conflicts of the last merge: a side that changed since then
 * has decided them, unless both did.
 */
export function mergeFields(
  base: BaseFields,
  file: SharedFields,
  task: SharedFields,
  {
    before = [],
    prefer,
  }: { readonly before?: readonly FieldConflict[]; readonly prefer?: Side | undefined } = {},
): Merged {
  const conflicts: FieldConflict[] = [];
  const texts = (Object.keys(file.texts) as TextField[]).map((field) => {
    const [f, t] = [file.texts[field], task.texts[field]];
    const side = mergeText(base.texts[field], f, t) ?? decided(field, f, t, before) ?? prefer;
    if (side === undefined) conflicts.push({ field, file: f, task: t });
    return { field, file: side === "store" ? t : f, task: side === "files" ? f : t };
  });
  const sets = SET_FIELDS.map((field) => {
    const merged = mergeSet(base.sets[field], file.sets[field], task.sets[field]);
    return [field, merged] as const;
  });
  const both = Object.fromEntries(sets) as SharedFields["sets"];
  const side = (which: "file" | "task") =>
    Object.fromEntries(texts.map((each) => [each.field, each[which]])) as SharedFields["texts"];
  return {
    file: { texts: side("file"), sets: both },
    task: { texts: side("task"), sets: both },
    conflicts,
  };
}

/** The side whose value counts; undefined if both changed it. */
function mergeText(base: string | undefined, file: string, task: string): Side | undefined {
  if (file === task || base === file) return "store";
  if (base === task) return "files";
  if (base !== undefined) return undefined;
  if (isLess(file, task)) return "store";
  return isLess(task, file) ? "files" : undefined;
}

/**
 * Whether a value may be left for another one without a base: a text that one side lacks was not
 * removed there, and an import opens tasks in progress.
 */
function isLess(value: string, other: string): boolean {
  return value === "" || (value === "open" && other.startsWith("claimed "));
}

function decided(
  field: TextField,
  file: string,
  task: string,
  before: readonly FieldConflict[],
): Side | undefined {
  const last = before.find((each) => each.field === field);
  if (!last || (last.file === file) === (last.task === task)) return undefined;
  return last.file === file ? "store" : "files";
}

/** Entries that one side added or removed since the base; never a conflict. */
function mergeSet(
  base: readonly string[] | undefined,
  file: readonly string[],
  task: readonly string[],
): readonly string[] {
  return [...new Set([...file, ...task])].filter(
    (each) => (file.includes(each) && task.includes(each)) || !base?.includes(each),
  );
}

/** The base after a sync: what both sides have now, and the old base of fields that still differ. */
export function nextBase(base: BaseFields, file: SharedFields, task: SharedFields): BaseFields {
  const texts = (Object.keys(file.texts) as TextField[]).flatMap((field) => {
    const value = file.texts[field] === task.texts[field] ? file.texts[field] : base.texts[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  const sets = SET_FIELDS.flatMap((field) => {
    const value = sameSet(file.sets[field], task.sets[field])
      ? [...file.sets[field]].sort()
      : base.sets[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { texts: Object.fromEntries(texts), sets: Object.fromEntries(sets) };
}

export function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each) => b.includes(each));
}

export function sameFields(a: SharedFields, b: SharedFields): boolean {
  return (
    (Object.keys(a.texts) as TextField[]).every((field) => a.texts[field] === b.texts[field]) &&
    SET_FIELDS.every((field) => sameSet(a.sets[field], b.sets[field]))
  );
}

/** Whether the base has a value for every field, and each is the same. */
export function isBase(base: BaseFields, fields: SharedFields): boolean {
  return (
    (Object.keys(fields.texts) as TextField[]).every(
      (field) => base.texts[field] === fields.texts[field],
    ) && SET_FIELDS.every((field) => sameSet(base.sets[field] ?? [], fields.sets[field]))
  );
}
