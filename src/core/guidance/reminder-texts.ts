import type { FindingKind } from "../activity/detect.ts";
import type { ReminderKind } from "../model.ts";
import { code as inCode, joinText, type ModelText, modelText } from "../text/model-text.ts";

/**
 * The sentences of every reminder. `WHY` says why it comes now, `ACT` what to do and that continuing is fine. No reminder asks
 * the model to hide anything from the user.
 */

type Counted = "turn" | "edit" | "more edit" | "open todo";

function counted(count: number, one: Counted): ModelText {
  return modelText`${count} ${one}${count === 1 ? "" : "s"}`;
}

const TWO_TOOLS = /^(\w{1,26}) and (\w{1,26})$/;

/** The name of a tool, or of two: `TaskCreate and TaskUpdate`. */
function code(tool: string): ModelText {
  const [, first, second] = TWO_TOOLS.exec(tool) ?? [];
  if (first === undefined || second === undefined) return inCode(tool);
  return modelText`${inCode(first)} and ${inCode(second)}`;
}

/** Task tools keep tasks, all others a todo list. */
function listNoun(tool: string | undefined) {
  return tool?.startsWith("Task") ? "tasks" : "todo list";
}

/** Whether a tool is `todos`, which takes ids and evidence. Agents put the name of the server before it. */
export function isNativeTool(tool: string | undefined): boolean {
  return tool !== undefined && /(?:^|_)todos$/.test(tool);
}

/** The repeated action of the model. */
const LOOPS = {
  unknown_tool_repeat: "You keep calling a tool that does not exist:",
  global_circuit_breaker: "You keep making the same call with the same result:",
  known_poll_no_progress: "You keep polling with the same result:",
  ping_pong: "You keep alternating between the same calls with the same results:",
  generic_repeat: "You keep making the same call with the same result:",
  stalled: "You are not making progress:",
} as const satisfies Readonly<Record<FindingKind, string>>;

export const WHY = {
  introduction: (tool: string) =>
    modelText`You have a todo list: the ${code(tool)} tool. It survives context compaction, and the user follows it live.`,
  initial: () => modelText`There is no todo list for this request yet.`,
  empty: (steps: number) =>
    modelText`You have worked for ${counted(steps, "turn")} without a todo list.`,
  stale: (steps: number, tool?: string) =>
    modelText`You haven't updated your ${listNoun(tool)} in ${counted(steps, "turn")}.`,
  edits: (edits: number, isFirst: boolean, tool?: string) =>
    modelText`You made ${counted(edits, isFirst ? "edit" : "more edit")} without updating your ${listNoun(tool)}.`,
  refused: () => modelText`Your last todo list update was not saved, so the list is unchanged.`,
  partlySaved: () => modelText`Your last todo list update was only partly saved.`,
  changed: () => modelText`The user changed your todo list:`,
  alsoChanged: () => modelText`The user also changed your todo list:`,
  approved: () => modelText`The user approved your plan.`,
  rejected: () => modelText`The user rejected your plan.`,
  commented: () => modelText`The user commented on your plan:`,
  evidence: (todos: number) =>
    modelText`${todos} ${todos === 1 ? "todo is" : "todos are"} completed, but none is verified: no passing test, build or other check was seen.`,
  compacted: () => modelText`Your context was compacted. Your todo list was kept.`,
  resumed: () => modelText`You resumed an earlier session that has open todos.`,
  stop: (todos: number) => modelText`You are about to stop with ${counted(todos, "open todo")}.`,
  planning: () => modelText`Plan mode is on: the user wants a plan before anything is changed.`,
  loop: (kind: FindingKind) => modelText`${LOOPS[kind]}`,
  stalled: (silence: ModelText) => modelText`You had no activity for ${silence}.`,
  failed: (todos: number) =>
    modelText`Waymark ran a check on your files, and it does not prove ${todos} completed ${todos === 1 ? "todo" : "todos"}.`,
} as const;

/** The action on a collision; `isDenied` if the announced edit is denied. */
export function actOnCollision(isDenied: boolean, isOne: boolean): ModelText {
  const file = isOne ? "the file" : "the files";
  const conflict = modelText`If your changes conflict, stop and tell the user.`;
  return isDenied
    ? modelText`Your edit was not made. Read ${file} again, then repeat the edit and keep the other agent's changes. ${conflict}`
    : modelText`Read ${file} again before you edit ${isOne ? "it" : "them"}, and keep the other agent's changes. ${conflict}`;
}

/** The action to take. */
export const ACT = {
  introduction: () =>
    modelText`For work with three or more steps, write the todos first, start each one before you work on it, and complete it once it is done and checked. For smaller work, skip it.`,
  initial: (tool) =>
    tool === undefined
      ? undefined
      : modelText`If it needs three or more steps, write them with ${code(tool)} before you start. Otherwise just do it.`,
  empty: (tool) =>
    tool === undefined
      ? undefined
      : modelText`If more than one step is left, write the steps with ${code(tool)}. Otherwise continue.`,
  stale: (tool) =>
    tool === undefined
      ? undefined
      : listNoun(tool) === "tasks"
        ? modelText`If they are out of date, update them with ${code(tool)}. Otherwise continue.`
        : modelText`If it is out of date, update it with ${code(tool)}. Otherwise continue.`,
  edits: (tool) =>
    tool === undefined
      ? undefined
      : modelText`If a todo is done, complete it with ${code(tool)} and start the next one. Otherwise continue.`,
  refused: (tool) =>
    tool === undefined
      ? undefined
      : modelText`Fix the call and send it again with ${code(tool)}, or continue if the change no longer matters.`,
  changed: () => modelText`Follow the list as it is now.`,
  evidence: (tool) =>
    joinText(
      [
        modelText`Run a check that would fail if they were not done.`,
        tool !== undefined && isNativeTool(tool)
          ? modelText`If no check exists, send \`evidence\` with ${code(tool)}.`
          : modelText`If no check exists, tell the user how you know they work.`,
      ],
      " ",
    ),
  recovery: (tool) =>
    tool === undefined
      ? modelText`Don't redo completed todos.`
      : modelText`Don't redo completed todos. Keep the list up to date with ${code(tool)}.`,
  stop: (tool) =>
    joinText(
      [
        modelText`Continue with them, or stop and tell the user why they are still open.`,
        ...(tool === undefined
          ? []
          : [modelText`Cancel todos that are no longer needed with ${code(tool)}.`]),
      ],
      " ",
    ),
  planning: () =>
    modelText`Read and plan only. Don't edit files, run commands that change something, or write todos until the user approves the plan.`,
  check: () => modelText`Fix the cause, or reopen the todos that are not done.`,
  collision: () => actOnCollision(false, true),
  stalled: () =>
    modelText`If a command hung, run it with a time limit or in the background. If something blocks you, tell the user. Otherwise continue.`,
  loop: () =>
    modelText`Don't repeat it unchanged. Try a different approach, or tell the user what is blocking you.`,
} as const satisfies Record<ReminderKind, (tool: string | undefined) => ModelText | undefined>;

/** The action, where it depends on more than the kind. */
export const ACT_ON = {
  partlySaved: (tool: string) =>
    modelText`Send only the failed operations again with ${code(tool)}, corrected, or continue if they no longer matter.`,
  /** `next` is the first todo to continue with; none if all of them are blocked. */
  compacted: (next: ModelText | undefined) =>
    next === undefined ? BLOCKED : modelText`Continue with ${next}.`,
  resumed: (next: ModelText | undefined) =>
    next === undefined
      ? BLOCKED
      : modelText`If the user's request is about this work, continue with ${next}. If it is something new, ask the user whether to keep these todos.`,
  adopted: (steps: number, first: ModelText | undefined) =>
    first === undefined
      ? modelText`Its ${steps} steps are now your todos.`
      : modelText`Its ${steps} steps are now your todos. Start with ${first}.`,
  approved: () => modelText`Write its steps as your todos and start.`,
  rejected: () => modelText`Revise the plan and propose it again. Don't start the work.`,
  commented: () => modelText`Take it into account.`,
} as const;

const BLOCKED = modelText`All of them are blocked. Tell the user what they are waiting for.`;

/** For programs that hide tools until the model searches for them. */
export function findToolHint(tool: string): ModelText {
  return modelText`If ${code(tool)} is not loaded yet, find it with your tool search.`;
}

/** Reminders for models that may not have called the list tool yet. */
export const FIRST_CALL: ReadonlySet<ReminderKind> = new Set([
  "introduction",
  "initial",
  "empty",
  "recovery",
]);

/** Reminders whose only purpose is a call of the list tool. */
export const NEEDS_TOOL: ReadonlySet<ReminderKind> = new Set([
  "introduction",
  "initial",
  "empty",
  "stale",
  "edits",
  "refused",
]);

/** The tools `todos` and `todo` return the list if they are called without arguments. Other list tools only write. */
const READS = /(?:^|_)todos?$/;

export function moreText(count: number, tool: string | undefined): ModelText {
  return tool !== undefined && READS.test(tool)
    ? modelText`\u2026 ${count} more. Call ${code(tool)} to read them.`
    : modelText`\u2026 ${count} more.`;
}

export function openHeading(progress: ModelText): ModelText {
  return modelText`${progress} These are open:`;
}
