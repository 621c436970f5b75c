import { fingerprint } from "../activity/detect.ts";
import { warningsSince } from "../activity/signs.ts";
import { evidenceStateOf, proofResult } from "../checks/evidence-state.ts";
import { lastLines } from "../checks/failure-text.ts";
import type { Proof } from "../checks/proof.ts";
import { signKey } from "../checks/tamper/edits.ts";
import { warningLine } from "../checks/tamper/texts.ts";
import type { TamperWarning } from "../checks/tamper/warning.ts";
import type { Todo, Track } from "../model.ts";
import { type ModelText, modelText, NO_TEXT, quote } from "../text/model-text.ts";
import { openWarnings } from "../views/evidence.ts";

/** A failed check of completed todos, or signs that their checks were made weaker, for the agent. */
export interface CheckFinding {
  /** Absent if the checks were made weaker. */
  readonly failed?: {
    /** The todos that the run does not prove. */
    readonly todos: readonly Todo[];
    /** How the run ended, in a sentence. */
    readonly result: ModelText;
  };
  /** The last lines of the output, or the warnings. */
  readonly lines: readonly ModelText[];
  /** Keys that are sent only once. */
  readonly about: readonly string[];
}

/** Characters of the output in a reminder. */
const MAX_OUTPUT = 800;
const MAX_NAME = 80;
const MAX_WARNINGS = 8;

/**
 * The first finding with a key that was not sent yet. Failed checks come before weakened ones.
 *
 * @param sent keys of findings that the agent knows
 * @param withEdits also signs in the edits of the agent. Only answers of the list tool show them: any call could add one, so
 *   hosts that skip calls without a due reminder could not know.
 */
export function checkFinding(
  { todos, activity }: Track,
  sent: readonly string[],
  withEdits: boolean,
): CheckFinding | undefined {
  const done = todos.filter(({ status }) => status === "completed");
  const failed = done.filter((todo) => evidenceStateOf(todo) === "failed");
  for (const { proof } of failed) {
    if (!proof || sent.includes(runKey(proof))) continue;
    const same = failed.filter((todo) => todo.proof && runKey(todo.proof) === runKey(proof));
    return failure(proof, same);
  }
  const warnings = unique(
    done.flatMap((todo) => {
      const { proof, check, startedAt, createdAt, finishedAt, movedBy } = todo;
      // A run of Waymark compares the files, which is more than the edits show.
      if (proof?.ok && proof.staleEdits === undefined) return openWarnings(todo);
      if (!withEdits || movedBy !== "agent") return [];
      if (check) return openWarnings(todo);
      return proof ? [] : warningsSince(activity?.signs, startedAt ?? createdAt, finishedAt);
    }),
  ).filter((warning) => !sent.includes(warningKey(warning)));
  if (warnings.length === 0) return undefined;
  return { lines: linesOf(warnings), about: warnings.map(warningKey) };
}

function failure(proof: Proof, todos: readonly Todo[]): CheckFinding {
  const output = lastLines(proof.output, MAX_OUTPUT);
  const lines = output === "" ? [] : [modelText`Its last lines: ${quote(output, MAX_OUTPUT)}`];
  return { failed: { todos, result: resultText(proof) }, lines, about: [runKey(proof)] };
}

/** The same check on the same files is not sent again. Outside of git, only the time tells runs apart. */
export function runKey({ check, tree, at }: Proof): string {
  return `failed ${fingerprint([check, tree === "" ? at : tree])}`;
}

/** The same sign in an edit and in a comparison of the files has the same key. */
function warningKey(warning: TamperWarning): string {
  return `weaker ${fingerprint(signKey(warning))}`;
}

function unique(warnings: readonly TamperWarning[]): readonly TamperWarning[] {
  return [...new Map(warnings.map((warning) => [warningKey(warning), warning])).values()];
}

function linesOf(warnings: readonly TamperWarning[]): readonly ModelText[] {
  const rest = warnings.length - MAX_WARNINGS;
  const more = rest > 0 ? [modelText`- ${rest} more`] : [];
  return [...warnings.slice(0, MAX_WARNINGS).map(warningLine), ...more];
}

function resultText(proof: Proof): ModelText {
  const { check, exitCode } = proof;
  const code = exitCode === null ? NO_TEXT : modelText` with exit code ${exitCode}`;
  return modelText`The check ${quote(check, MAX_NAME)} ${proofResult(proof)}${code}.`;
}
