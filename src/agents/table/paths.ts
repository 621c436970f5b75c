import { fields, list } from "../common/values.ts";

/**
 * Paths into records: `a.b` is a field of a field, `a.*` every entry of an array, `a.%` every field of an object, `a.$`
 * the first field of an object.
 */

export function select(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const step of path === "" ? [] : path.split("."))
    found = found.flatMap((here) => {
      if (step === "*") return list(here) ?? [];
      const given = fields(here);
      if (step === "$") return given ? Object.values(given).slice(0, 1) : [];
      if (step === "%") return given ? Object.values(given) : [];
      return given && Object.hasOwn(given, step) ? [given[step]] : [];
    });
  return found;
}

export function at(value: unknown, path: string): unknown {
  return select(value, path)[0];
}

/** The name of the first field of an object. */
export function keyAt(value: unknown, path: string): string | undefined {
  return Object.keys(fields(at(value, path)) ?? {})[0];
}

/** Required values by path; `*` is any value. */
export type Condition = Readonly<Record<string, string | boolean>>;

export function matches(value: unknown, where: Condition): boolean {
  return Object.entries(where).every(([path, wanted]) => {
    const found = select(value, path);
    return wanted === "*" ? found.some((one) => one != null) : found.includes(wanted);
  });
}
