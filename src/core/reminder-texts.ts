import type { ReminderKind } from "./model.ts";

/**
 * The wording of every reminder, in one place. Each says why it comes now and one thing to do that
 * may be declined. None asks the model to keep anything from the user.
 */

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A tool as it is named to the model: `TaskCreate and TaskUpdate` are two. */
function code(tool: string): string {
  return tool
    .split(" and ")
    .map((name) => `\`${name}\``)
    .join(" and ");
}

/** Claude Code's task tools keep tasks, all others a todo list. */
function kept(tool: string | undefined): string {
  return tool?.startsWith("Task") ? "tasks" : "todo list";
}

/** Only Waymark's own tool has a field `evidence`; hosts put the name of a server before it. */
function takesEvidence(tool: string): boolean {
  return /(?:^|_)todos$/.test(tool);
}

export const WHY = {
  introduction: (tool: string) =>
    `You have a todo list: the ${code(tool)} tool. It survives context compaction, and the user follows it live.`,
  initial: () => "There is no todo list for this request yet.",
  empty: (steps: number) => `You have worked for ${counted(steps, "turn")} without a todo list.`,
  stale: (steps: number, tool?: string) =>
    `You haven't updated your ${kept(tool)} in ${counted(steps, "turn")}.`,
  edits: (edits: number, isFirst: boolean, tool?: string) =>
    `You made ${counted(edits, isFirst ? "edit" : "more edit")} without updating your ${kept(tool)}.`,
  refused: () => "Your last todo list update was not saved, so the list is unchanged.",
  partlySaved: () => "Your last todo list update was only partly saved. Not saved:",
  changed: () => "The user did this since you last saw the list:",
  evidence: (todos: number) =>
    `${counted(todos, "todo is", "todos are")} completed but none is verified.`,
  compacted: () => "Your context was compacted; these todos are still open.",
  resumed: () => "You resumed an earlier session; these todos are still open.",
  stop: (todos: number) => `You are about to stop with ${counted(todos, "open todo")}.`,
  planning: () => "Plan mode is on: the user wants a plan before anything is changed.",
  loop: () => "The same call keeps coming back with nothing new.",
} as const;

/** Without a list tool, what only that tool could do is not asked for. */
export const ACT = {
  introduction: (tool) =>
    [
      "For work with three or more steps, write the todos first, start each one before you work on it, complete it once it is done and checked, and add what you discover. For smaller work, skip it.",
      ...(tool === undefined ? [] : [findTool(tool)]),
    ].join("\n"),
  initial: (tool) =>
    tool &&
    `If it needs three or more steps, write them with ${code(tool)} before you start; otherwise continue.`,
  empty: (tool) =>
    tool &&
    `If more than one step is left, write the steps with ${code(tool)}; otherwise continue.`,
  stale: (tool) =>
    tool &&
    (kept(tool) === "tasks"
      ? `If they are out of date, update them with ${code(tool)}; otherwise continue.`
      : `If it is out of date, update it with ${code(tool)}; otherwise continue.`),
  edits: (tool) =>
    tool &&
    `If a todo is done, complete it with ${code(tool)} and start the next one; otherwise continue.`,
  refused: (tool) =>
    tool &&
    `Fix the call and send it again with ${code(tool)}, or continue if the change no longer matters.`,
  changed: () => undefined,
  evidence: (tool) =>
    [
      "Run the test, build or check that would fail if they were not done.",
      tool !== undefined && takesEvidence(tool)
        ? `If there is none, give \`evidence\` with ${code(tool)}.`
        : "If there is none, tell the user how you know that they are done.",
    ].join(" "),
  recovery: (tool) =>
    tool === undefined
      ? "Continue with the first one."
      : `Continue with the first one, and keep the list up to date with ${code(tool)}.`,
  stop: (tool) =>
    [
      "Continue with them, or tell the user why you stop.",
      ...(tool === undefined ? [] : [`Cancel todos that are no longer needed with ${code(tool)}.`]),
    ].join(" "),
  planning: () =>
    "Only read and plan: edit no files, run nothing that changes something, and leave the todo list alone until the user approves the plan.",
  loop: () => "Try another way, or tell the user what is in the way.",
} as const satisfies Record<ReminderKind, (tool: string | undefined) => string | undefined>;

/** Some programs hide tools until the model searches for them. */
export function findTool(tool: string): string {
  return `If ${code(tool)} is not among your tools yet, find it by that name with your tool search.`;
}

/** Reminders for models that may not have called the list tool yet. `introduction` says it always. */
export const FIRST_CALL: ReadonlySet<ReminderKind> = new Set(["initial", "empty", "recovery"]);

export function sendAgain(tool: string): string {
  return `Send only these again with ${code(tool)}, corrected, or continue if they no longer matter.`;
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

export function whereWords(completed: number, total: number, verified: number): string {
  return `${completed} of ${total} done, ${verified} verified.`;
}

export function moreWords(count: number, tool: string | undefined): string {
  return tool === undefined
    ? `\u2026 ${count} more.`
    : `\u2026 ${count} more. Call ${code(tool)} to read them.`;
}
