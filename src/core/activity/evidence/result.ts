import { type Exit, exitOfText, exitOfValue } from "./exit-code.ts";
import { ranNothing, summaryOf } from "./runner-summary.ts";

/** How a check ended, as far as it is known. Only `passed` backs a completion. */
export type CheckResult = "passed" | "failed" | "unknown";

export interface Ending {
  /** The host flags the call as failed. */
  readonly failed: boolean;
  /** As the host states it. */
  readonly exitCode?: number | undefined;
  readonly output?: string | undefined;
  /** The host knows that the end of the command is not known. */
  readonly unsure?: boolean | undefined;
}

export interface Ended {
  readonly result: CheckResult;
  /** The host's, or the one that the output carries. */
  readonly exitCode?: number;
}

const LOOKED_AT = 6_000;
const LAST_LINES = 12;
const STILL_RUNNING = /running (?:in (?:the )?background|with session id)/i;

/**
 * Decides how a check ended: by the host's flag, then by the exit code, then by the runner's own
 * summary. A result that says none of that (`ok`, no output, a time-out) is unknown.
 */
export function endOfCheck({ failed, exitCode, output = "", unsure }: Ending): Ended {
  const stated = exitCode !== undefined && { exitCode };
  if (failed || (exitCode ?? 0) !== 0) return { result: "failed", ...stated };
  const { exit, text } = read(output);
  if (stated) return { result: believed(text), ...stated };
  if (unsure || STILL_RUNNING.test(output.slice(0, LOOKED_AT))) return { result: "unknown" };
  if (exit && "interrupted" in exit) return { result: "unknown" };
  if (exit) return { result: exit.code === 0 ? believed(text) : "failed", exitCode: exit.code };
  const end = text.slice(-LOOKED_AT);
  const summary = summaryOf(end) ?? "unknown";
  return { result: summary === "passed" && ranNothing(end) ? "unknown" : summary };
}

/**
 * An exit code of 0 under a summary of failures is the code of something else, and a run of no test
 * proves nothing.
 */
function believed(text: string): CheckResult {
  const looked = text.slice(-LOOKED_AT);
  const end = looked.trimEnd().split("\n").slice(-LAST_LINES);
  return summaryOf(end.join("\n")) === "failed" || ranNothing(looked) ? "unknown" : "passed";
}

interface Read {
  readonly exit: Exit | undefined;
  /** What the command printed. */
  readonly text: string;
}

function read(output: string): Read {
  const value = jsonOf(output);
  if (value === undefined) return { exit: exitOfText(output), text: output };
  const text = textsIn(value).join("\n");
  return { exit: exitOfValue(value) ?? exitOfText(text), text };
}

const MAX_JSON = 200_000;

function jsonOf(output: string): object | undefined {
  const trimmed = output.trim();
  if (!/^[[{]/.test(trimmed) || trimmed.length > MAX_JSON) return undefined;
  try {
    return JSON.parse(trimmed);
  } catch {
    return undefined;
  }
}

const TEXTS = ["output", "stdout", "text", "content", "result", "aggregated_output", "stderr"];

function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 3) return [];
  const parts = Array.isArray(value)
    ? value.slice(0, 50)
    : TEXTS.map((field) => (value as Readonly<Record<string, unknown>>)[field]);
  return parts.flatMap((part) => textsIn(part, depth + 1));
}
