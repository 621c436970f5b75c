import type { VerifyResult } from "../../checks/request.ts";
import type { Todo } from "../../core/model.ts";
import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { oneLine } from "../../core/text/escape.ts";
import type { CompletionVerifier } from "../../servers/verify/completions.ts";
import { parseChoice } from "../args/arguments.ts";
import type { Call } from "../args/command.ts";

/** For commands that keep running. */
export const VERIFY_OPTION = {
  type: "string",
  value: "WHEN",
  summary: "Run the approved check of a repository whenever a todo is completed in it: done",
  default: "never",
  completions: ["done"],
} as const;

interface VerifyDoneOptions {
  /** Value of the option. */
  readonly verify: string | undefined;
  /** Shows a line about a run. */
  onLine(line: string, ok: boolean): void;
}

/** Returns undefined without the option. */
export async function openVerifyDone(
  { env, home, terminal }: Pick<Call, "env" | "home" | "terminal">,
  { verify, onLine }: VerifyDoneOptions,
): Promise<CompletionVerifier | undefined> {
  if (verify === undefined) return undefined;
  parseChoice("--verify", verify, ["done"]);
  const { openCompletionVerifier } = await import("../../servers/verify/completions.ts");
  return openCompletionVerifier({
    context: { home, env },
    since: Date.now(),
    onResult: (result, todos) => onLine(resultLine(result, todos), result.ok),
    onProblem: (message) => terminal.printError(`waymark: ${message}`),
  });
}

/** `test passed in 12s: 2 todos are reproduced`, or why it failed. */
function resultLine(
  { ok, check, durationMs, reason = "The check failed.", output }: VerifyResult,
  todos: readonly Todo[],
): string {
  const [first] = todos;
  const what = todos.length === 1 && first ? oneLine(first.text) : counted(todos.length, "todo");
  if (ok) return `${check} passed in ${formatDuration(durationMs)}: reproduced ${what}`;
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  return `${check} did not pass for ${what}. ${reason}${last === "" ? "" : ` ${oneLine(last)}`}`;
}
