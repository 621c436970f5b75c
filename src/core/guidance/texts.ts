import type { ReminderKind } from "../model.ts";
import { code as inCode, joinText, type ModelText, modelText } from "../text/model-text.ts";

/**
 * The wording of every reminder, in one place. Each says why it comes now and one thing to do that
 * may be declined. None asks the model to keep anything from the user.
 */

type Counted = "turn" | "edit" | "more edit" | "open todo";

function counted(count: number, one: Counted): ModelText {
  return modelText`${count} ${one}${count === 1 ? "" : "s"}`;
}

const TWO_TOOLS = /^(\w{1,26}) and (\w{1,26})$/;

/** A tool as it is named to the model: `TaskCreate and TaskUpdate` are two. */
function code(tool: string): ModelText {
  const [, first, second] = TWO_TOOLS.exec(tool) ?? [];
  if (first === undefined || second === undefined) return inCode(tool);
  return modelText`${inCode(first)} and ${inCode(second)}`;
}

/** Task tools keep tasks, all others a todo list. */
function kept(tool: string | undefined) {
  return tool?.startsWith("Task") ? "tasks" : "todo list";
}

/** Only Waymark's own tool has a field `evidence`; hosts put the name of a server before it. */
function takesEvidence(tool: string): boolean {
  return /(?:^|_)todos$/.test(tool);
}

export const WHY = {
  introduction: (tool: string) =>
    modelText`You have a todo list: the ${code(tool)} tool. It survives context compaction, and the user follows it live.`,
  initial: () => modelText`There is no todo list for this request yet.`,
  empty: (steps: number) =>
    modelText`You have worked for ${counted(steps, "turn")} without a todo list.`,
  stale: (steps: number, tool?: string) =>
    modelText`You haven't updated your ${kept(tool)} in ${counted(steps, "turn")}.`,
  edits: (edits: number, isFirst: boolean, tool?: string) =>
    modelText`You made ${counted(edits, isFirst ? "edit" : "more edit")} without updating your ${kept(tool)}.`,
  refused: () => modelText`Your last todo list update was not saved, so the list is unchanged.`,
  partlySaved: () => modelText`Your last todo list update was only partly saved. Not saved:`,
  changed: () => modelText`The user did this since you last saw the list:`,
  evidence: (todos: number) =>
    modelText`${todos} ${todos === 1 ? "todo is" : "todos are"} completed but none is verified.`,
  compacted: () => modelText`Your context was compacted; these todos are still open.`,
  resumed: () => modelText`You resumed an earlier session; these todos are still open.`,
  stop: (todos: number) => modelText`You are about to stop with ${counted(todos, "open todo")}.`,
  planning: () => modelText`Plan mode is on: the user wants a plan before anything is changed.`,
  loop: () => modelText`The same call keeps coming back with nothing new.`,
} as const;

/** Without a list tool, what only that tool could do is not asked for. */
export const ACT = {
  introduction: (tool) =>
    joinText(
      [
        modelText`For work with three or more steps, write the todos first, start each one before you work on it, complete it once it is done and checked, and add what you discover. For smaller work, skip it.`,
        ...(tool === undefined ? [] : [findToolHint(tool)]),
      ],
      "\n",
    ),
  initial: (tool) =>
    tool === undefined
      ? undefined
      : modelText`If it needs three or more steps, write them with ${code(tool)} before you start; otherwise continue.`,
  empty: (tool) =>
    tool === undefined
      ? undefined
      : modelText`If more than one step is left, write the steps with ${code(tool)}; otherwise continue.`,
  stale: (tool) =>
    tool === undefined
      ? undefined
      : kept(tool) === "tasks"
        ? modelText`If they are out of date, update them with ${code(tool)}; otherwise continue.`
        : modelText`If it is out of date, update it with ${code(tool)}; otherwise continue.`,
  edits: (tool) =>
    tool === undefined
      ? undefined
      : modelText`If a todo is done, complete it with ${code(tool)} and start the next one; otherwise continue.`,
  refused: (tool) =>
    tool === undefined
      ? undefined
      : modelText`Fix the call and send it again with ${code(tool)}, or continue if the change no longer matters.`,
  changed: () => undefined,
  evidence: (tool) =>
    joinText(
      [
        modelText`Run the test, build or check that would fail if they were not done.`,
        tool !== undefined && takesEvidence(tool)
          ? modelText`If there is none, give \`evidence\` with ${code(tool)}.`
          : modelText`If there is none, tell the user how you know that they are done.`,
      ],
      " ",
    ),
  recovery: (tool) =>
    tool === undefined
      ? modelText`Continue with the first one.`
      : modelText`Continue with the first one, and keep the list up to date with ${code(tool)}.`,
  stop: (tool) =>
    joinText(
      [
        modelText`Continue with them, or tell the user why you stop.`,
        ...(tool === undefined
          ? []
          : [modelText`Cancel todos that are no longer needed with ${code(tool)}.`]),
      ],
      " ",
    ),
  planning: () =>
    modelText`Only read and plan: edit no files, run nothing that changes something, and leave the todo list alone until the user approves the plan.`,
  loop: () => modelText`Try another way, or tell the user what is in the way.`,
} as const satisfies Record<ReminderKind, (tool: string | undefined) => ModelText | undefined>;

/** Some programs hide tools until the model searches for them. */
export function findToolHint(tool: string): ModelText {
  return modelText`If ${code(tool)} is not among your tools yet, find it by that name with your tool search.`;
}

/** Reminders for models that may not have called the list tool yet. `introduction` says it always. */
export const FIRST_CALL: ReadonlySet<ReminderKind> = new Set(["initial", "empty", "recovery"]);

export function sendAgain(tool: string): ModelText {
  return modelText`Send only these again with ${code(tool)}, corrected, or continue if they no longer matter.`;
}

/** Reminders whose only purpose is a call of the list tool. */
export const NEEDS_TOOL: ReadonlySet<ReminderKind> = new Set([
  "introduction",
  "initial",
  "empty",
  "stale",
  "edits",
  "refused",
]);

export function whereWords(completed: number, total: number, verified: number): ModelText {
  return modelText`${completed} of ${total} done, ${verified} verified.`;
}

export function moreWords(count: number, tool: string | undefined): ModelText {
  return tool === undefined
    ? modelText`\u2026 ${count} more.`
    : modelText`\u2026 ${count} more. Call ${code(tool)} to read them.`;
}
