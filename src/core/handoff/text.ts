import { noteLines, todoText } from "../guidance/todo-text.ts";
import type { Todo } from "../model.ts";
import { joinText, line, type ModelText, modelText, NO_TEXT, quote } from "../text/model-text.ts";
import { evidenceLevelOf } from "../views/evidence.ts";
import { isOpen } from "../views/view.ts";
import type { Handoff } from "./handoff.ts";

const MAX_TODOS = 20;
const MAX_DONE = 20;
const MAX_FILES = 8;
const MAX_SHORT = 60;
const MAX_PATH = 120;
const PLAIN_NAME = /^[A-Za-z][\w .-]*$/;

/**
 * The first message for the agent that continues a session.
 *
 * @param isAccepted its session has the list already, with the same ids
 */
export function handoffText(handoff: Handoff, isAccepted: boolean): ModelText {
  const { from, todos, failing, files, decisions } = handoff;
  const open = todos.filter(isOpen);
  const [first] = open;
  const name = from.name ?? "another agent";
  const who = PLAIN_NAME.test(name) ? line(name, MAX_SHORT) : quote(name, MAX_SHORT);
  const its = isAccepted
    ? modelText`Its todo list is now yours, with the same ids.`
    : modelText`This is its todo list.`;
  const rest = open.length - MAX_TODOS;
  return joinText(
    [
      modelText`You are taking over from ${who} (session ${quote(from.session, MAX_SHORT)}). ${its}`,
      ...doneLines(todos),
      ...(first ? [] : [modelText`Nothing is open.`]),
      ...open
        .slice(0, MAX_TODOS)
        .flatMap((todo) => [todoText(todo, { ids: true }), ...noteLines(todo)]),
      ...(rest > 0 ? [modelText`${rest} more todos are open.`] : []),
      ...(failing ? [failingLine(failing)] : []),
      ...(files.length > 0 ? [filesLine(files)] : []),
      ...decisions.map((each) => modelText`Decision by the user: ${quote(each)}`),
      lastLine(files.length > 0, first),
    ],
    "\n",
  );
}

/** `Done: 1, 2. Don't redo them.`, and which of those nothing backs. */
function doneLines(todos: readonly Todo[]): readonly ModelText[] {
  const done = todos.filter(({ status }) => status === "completed");
  if (done.length === 0) return [];
  const unproven = done.filter((todo) => evidenceLevelOf(todo) !== "verified");
  const check =
    unproven.length === 0
      ? NO_TEXT
      : modelText` No passing check was seen for ${idsOf(unproven)}: check before you build on that.`;
  return [modelText`Done: ${idsOf(done)}. Don't redo them.${check}`];
}

function idsOf(todos: readonly Todo[]): ModelText {
  const shown = todos.slice(0, MAX_DONE).map(({ id }) => line(id));
  const rest = todos.length - shown.length;
  return rest > 0 ? modelText`${joinText(shown, ", ")} and ${rest} more` : joinText(shown, ", ");
}

function failingLine({ command, exitCode, output }: NonNullable<Handoff["failing"]>): ModelText {
  const exit = exitCode === undefined ? NO_TEXT : modelText`, exit code ${exitCode}`;
  const tail = output === undefined ? NO_TEXT : modelText`: ${quote(output, 800)}`;
  return modelText`Last failing check: ${quote(command)}${exit}${tail}`;
}

function filesLine(files: readonly string[]): ModelText {
  const shown = files.slice(0, MAX_FILES).map((path) => quote(path, MAX_PATH));
  const rest = files.length - shown.length;
  const more = rest > 0 ? modelText` and ${rest} more` : NO_TEXT;
  return modelText`Changed files: ${joinText(shown, ", ")}${more}`;
}

function lastLine(hasFiles: boolean, first: Todo | undefined): ModelText {
  const next = first
    ? modelText`continue with ${line(first.id)}`
    : modelText`ask the user for the next step`;
  return hasFiles
    ? modelText`Read the changed files, then ${next}.`
    : first
      ? modelText`Continue with ${line(first.id)}.`
      : modelText`Ask the user for the next step.`;
}
