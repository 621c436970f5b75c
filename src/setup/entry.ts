import type { EntryWish, Fields } from "../agents/common/setup/wish.ts";
import { WaymarkError } from "../core/error.ts";
import {
  type Format,
  isObject,
  type Path,
  sameValue,
  type Value,
  valueAt,
} from "./edit/document.ts";
import { whatServes } from "./recognize.ts";

/** The fields that setup wrote: the whole entry, or its additions to an entry of the user. */
export interface WrittenEntry {
  readonly path: Path;
  readonly value: Fields;
}

/** The fields that start a program; they are only replaced together. */
const START = ["type", "command", "args"];
const isStart = (name: string) => START.includes(name);

/** Whether setup created the entry, as opposed to adding fields to one of the user. */
export function isMade(written: WrittenEntry | undefined): boolean {
  return written !== undefined && Object.keys(written.value).some(isStart);
}

/** Whether setup created the entry and its program is unchanged. */
export function startIsOurs(there: Value | undefined, written: WrittenEntry | undefined): boolean {
  return (
    isObject(there) &&
    isMade(written) &&
    START.every((name) => sameValue(there[name], written?.value[name]))
  );
}

/**
 * The fields to set in an existing entry. Fields that the user wrote, changed or removed are left alone. An entry of
 * the user gets additions only if it is known to run Waymark.
 */
function fieldsToSet(there: Fields, wish: EntryWish, written: WrittenEntry | undefined): Fields {
  const made = startIsOurs(there, written);
  // The user changed the program: the entry is the user's from now on.
  if (isMade(written) && !made) return {};
  const known = written?.value ?? {};
  const adds = written ? made : wish.is === "server" && whatServes(there) === "waymark";
  return Object.fromEntries(
    Object.entries(wish.value).filter(([name]) => {
      if (isStart(name)) return made;
      if (Object.hasOwn(known, name)) return sameValue(there[name], known[name]);
      return adds && !Object.hasOwn(there, name);
    }),
  );
}

/** The unchanged fields of setup; empty if the user changed the program. */
function unchangedIn(there: Fields, written: WrittenEntry | undefined): readonly string[] {
  if (!written || (isMade(written) && !startIsOurs(there, written))) return [];
  return Object.keys(written.value).filter((name) => sameValue(there[name], written.value[name]));
}

interface Granted {
  readonly text: string;
  readonly written?: WrittenEntry;
}

/** Creates an entry, or adds fields to the existing one. */
export function grantEntry(
  text: string,
  data: Value,
  format: Format,
  wish: EntryWish,
  written: WrittenEntry | undefined,
): Granted {
  const { path, value } = wish;
  const there = valueAt(data, path);
  if (there === undefined) return { text: format.set(text, path, value), written: { path, value } };
  if (!isObject(there)) return { text };
  const fields = fieldsToSet(there, wish, written);
  const stale = unchangedIn(there, written).filter((name) => !Object.hasOwn(value, name));
  const kept = stale.reduce((now, name) => format.unset(now, [...path, name]), text);
  try {
    return {
      text: Object.entries(fields).reduce(
        (now, [name, each]) =>
          sameValue(there[name], each) ? now : format.set(now, [...path, name], each),
        kept,
      ),
      // Recorded even if empty, so that a field which the user removed is not added again.
      ...((Object.keys(fields).length > 0 || (written && !isMade(written))) && {
        written: { path, value: fields },
      }),
    };
  } catch (error) {
    // An inline table, for example: the entry works without the additions.
    if (!(error instanceof WaymarkError) || isMade(written)) throw error;
    return { text: kept };
  }
}

/** Removes the fields of setup; an entry of setup that the user changed is kept. */
export function revokeEntry(
  text: string,
  data: Value,
  format: Format,
  written: WrittenEntry | undefined,
): string {
  const there = written && valueAt(data, written.path);
  if (!written || !isObject(there)) return text;
  if (isMade(written))
    return sameValue(there, written.value) ? format.unset(text, written.path) : text;
  return unchangedIn(there, written).reduce(
    (now, name) => format.unset(now, [...written.path, name]),
    text,
  );
}
