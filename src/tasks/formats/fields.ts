/** Readers for fields of other tools. Each returns undefined for a value that does not fit. */

import { parseStatus } from "../../core/text/status.ts";
import type { Fields } from "../../core/values.ts";
import {
  type Json,
  LATEST_TIME,
  type Metadata,
  PRIORITIES,
  type Priority,
  type TaskDraft,
} from "../model.ts";

export function text(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function texts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return list.flatMap((each) => text(each) ?? []);
}

/** A time in milliseconds, or as a date string. */
export function time(value: unknown): number | undefined {
  const at =
    typeof value === "number" ? value : typeof value === "string" ? Date.parse(zoned(value)) : NaN;
  return at >= 0 && at <= LATEST_TIME ? at : undefined;
}

// A date and time without a zone would mean different times on different machines.
function zoned(value: string): string {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:\d{2})?$/.test(value)
    ? `${value.replace(" ", "T")}Z`
    : value;
}

/** Maps words of other tools; a plain object would also contain `constructor`. */
function wordsOf<T>(words: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(words));
}

const NAMED = wordsOf<Priority>({
  critical: 0,
  highest: 0,
  urgent: 0,
  high: 1,
  medium: 2,
  normal: 2,
  low: 3,
  lowest: 4,
});

export function priority(value: unknown): Priority | undefined {
  if (typeof value === "string" && /^[Pp]?[0-4]$/.test(value))
    return priority(Number(value.slice(-1)));
  if (typeof value === "string") return NAMED.get(value.toLowerCase());
  return PRIORITIES.find((each) => each === value);
}

type ImportedStatus = NonNullable<TaskDraft["status"]>;

/** Statuses that todos do not have. */
const STATUSES = wordsOf<ImportedStatus>({ tombstone: "cancelled", failed: "failed" });

/** Every status that is not closed becomes open: claims of another tool cannot be imported. */
export function status(value: unknown): ImportedStatus {
  const known = STATUSES.get((text(value) ?? "").toLowerCase());
  if (known) return known;
  const read = parseStatus(text(value)).status;
  if (read === "completed") return "done";
  return read === "cancelled" ? "cancelled" : "open";
}

/** All other fields, as far as JSON can hold them. */
export function rest(given: Fields, known: readonly string[]): Metadata {
  const left = Object.entries(given).filter(
    ([key, value]) => !known.includes(key) && value !== null && value !== undefined && value !== "",
  );
  return Object.fromEntries(left) as Record<string, Json>;
}

/** Removes undefined fields. */
export function present<T extends object>(fields: { [F in keyof T]: T[F] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
/** Paragraphs under headings; empty ones are left out. */
export function sections(parts: Readonly<Record<string, unknown>>): string | undefined {
  const written = Object.entries(parts).flatMap(([heading, value]) => {
    const body = text(value);
    return body === undefined ? [] : [heading === "" ? body : `## ${heading}\n\n${body}`];
  });
  return written.length === 0 ? undefined : written.join("\n\n");
}
