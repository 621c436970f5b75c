/**
 * Finds the exit code in a tool result: in an object, in JSON text, or in the header or trailer that
 * shell tools write around a command's output. Only the exact first lines and the last line count, so
 * "exit code: 0" in the middle of a log is ignored.
 */
import { type Fields, fields } from "../../values.ts";

/** An exit code, or that the command was stopped before it ended. */
export type Exit = { readonly code: number } | { readonly interrupted: true };

const EXIT_FIELDS = [
  "exitCode",
  "exit_code",
  "exitcode",
  "returncode",
  "return_code",
  "returnCode",
  "exit_status",
  "exitStatus",
  "exit",
];
/** Ambiguous names, read only where the result of a program is expected. */
const WEAK_FIELDS = ["code", "status"];
const NESTED = ["metadata", "result", "data", "details", "outcome", "structuredContent", "output"];
const STOPPED = [
  "timedOut",
  "timed_out",
  "timeout",
  "interrupted",
  "aborted",
  "killed",
  "canceled",
];
const FAILED: readonly (readonly [string, unknown])[] = [
  ["isError", true],
  ["is_error", true],
  ["success", false],
  ["ok", false],
  ["status", "error"],
  ["status", "failed"],
];
const MAX_DEPTH = 3;
const MAX_PARTS = 50;

/** The exit code in an object, by unambiguous field names. */
export function exitCodeOf(value: unknown): number | undefined {
  const given = fields(value);
  return given && (codeIn(given, EXIT_FIELDS) ?? codeIn(fields(given.metadata), EXIT_FIELDS));
}

/** How a command ended, from a structured result. */
export function exitOfValue(value: unknown, depth = 0): Exit | undefined {
  if (Array.isArray(value))
    return worst(value.slice(0, MAX_PARTS).map((part) => exitOfValue(part, depth + 1)));
  const given = fields(value);
  if (!given || depth > MAX_DEPTH) return undefined;
  if (STOPPED.some((field) => given[field] === true) || typeof given.signal === "string")
    return { interrupted: true };
  const code = codeIn(given, EXIT_FIELDS) ?? codeIn(given, WEAK_FIELDS);
  if (code !== undefined) return { code };
  if (FAILED.some(([field, bad]) => given[field] === bad) || hasError(given.error))
    return { code: 1 };
  return worst(NESTED.map((field) => exitOfValue(given[field], depth + 1)));
}

function hasError(error: unknown): boolean {
  return typeof error === "string" ? error.trim() !== "" : fields(error) !== undefined;
}

function codeIn(given: Fields | undefined, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = given?.[name];
    if (typeof value === "number" && Number.isInteger(value)) return value;
    if (typeof value === "string" && /^-?\d{1,10}$/.test(value)) return Number(value);
  }
  return undefined;
}

/** The worst of several results. */
function worst(all: readonly (Exit | undefined)[]): Exit | undefined {
  const known = all.filter((one) => one !== undefined);
  return (
    known.find((one) => "interrupted" in one) ??
    known.find((one) => "code" in one && one.code !== 0) ??
    known[0]
  );
}

// Some agents write these lines before the output, others around it.
const HEADER =
  /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?(?:Process exited with code|Exit code:) (-?\d{1,10})\n(?:(?:Wall time|Original token count|Total output lines): [^\n]*\n)*Output:(?:\n|$)/;
const HEADER_TAG =
  /^<(?:exit_?code|return_?code)>\s*(-?\d{1,10})\s*<\/(?:exit_?code|return_?code)>/i;
/** A first line that is written only for failures. */
const FAILURE_HEADER = /^(?:Error: )?[[(]?exit (?:code|status):? (-?\d{1,10})[\])]?(?:\n|$)/i;

const TRAILERS = [
  /^[\s[(<{*]*(?:shellId: \S{1,20} )?(?:(?:the )?(?:command|process|program|script|shell|task)(?: has)? )?(?:(?:completed|finished|failed|ended|terminated|exited) with )?(?:a )?(?:non-?zero )?(?:exit|return)[ _-]?(?:code|status)\s*[:=]?\s*(-?\d{1,10})[\])>}*.\s]*$/i,
  /^[\s[(<{*]*(?:(?:the )?(?:command|process|program|script|shell|task)(?: has)? )?exited(?: with)?(?: code| status)?:? (-?\d{1,10})[\])>}*.\s]*$/i,
  /^[[(<{]exit:? (-?\d{1,10})[\])>}]$/i,
  /^<(?:exit_?code|return_?code)>\s*(-?\d{1,10})\s*<\/(?:exit_?code|return_?code)>$/i,
];
/** Lines that shell tools write after the exit code. */
const AFTER_EXIT_CODE =
  /^(?:Signal: .*|Process Group PGID: .*|Background PIDs: .*|Error: \(none\)|Wall time: .*|(?:Duration|Elapsed)(?: time)?: .*|<\/[\w-]+>|`{3})$/i;
const INTERRUPTED =
  /^[\s[(<{*]*(?:error: )?(?:(?:the )?(?:command|process|shell|tool|bash tool|execution|request|script|operation) (?:was |has )?(?:automatically )?(?:timed out|hit (?:the )?timeout|aborted|interrupted|cancell?ed|killed|terminated|exceeded)|timed out\b|timeout (?:after|of|exceeded)|(?:aborted|interrupted|cancell?ed) by (?:the )?user|user aborted)/i;

/** The exit code in the lines before a command's output. */
export function headerCode(text: string): number | undefined {
  const code = HEADER.exec(text)?.[1] ?? HEADER_TAG.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

const MAX_SCANNED = 2_000;
const LAST_LINES = 8;

/** How a command ended, from the text of its result. */
export function exitOfText(text: string): Exit | undefined {
  const head = text.slice(0, MAX_SCANNED);
  const header = headerCode(head);
  if (header !== undefined) return { code: header };
  const lines = text.slice(-MAX_SCANNED).trimEnd().split("\n").slice(-LAST_LINES);
  const ends = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (INTERRUPTED.test(head) || ends.slice(-4).some((line) => INTERRUPTED.test(line)))
    return { interrupted: true };
  const failure = FAILURE_HEADER.exec(head)?.[1];
  if (failure !== undefined && Number(failure) !== 0) return { code: Number(failure) };
  while (AFTER_EXIT_CODE.test(ends.at(-1) ?? "")) ends.pop();
  const last = ends.at(-1) ?? "";
  for (const trailer of TRAILERS) {
    const code = trailer.exec(last)?.[1];
    if (code !== undefined) return { code: Number(code) };
  }
  return undefined;
}
