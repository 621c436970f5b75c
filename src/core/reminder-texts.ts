import type { ReminderKind } from "./model.ts";

/**
 * The wording of every reminder, in one place. Each says why it comes now and one thing to do that
 * may be declined. None asks the model to keep anything from the person it works for.
 */

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export const WHY = {
  introduction: (tool: string) => `You have a todo list here: the ${tool} tool keeps it.`,
  initial: () => "The work begins, and there is no todo list yet.",
  empty: (steps: number) => `${counted(steps, "turn")}, and the todo list is empty.`,
  stale: (steps: number) => `${counted(steps, "turn")} without a list write.`,
  edits: (edits: number) => `${counted(edits, "edit")} without a list write.`,
  refused: () => "Your last write of the list was refused, and the list is as it was before.",
  changed: () => "The user did this since you last saw the list:",
  evidence: (todos: number) =>
    `${counted(todos, "todo is", "todos are")} completed, and nothing was seen that proves one of them.`,
  compacted: () => "The conversation was shortened; these todos are still open.",
  resumed: () => "The session goes on where it was left; these todos are still open.",
  stop: (todos: number) => `You are about to stop with ${counted(todos, "open todo")}.`,
  loop: () => "The same call keeps coming back with nothing new.",
} as const;

export const ACT = {
  introduction: (tool: string) =>
    [
      "It outlives a shortened conversation, so it is your memory, and the person sees it live.",
      "When work takes three or more steps: write the todos first, start one before you work on it, finish it when it is done and checked, add what turns up. For less, leave it.",
      `If ${tool} is not among your tools yet, search for it by that name (with ToolSearch, where there is one).`,
    ].join("\n"),
  initial: (tool: string) =>
    `If it takes three or more steps, write them down with ${tool} before the first one; if not, go on without.`,
  empty: (tool: string) =>
    `If more than one step is left, write down with ${tool} what they are; if not, go on without.`,
  stale: (tool: string) =>
    `If the list no longer says what you do, bring it up to date with ${tool}; if it does, go on.`,
  edits: (tool: string) =>
    `If a todo is done, finish it with ${tool} and start the one you work on; if the list is right, go on.`,
  refused: (tool: string) =>
    `Send it again with ${tool} the way the message says, or go on without.`,
  changed: () => undefined,
  evidence: (tool: string) =>
    `Run the check that would fail if they were not done, or give evidence with ${tool}; if nothing can be checked, say so.`,
  recovery: (tool: string) =>
    `Go on with the first one, and keep the list up to date with ${tool}.`,
  stop: (tool: string) =>
    `Go on with them, or say why you stop; drop with ${tool} what is not needed any more.`,
  loop: () => "Try another way, or tell the user what is in the way.",
} as const satisfies Record<ReminderKind, (tool: string) => string | undefined>;

export function whereWords(completed: number, total: number, verified: number): string {
  return `${completed} of ${total} done, ${verified} verified.`;
}

export function moreWords(count: number, tool: string): string {
  return `… ${count} more, call ${tool} to read them`;
}
