import { exitOfText } from "../../core/activity/evidence/exit-code.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import { isDeeperThan } from "../../core/text/json-scan.ts";
import { parseStatus } from "../../core/text/status.ts";
import { type Fields, fields } from "../../core/values.ts";
import type { Writable } from "../../core/writable.ts";
import type { Emit } from "../agent.ts";

/** Reads untrusted values: a value of the wrong type counts as missing. */

export { type Fields, fields };

/**
 * Reads an array.
 *
 * @param value any value
 * @returns the array, or undefined for any other value
 */
export function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/**
 * Reads a non-empty string.
 *
 * @param value any value
 * @returns the string, or undefined for any other value
 */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Reads a finite number.
 *
 * @param value any value
 * @returns the number, or undefined for any other value
 */
export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * Parses JSON that is embedded as a string, as the arguments of tool calls often are.
 *
 * @param value a JSON string, or a value that is already parsed
 * @returns the value, or undefined for invalid JSON and for more than 64 levels of nesting
 */
export function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (isDeeperThan(value, MAX_DEPTH)) return undefined;
  try {
    return asStored(JSON.parse(value));
  } catch {
    return undefined;
  }
}

/**
 * Replaces numbers that JSON cannot write: 1e999 parses as Infinity. Decoders keep parts of records in their state,
 * and a stored state must equal the one in memory.
 */
export function asStored(value: unknown): unknown {
  return hasLossyNumber(value) ? JSON.parse(JSON.stringify(value)) : value;
}

function hasLossyNumber(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value) || Object.is(value, -0);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLossyNumber);
  const given = value as Fields;
  for (const name in given) if (hasLossyNumber(given[name])) return true;
  return false;
}

/** Deeper values overflow the stack of recursive code. The reader applies the same limit to lines. */
const MAX_DEPTH = 64;

export const MAX_OUTPUT = 2_000;
export const CUT = "\n\u2026\n";

/** Whether a text may be an excerpt of a longer one. */
export function isCut(output: string): boolean {
  return output.length >= MAX_OUTPUT;
}

/**
 * Reads the text of a tool's output. A long text is cut in the middle, because the end says how a command
 * ended.
 *
 * @param value the output of a tool: a string, or an array of content parts
 * @returns at most 2,000 characters, or undefined for any other value
 */
export function outputText(value: unknown): string | undefined {
  const whole =
    typeof value === "string"
      ? value
      : Array.isArray(value)
        ? value.map((part) => text(fields(part)?.text) ?? "").join("\n")
        : undefined;
  if (whole === undefined || whole.length <= MAX_OUTPUT) return whole;
  const half = (MAX_OUTPUT - CUT.length) / 2;
  return whole.slice(0, Math.ceil(half)) + CUT + whole.slice(-Math.floor(half));
}

/**
 * Reads the exit code that a shell tool adds to the output of a command.
 *
 * @param output the output of a shell tool
 * @returns the exit code, or undefined if the output has none
 */
export function shellExitCode(output: string): number | undefined {
  const exit = exitOfText(output);
  return exit && "code" in exit ? exit.code : undefined;
}

/** Names of the fields of a list entry; the first name that is present counts. */
export interface ItemShape {
  readonly text: readonly string[];
  readonly status?: readonly string[];
  readonly activeText?: readonly string[];
  readonly id?: readonly string[];
  readonly priority?: readonly string[];
  readonly parent?: readonly string[];
  /** Fields with arrays of ids. */
  readonly blockedBy?: readonly string[];
  /** The phase of every entry; not a field name. */
  readonly phase?: string;
}

/**
 * Converts the entries of an agent's list. An entry without a text is skipped with a warning.
 *
 * @param entries the entries as the agent wrote them
 * @param shape the names of their fields
 * @param emit receives the warnings
 * @returns the items
 */
export function items(entries: readonly unknown[], shape: ItemShape, emit: Emit): StreamItem[] {
  return entries.flatMap((entry, index) => {
    const given = typeof entry === "string" ? { [shape.text[0] ?? "text"]: entry } : fields(entry);
    const content = given && first(given, shape.text);
    if (content === undefined || content.trim() === "") {
      emit({
        type: "warning",
        code: "bad_item",
        message: `entry ${index + 1} of the list has no text`,
      });
      return [];
    }
    return [itemOf(content, given ?? {}, shape)];
  });
}

const STATUS: readonly string[] = ["status"];

/** Runs for every item of every list that was ever written. Setting fields one by one is faster than spreading. */
function itemOf(content: string, given: Fields, shape: ItemShape): StreamItem {
  const named = (shape.status ?? STATUS).find((name) => given[name] !== undefined);
  const { status, rawStatus } = parseStatus(named && given[named]);
  const activeText = first(given, shape.activeText);
  const id = first(given, shape.id);
  const priority = first(given, shape.priority);
  const parent = first(given, shape.parent);
  const blockedBy = shape.blockedBy
    ?.flatMap((name) => list(given[name]) ?? [])
    .flatMap((blocker) => (typeof blocker === "number" ? String(blocker) : (text(blocker) ?? [])));
  const item: Writable<StreamItem> = { text: content, status };
  if (rawStatus !== undefined) item.raw = rawStatus;
  if (activeText !== undefined) item.activeText = activeText;
  if (id !== undefined) item.id = id;
  if (priority !== undefined) item.priority = priority;
  if (parent !== undefined) item.parent = parent;
  if (blockedBy && blockedBy.length > 0) item.blockedBy = blockedBy;
  if (shape.phase !== undefined) item.phase = shape.phase;
  return item;
}

function first(given: Fields, names: readonly string[] = []): string | undefined {
  for (const name of names) {
    const value = given[name];
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number") return String(value);
  }
  return undefined;
}

const PREFIXES = /^(?:mcp__.+?__|mcp_[^_]+_|functions\.|[A-Za-z0-9]+__)/;

/**
 * Removes the server or namespace from the name of a tool.
 *
 * @param name the name of a tool, such as `mcp__server__todos`
 * @returns the name without the prefix, such as `todos`
 */
export function bareName(name: string): string {
  return name.replace(PREFIXES, "");
}
