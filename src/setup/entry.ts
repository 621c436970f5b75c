import type { EntryItem, Fields } from "../agents/common/setup/config-item.ts";
import { WaymarkError } from "../core/error.ts";
import {
  type Format,
  isObject,
  type Path,
  sameValue,
  type Value,
  valueAt,
} from "./edit/document.ts";
import { serverKind } from "./recognize.ts";

/** The fields that setup wrote: the whole entry, or its additions to an entry of the user. */
export interface WrittenEntry {
  readonly path: Path;
  readonly value: Fields;
}

/** The fields that start the program. They are only replaced together. */
const START = ["type", "command", "args"];
const isStart = (name: string) => START.includes(name);

/** Whether setup created the entry, rather than adding fields to an entry of the user. */
export function isCreated(written: WrittenEntry | undefined): boolean {
  return written !== undefined && Object.keys(written.value).some(isStart);
}

/** Whether setup created the entry and its program is unchanged. */
export function hasOurStart(
  current: Value | undefined,
  written: WrittenEntry | undefined,
): boolean {
  return (
    isObject(current) &&
    isCreated(written) &&
    START.every((name) => sameValue(current[name], written?.value[name]))
  );
}

/**
 * The fields to set in an existing entry. Fields that the user wrote, changed or removed are left alone. An entry of
 * the user gets additions only if it is known to run Waymark.
 */
function fieldsToSet(current: Fields, item: EntryItem, written: WrittenEntry | undefined): Fields {
  const made = hasOurStart(current, written);
  // The user changed the program, so the entry now belongs to the user.
  if (isCreated(written) && !made) return {};
  const known = written?.value ?? {};
  const adds = written ? made : item.is === "server" && serverKind(current) === "waymark";
  return Object.fromEntries(
    Object.entries(item.value).filter(([name]) => {
      if (isStart(name)) return made;
      if (Object.hasOwn(known, name)) return sameValue(current[name], known[name]);
      return adds && !Object.hasOwn(current, name);
    }),
  );
}

/** The unchanged fields of setup; empty if the user changed the program. */
function unchangedIn(current: Fields, written: WrittenEntry | undefined): readonly string[] {
  if (!written || (isCreated(written) && !hasOurStart(current, written))) return [];
  return Object.keys(written.value).filter((name) => sameValue(current[name], written.value[name]));
}

interface AddedEntry {
  readonly text: string;
  readonly written?: WrittenEntry;
}

/** Creates an entry, or adds fields to the existing one. */
export function addEntry(
  text: string,
  data: Value,
  format: Format,
  item: EntryItem,
  written: WrittenEntry | undefined,
): AddedEntry {
  const { path, value } = item;
  const current = valueAt(data, path);
  if (current === undefined)
    return { text: format.set(text, path, value), written: { path, value } };
  if (!isObject(current)) return { text };
  const fields = fieldsToSet(current, item, written);
  const stale = unchangedIn(current, written).filter((name) => !Object.hasOwn(value, name));
  const kept = stale.reduce((now, name) => format.unset(now, [...path, name]), text);
  try {
    return {
      text: Object.entries(fields).reduce(
        (now, [name, each]) =>
          sameValue(current[name], each) ? now : format.set(now, [...path, name], each),
        kept,
      ),
      // Recorded even if empty, so that a field which the user removed is not added again.
      ...((Object.keys(fields).length > 0 || (written && !isCreated(written))) && {
        written: { path, value: fields },
      }),
    };
  } catch (error) {
    // An inline table, for example: the entry works without the additions.
    if (!(error instanceof WaymarkError) || isCreated(written)) throw error;
    return { text: kept };
  }
}

/** Removes the fields of setup; an entry of setup that the user changed is kept. */
export function removeEntry(
  text: string,
  data: Value,
  format: Format,
  written: WrittenEntry | undefined,
): string {
  const current = written && valueAt(data, written.path);
  if (!written || !isObject(current)) return text;
  if (isCreated(written))
    return sameValue(current, written.value) ? format.unset(text, written.path) : text;
  return unchangedIn(current, written).reduce(
    (now, name) => format.unset(now, [...written.path, name]),
    text,
  );
}
