import { formatDuration } from "../../core/text/duration.ts";
import type { Task } from "../../tasks/model.ts";
import { finishObjection } from "../../tasks/rules/user-ops.ts";
import type { Page } from "../text/draw/page.ts";
import { type Line, span, spread } from "../text/draw/spans.ts";
import { wrap } from "../text/draw/width.ts";
import { jumpLines } from "./jump/lines.ts";
import { type Hint, hintLine, type Pages } from "./pages/pages.ts";
import type { BoardState, Field, HeldPlan } from "./state.ts";

/** The parts of a screen, from top to bottom. */
export interface ScreenParts {
  readonly top: readonly Line[];
  readonly body: (available: number) => readonly Line[];
  readonly bottom: readonly Line[];
  /** The body without a preview beside it. */
  readonly list?: (available: number) => readonly Line[];
  /** The row of the chips. */
  readonly chips?: number;
  /** For each line of the body, the key of what a click on it selects. */
  readonly targets?: (available: number) => readonly (string | undefined)[];
  /** The first column of the preview beside the body. */
  readonly preview?: number;
}

/** The open input field; otherwise the last message and the key hints. */
export function bottomLines(
  pages: Pages,
  state: BoardState,
  hints: readonly Hint[],
): readonly Line[] {
  const { still: page } = pages;
  const { tones, marks } = page;
  if (state.field) {
    // Long input shows its end.
    const text = page.whole(state.field.text);
    const lead = ` ${promptFor(state.field)} ${marks.pointer} `;
    return [
      [span(lead, tones.you), span(tail(text, page.width - lead.length - 2)), span(" ", "7")],
    ];
  }
  if (state.jump) return jumpLines(pages, state.jump);
  const message = state.message === undefined ? [] : messageLines(page, state.message);
  return [...heldLines(pages, state), ...runLine(pages, state), ...message, hintLine(pages, hints)];
}

const HELD: Readonly<Record<HeldPlan["decision"], string>> = {
  approve: "Approving the plan of",
  reject: "Rejecting the plan of",
  comment: "Sending your comment to",
};

/** `Approving the plan of “Checkout” in 8s`, while that can be undone. */
function heldLines({ still: page }: Pages, { held = [] }: BoardState): readonly Line[] {
  const { tones, marks, width, options } = page;
  return held.slice(-2).map(({ decision, title, until }) => {
    const left = formatDuration(Math.max(0, until - options.now + 999));
    return spread(
      [span(` ${HELD[decision]} “${page.safe(title)}” in ${left}`, tones.you)],
      [span("u ", tones.bold), span("undo ", tones.dim)],
      width,
      marks.ellipsis,
    );
  });
}

/** `Verifying “Add the index”: npm test 23s`, while a check runs. */
function runLine({ live: page }: Pages, { run }: BoardState): readonly Line[] {
  if (!run) return [];
  const { tones, marks, width, options } = page;
  const elapsed = formatDuration(Math.max(0, options.now - run.startedAt));
  const what = run.command === undefined ? "" : `: ${page.safe(run.command)}`;
  const left = [
    span(` ${marks.todo.in_progress} `, tones.you),
    span(`Verifying${marks.ellipsis} ${elapsed}  “${page.safe(run.todo)}”${what}`),
  ];
  return [
    spread(left, [span("V ", tones.bold), span("cancel ", tones.dim)], width, marks.ellipsis),
  ];
}

const MAX_MESSAGE_LINES = 4;

/** Wrapped rather than cut, because errors end with what to do. */
function messageLines(page: Page, message: string): readonly Line[] {
  const lines = wrap(page.safe(message), page.width - 2);
  const shown = lines.slice(0, MAX_MESSAGE_LINES - 1);
  const rest = lines.slice(MAX_MESSAGE_LINES - 1).join(" ");
  return [...shown, ...(rest === "" ? [] : [rest])].map((line) => [
    span(` ${line}`, page.tones.you),
  ]);
}

/** The label of an input field. */
function promptFor(field: Field): string {
  switch (field.kind) {
    case "add":
      return "Add todo";
    case "note":
      return "Note";
    case "comment":
      return "Comment";
    case "reject":
      return "Reason to reject";
    case "task":
      return "Add task";
    case "finish":
      return evidencePrompt(field.task, field.waitsFor);
    case "drop":
      return `Reason to cancel ${field.task.id}`;
    case "subject":
      return `Rename ${field.task.id}`;
  }
}

function evidencePrompt(task: Task, waitsFor: readonly string[] = []): string {
  const objection = finishObjection(task, waitsFor);
  return objection === undefined
    ? `Evidence for ${task.id}`
    : `${objection}; force it with evidence`;
}

function tail(text: string, available: number): string {
  return Array.from(text)
    .slice(-Math.max(1, Math.floor(available / 2)))
    .join("");
}
