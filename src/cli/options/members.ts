import { readFileSync } from "node:fs";
import { UsageError } from "../../core/error.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Member, Members } from "../../surfaces/text/draw/page.ts";
import { colorNamed } from "../../surfaces/text/draw/paint.ts";

const FORM = '{"max": {"name": "Max", "color": "magenta"}}';

/** Reads a team map: agent id to name and color. A list of members with `id` is accepted too. */
export function readMembers(path: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = redactedMessage(error);
    throw new UsageError(`Cannot read the team map ${path}: ${reason}`);
  }
  const entries = entriesOf(value);
  if (!entries) throw new UsageError(`${path} is not a team map. Use the form ${FORM}.`);
  return new Map(entries.map(([id, member]) => [id, memberOf(path, id, member)]));
}

type Entry = readonly [id: string, member: unknown];

function entriesOf(value: unknown): readonly Entry[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) {
    const { members } = value as { readonly members?: unknown };
    return Array.isArray(members) ? entriesOf(members) : Object.entries(value);
  }
  const entries = value.map(
    (member): Entry => [(member as { id?: string } | null)?.id ?? "", member],
  );
  return entries.every(([id]) => typeof id === "string" && id !== "") ? entries : undefined;
}

function memberOf(path: string, id: string, value: unknown): Member {
  const refuse = (what: string) =>
    new UsageError(`Member "${id.slice(0, 40)}" in ${path} ${what}. Use the form ${FORM}.`);
  if (typeof value === "string" && value.trim() !== "") return { name: value };
  if (typeof value !== "object" || value === null) throw refuse("has no name");
  const given = value as Readonly<Record<string, unknown>>;
  const name = given.name ?? given.displayName ?? id;
  const color = given.color ?? given.themeColor;
  if (typeof name !== "string" || name.trim() === "") throw refuse("has no valid name");
  if (color === undefined) return { name };
  if (typeof color !== "string" || colorNamed(color) === undefined)
    throw refuse("has no valid color (cyan, redBright, #rrggbb)");
  return { name, color };
}
