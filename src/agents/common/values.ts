import { exitOfText } from "../../core/activity/evidence/exit-code.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import { isDeeperThan } from "../../core/text/json-scan.ts";
import { readStatus } from "../../core/text/status.ts";
import { type Fields, fields } from "../../core/values.ts";
import type { Writable } from "../../core/writable.ts";
import type { Emit } from "../agent.ts";

/** Foreign values, read without trust: the wrong type is simply not there. */

export { type Fields, fields };

/**
 * Reads an array.
 *
 * @param value any value
 * @returns the array, or nothing for any other value
 */
export function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/**
 * Reads a text that is not empty.
 *
 * @param value any value
 * @returns the text, or nothing for any other value
 */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Reads a finite number.
 *
 * @param value any value
 * @returns the number, or nothing for any other value
 */
export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * A JSON text inside of JSON, as arguments of calls often are.
 *
 * @param value a JSON text, or a value that is already parsed
 * @returns the value; nothing for invalid or too deeply nested JSON
 */
export function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (isDeeperThan(value, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Deeper values overflow recursive readers. The reader holds lines to the same limit. */
const MAX_DEPTH = 64;

const MAX_OUTPUT = 2_000;
const CUT = "\n\u2026\n";

/**
 * The text of a tool's output, whatever form it has. Of a long one the beginning and the end are
 * kept: the end says how a command ended.
 *
 * @param value the output of a tool: a text, or an array of parts
 * @returns at most 2,000 characters, or nothing for any other value
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
 * The exit code that a shell tool wrote around a command's output.
 *
 * @param output the output of a shell tool
 * @returns the exit code, if the output names one
 */
export function shellExitCode(output: string): number | undefined {
  const exit = exitOfText(output);
  return exit && "code" in exit ? exit.code : undefined;
}

/** Which fields of a foreign entry hold what. */
export interface ItemShape {
  readonly text: readonly string[];
  readonly status?: readonly string[];
  readonly activeText?: readonly string[];
  readonly id?: readonly string[];
  readonly priority?: readonly string[];
  readonly parent?: readonly string[];
  /** Holds a list of ids. */
  readonly blockedBy?: readonly string[];
  readonly phase?: string;
}

/**
 * Reads the entries of a list. An entry without a text is left out and reported as a warning.
 *
 * @param entries the entries as the agent wrote them
 * @param shape which fields of an entry hold what
 * @param emit takes the warnings
 * @returns the entries in the common vocabulary
 */
export function items(entries: readonly unknown[], shape: ItemShape, emit: Emit): StreamItem[] {
  return entries.flatMap((entry, index) => {
    const given = typeof entry === "string" ? { [shape.text[0] ?? "text"]: entry } : fields(entry);
    const said = given && first(given, shape.text);
    if (said === undefined || said.trim() === "") {
      emit({
        type: "warning",
        code: "bad_item",
        message: `entry ${index + 1} of the list has no text`,
      });
      return [];
    }
    return [itemOf(said, given ?? {}, shape)];
  });
}

const STATUS: readonly string[] = ["status"];

/** Every list that was ever written passes here: put together field by field, which is less work than spreading. */
function itemOf(said: string, given: Fields, shape: ItemShape): StreamItem {
  const named = (shape.status ?? STATUS).find((name) => given[name] !== undefined);
  const { status, rawStatus } = readStatus(named && given[named]);
  const activeText = first(given, shape.activeText);
  const id = first(given, shape.id);
  const priority = first(given, shape.priority);
  const parent = first(given, shape.parent);
  const blockedBy = shape.blockedBy
    ?.flatMap((name) => list(given[name]) ?? [])
    .flatMap((blocker) => (typeof blocker === "number" ? String(blocker) : (text(blocker) ?? [])));
  const item: Writable<StreamItem> = { text: said, status };
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
 * The bare name of a tool that a server or namespace was put in front of.
 *
 * @param name the name of a tool, such as `mcp__server__todos`
 * @returns the name without its prefix
 */
export function bareName(name: string): string {
  return name.replace(PREFIXES, "");
}
