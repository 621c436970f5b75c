import type { Path, Value } from "../../agents/common/setup/config-item.ts";
import { WaymarkError } from "../../core/error.ts";

export type { Path, Value };

/**
 * A configuration format whose files are edited as text: everything outside of the edit is unchanged, byte for byte.
 * Every edit takes a valid text and returns a valid text.
 */
export interface Format {
  /** Throws a `WaymarkError` that names the file and the line. */
  read(text: string, file: string): Value;
  /** Sets the value at the path; creates missing parents. */
  set(text: string, path: Path, value: Value): string;
  unset(text: string, path: Path): string;
  /** Appends a value to a list; creates the list if it is missing. */
  append(text: string, path: Path, value: Value): string;
  /** Removes a value from a list. */
  drop(text: string, path: Path, index: number): string;
  /** The initial content of a new file. */
  readonly blank: string;
}

/** The same format, which throws `refusal` if an edit would give an invalid text. */
export function checked(format: Format, file: string, refusal: Error): Format {
  const verified = (text: string) => {
    try {
      format.read(text, file);
      return text;
    } catch {
      // The error is about our edit, not the user's text, so it would not help.
      throw refusal;
    }
  };
  return {
    ...format,
    set: (...args) => verified(format.set(...args)),
    unset: (...args) => verified(format.unset(...args)),
    append: (...args) => verified(format.append(...args)),
    drop: (...args) => verified(format.drop(...args)),
  };
}

/** Parsed texts that a plan may read again: the current file, its original and the last edits. */
const MAX_CACHED = 4;

/** The same format, which caches the last parsed texts. */
export function cached(format: Format): Format {
  const known = new Map<string, Value>();
  return {
    ...format,
    read(text, file) {
      const value = known.get(text) ?? format.read(text, file);
      known.delete(text);
      known.set(text, value);
      const [oldest] = known.keys();
      if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest);
      return value;
    },
  };
}

export function isObject(value: unknown): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(data: Value | undefined, path: Path): Value | undefined {
  let at = data;
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** Whether two values are deeply equal, regardless of the order of properties. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, index) => sameValue(each, b[index]));
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]))
    );
  }
  return Object.is(a, b);
}

/** The parsers are recursive: deeply nested values exhaust their stack. */
export function withoutOverflow<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new WaymarkError(
      "broken_config",
      `${file} has values that are nested too deeply. Nothing was written. Change them and run the command again.`,
    );
  }
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
