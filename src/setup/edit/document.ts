import type { Path, Value } from "../../agents/common/setup/wish.ts";

export type { Path, Value };

/**
 * A configuration format whose files are changed as text: what is not named stays as it is, byte for
 * byte. Every change takes a text that can be read and gives one that can be read.
 */
export interface Format {
  /** Throws a `WaymarkError` that names the file and the line. */
  read(text: string, file: string): Value;
  /** The value at the path becomes this one; what leads there is made. */
  set(text: string, path: Path, value: Value): string;
  unset(text: string, path: Path): string;
  /** One more at the end of a list, which is made where there is none. */
  append(text: string, path: Path, value: Value): string;
  /** One of a list goes. */
  drop(text: string, path: Path, index: number): string;
  /** What a new file begins with. */
  readonly blank: string;
}

/** The same format, where a change that gives a text which cannot be read is refused. */
export function checked(format: Format, file: string, refusal: Error): Format {
  const sure = (text: string) => {
    try {
      format.read(text, file);
      return text;
    } catch {
      // The text is not the user's: what is wrong with it helps nobody.
      throw refusal;
    }
  };
  return {
    ...format,
    set: (...args) => sure(format.set(...args)),
    unset: (...args) => sure(format.unset(...args)),
    append: (...args) => sure(format.append(...args)),
    drop: (...args) => sure(format.drop(...args)),
  };
}

/** Parsed texts that a plan may read again: the current file, its original and the last edits. */
const MOST_CACHED = 4;

/** The same format, where a text that was parsed just now is not parsed again. */
export function cached(format: Format): Format {
  const known = new Map<string, Value>();
  return {
    ...format,
    read(text, file) {
      const value = known.get(text) ?? format.read(text, file);
      known.delete(text);
      known.set(text, value);
      const [oldest] = known.keys();
      if (known.size > MOST_CACHED && oldest !== undefined) known.delete(oldest);
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

/** Whether two values say the same, in whatever order their properties stand. */
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

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
