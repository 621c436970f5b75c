import { type Exit, exitOfText, exitOfValue } from "./exit-code.ts";
import { ranNoTests, runnerResult } from "./runner-summary.ts";

/** The result of a check. Only `passed` verifies a completion. */
export type CheckResult = "passed" | "failed" | "unknown";

/** The end of a call, as the host reports it. */
export interface CallEnd {
  /** The host reports the call as failed. */
  readonly failed: boolean;
  /** The exit code, if the host states it. */
  readonly exitCode?: number | undefined;
  readonly output?: string | undefined;
  /** The host knows that the result is unknown. */
  readonly unsure?: boolean | undefined;
}

/** How a check ended. */
export interface CheckEnd {
  readonly result: CheckResult;
  /** The exit code from the host, or from the output. */
  readonly exitCode?: number;
}

const MAX_SCANNED = 6_000;
const LAST_LINES = 12;
const STILL_RUNNING = /running (?:in (?:the )?background|with session id)/i;

/**
 * Decides how a check ended: by the host's flag, then by the exit code, then by the runner's summary. An
 * end with none of these (`ok`, no output, a timeout) is unknown.
 */
export function checkEndOf({ failed, exitCode, output = "", unsure }: CallEnd): CheckEnd {
  const stated = exitCode !== undefined && { exitCode };
  if (failed || (exitCode ?? 0) !== 0) return { result: "failed", ...stated };
  const { exit, text } = read(output);
  if (stated) return { result: resultOfSuccess(text), ...stated };
  if (unsure || STILL_RUNNING.test(output.slice(0, MAX_SCANNED))) return { result: "unknown" };
  if (exit && "interrupted" in exit) return { result: "unknown" };
  if (exit)
    return { result: exit.code === 0 ? resultOfSuccess(text) : "failed", exitCode: exit.code };
  const end = text.slice(-MAX_SCANNED);
  const summary = runnerResult(end) ?? "unknown";
  return { result: summary === "passed" && ranNoTests(end) ? "unknown" : summary };
}

/** The result of an exit code of 0: unknown if the output contradicts it. */
function resultOfSuccess(text: string): CheckResult {
  return emptySuccess(text.slice(-MAX_SCANNED)) === undefined ? "passed" : "unknown";
}

/**
 * Why an exit code of 0 proves nothing: the summary lists failures, because the code is then that of
 * another command, or no test ran. Undefined if the output does not say so.
 */
export function emptySuccess(output: string): "no_tests" | "reported_failure" | undefined {
  const end = output.trimEnd().split("\n").slice(-LAST_LINES);
  if (runnerResult(end.join("\n")) === "failed") return "reported_failure";
  return ranNoTests(output) ? "no_tests" : undefined;
}

interface Read {
  readonly exit: Exit | undefined;
  /** The output of the command. */
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
