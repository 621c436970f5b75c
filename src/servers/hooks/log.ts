import { join } from "node:path";
import { appendLine } from "../../engines/storage/log-file.ts";

/**
 * One line in `hook.log`, for a hook says nothing to anybody else of what went wrong. Never what an
 * agent wrote: messages of errors that quote their input are left out.
 */
export function logHook(
  home: string,
  who: string,
  problem: unknown,
  now: number = Date.now(),
): void {
  appendLine(join(home, HOOK_LOG), `${who}: ${wordsFor(problem)}`, now);
}

export const HOOK_LOG = "hook.log";

function wordsFor(problem: unknown): string {
  if (typeof problem === "string") return problem;
  if (problem instanceof SyntaxError) return "the input is not JSON";
  const { code, name, message } = problem as NodeJS.ErrnoException;
  return code !== undefined ? `${code}: ${message}` : `${name ?? "error"}: ${message ?? ""}`;
}
