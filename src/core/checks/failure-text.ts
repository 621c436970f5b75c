import type { Todo } from "../model.ts";
import { joinText, type ModelText, modelText, quote } from "../text/model-text.ts";
import type { Proof } from "./proof.ts";
import { tamperNotice } from "./tamper.ts";

const MAX_TODOS = 3;
const MAX_TODO = 80;
const MAX_LINES = 15;
const MAX_OUTPUT = 1_500;

/** The last lines of an output that fit into a message. */
export function lastLines(output: string, max = MAX_OUTPUT): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  let kept = lines.slice(-MAX_LINES);
  while (kept.length > 1 && kept.join("\n").length > max) kept = kept.slice(1);
  return kept.join("\n");
}

type Failure = Pick<Proof, "check" | "exitCode" | "warnings" | "ended"> & {
  /** From `lastLines`. */
  readonly lines: string;
};

/** A check that failed, the todos that it does not prove, and the last lines of its output, for the agent. */
export function failureText(
  { check, exitCode, ended, warnings, lines }: Failure,
  todos: readonly Pick<Todo, "text">[],
): ModelText {
  const names = todos.slice(0, MAX_TODOS).map(({ text }) => quote(text, MAX_TODO));
  const rest = todos.length - names.length;
  const named = joinText([...names, ...(rest > 0 ? [modelText`${rest} more`] : [])], ", ");
  const are = todos.length === 1 ? "completed todo is" : "completed todos are";
  const code = exitCode === null ? modelText`` : modelText` with exit code ${exitCode}`;
  const how = ended === "no_tests" ? modelText`ran no tests` : modelText`failed${code}`;
  const tampering = tamperNotice(warnings);
  return joinText(
    [
      modelText`The check ${quote(check, MAX_TODO)} ${how} on the present files, so ${todos.length} ${are} not proven: ${named}.`,
      ...(lines === "" ? [] : [modelText`Its last lines: ${quote(lines, MAX_OUTPUT)}`]),
      modelText`Fix the cause, or reopen the todos that are not done.`,
      ...(tampering === "" ? [] : [tampering]),
    ],
    "\n",
  );
}
