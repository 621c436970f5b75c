import { join } from "node:path";
import { appendLine } from "../../engines/storage/log-file.ts";

/**
 * Writes one line to `hook.log`, the only place where hooks report problems. Agents' inputs are never logged, so the
 * messages of JSON errors, which quote them, are replaced.
 */
export function logHook(
  home: string,
  source: string,
  problem: unknown,
  now: number = Date.now(),
): void {
  appendLine(join(home, HOOK_LOG), `${source}: ${problemText(problem)}`, now);
}

export const HOOK_LOG = "hook.log";

function problemText(problem: unknown): string {
  if (typeof problem === "string") return problem;
  if (problem instanceof SyntaxError) return "the input is not JSON";
  const { code, name, message } = problem as NodeJS.ErrnoException;
  return code !== undefined ? `${code}: ${message}` : `${name ?? "error"}: ${message ?? ""}`;
}
