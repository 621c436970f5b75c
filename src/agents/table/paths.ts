import { fields, list } from "../common/values.ts";

/**
 * Places inside of foreign records, declared as text: `a.b` is a field of a field, `a.*` every
 * entry of a list, `a.%` every field of an object, `a.$` its only one, whatever the names.
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

/** The name of the only field of an object. */
export function keyAt(value: unknown, path: string): string | undefined {
  return Object.keys(fields(at(value, path)) ?? {})[0];
}

/** What must stand at which places: a value, or `*` for anything. */
export type Where = Readonly<Record<string, string | boolean>>;

export function fits(value: unknown, where: Where): boolean {
  return Object.entries(where).every(([path, wanted]) => {
    const found = select(value, path);
    return wanted === "*" ? found.some((one) => one != null) : found.includes(wanted);
  });
}
