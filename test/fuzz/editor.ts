import { WaymarkError } from "../../src/core/error.ts";
import type { Format, Path, Value } from "../../src/setup/edit/document.ts";
import { checked, isObject, valueAt } from "../../src/setup/edit/document.ts";
import { holds, same } from "./check.ts";

const NAME = "waymark fuzz";
const ADDED = { command: 'say "hi"', args: ["a\\b", "é"], on: true };
/** How many values of a text are changed. */
const MAX_PATHS = 6;
/** Comparing deeper values exhausts the stack of this file and of Node.js, at a depth that varies. */
const MAX_DEPTH = 200;

class Refused extends Error {}

/** Every edit is refused or gives a valid text with the expected value, and leaves all other lines as they are. */
export function fuzzEditor(unchecked: Format, text: string): void {
  try {
    fuzzChecked(checked(unchecked, "f", new Refused()), text);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof WaymarkError)) throw error;
  }
}

function fuzzChecked(format: Format, text: string): void {
  const value = valueIn(format, text);
  if (!isObject(value) || NAME in value || isDeep(value)) return;
  const path = [NAME, "in it"];
  const added = format.set(text, path, ADDED);
  same("added", format.read(added, "f"), { ...value, [NAME]: { "in it": ADDED } });
  const removed = format.unset(added, [NAME]);
  same("removed", format.read(removed, "f"), value);
  // Blank texts count as empty.
  if (text.trim() !== "") {
    keepsLines("added", text, added, 0);
    keepsLines("removed", added, removed, added.split("\n").length - text.split("\n").length + 1);
  }
  const appended = format.append(text, [NAME], ADDED);
  same("appended", format.read(appended, "f"), { ...value, [NAME]: [ADDED] });
  for (const leaf of leavesOf(value).slice(0, MAX_PATHS)) {
    const shown = `value ${leaf.length} levels deep`;
    same(`set ${shown}`, valueAt(valueIn(format, format.set(text, leaf, "new")), leaf), "new");
    const without = valueIn(format, format.unset(text, leaf));
    same(`unset ${shown}`, valueAt(without, leaf), undefined);
  }
}

/** Undefined for an invalid text, which the error names with its line. */
function valueIn(format: Format, text: string): Value | undefined {
  try {
    return format.read(text, "f");
  } catch (error) {
    holds("the error is a WaymarkError", error instanceof WaymarkError);
    holds(`the error names the file: ${error}`, /\bf(?::\d+| must| has)/.test(`${error}`));
    return undefined;
  }
}

/** At most `most` lines are missing. */
function keepsLines(what: string, before: string, after: string, most: number): void {
  const left = new Map<string, number>();
  const linesOf = (text: string) => text.split(/\r?\n/);
  for (const line of linesOf(after)) left.set(line, (left.get(line) ?? 0) + 1);
  let lost = 0;
  for (const line of linesOf(before)) {
    const count = left.get(line) ?? 0;
    if (count === 0) lost++;
    left.set(line, count - 1);
  }
  // The last line gets a comma or a line break.
  holds(`${what}: keeps other lines`, lost <= most + 1);
}

function isDeep(value: Value): boolean {
  let level: Value[] = [value];
  for (let depth = 0; depth < MAX_DEPTH; depth++)
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : [],
    );
  return level.length > 0;
}

function leavesOf(value: Value): Path[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0
      ? leavesOf(inner).map((path) => [name, ...path])
      : [[name]],
  );
}
