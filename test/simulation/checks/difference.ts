import { isRecord } from "../../../src/core/values.ts";

/** The first place at which two JSON values differ, whatever the order of their keys; undefined for equal ones. */
export function difference(a: unknown, b: unknown, path = ""): string | undefined {
  if (a === b) return undefined;
  const [left, right] = [membersOf(a), membersOf(b)];
  if (!left || !right) return `${path || "it"} is ${JSON.stringify(a)}, not ${JSON.stringify(b)}`;
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = difference(left[name], right[name], path ? `${path}.${name}` : name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return Array.isArray(value) ? { ...value } : isRecord(value) ? value : undefined;
}
