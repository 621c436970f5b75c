import type { Page } from "../text/draw/page.ts";
import { type Line, span } from "../text/draw/spans.ts";
import { wrap } from "../text/draw/width.ts";
import { type Hint, hintLine, type Pages } from "./pages/pages.ts";
import type { BoardState, Field } from "./state.ts";

/** What a screen is made of, from top to bottom. */
export interface Parts {
  readonly top: readonly Line[];
  readonly body: (room: number) => readonly Line[];
  readonly bottom: readonly Line[];
}

/** What is being written; otherwise what keys do, below what the board answered to the last one. */
export function bottomOf(pages: Pages, state: BoardState, hints: readonly Hint[]): readonly Line[] {
  const { still: page } = pages;
  const { tones, marks } = page;
  if (state.field) {
    // What is being written shows its end.
    const text = page.whole(state.field.text);
    const lead = ` ${askedIn(state.field)} ${marks.pointer} `;
    return [
      [span(lead, tones.you), span(tail(text, page.width - lead.length - 2)), span(" ", "7")],
    ];
  }
  const said = state.said === undefined ? [] : saidLines(page, state.said);
  return [...said, hintLine(pages, hints)];
}

const MOST_SAID = 4;

/** A refusal says what is wrong and the way out: it is wrapped, not cut. */
function saidLines(page: Page, said: string): readonly Line[] {
  const lines = wrap(page.safe(said), page.width - 2);
  const shown = lines.slice(0, MOST_SAID - 1);
  const rest = lines.slice(MOST_SAID - 1).join(" ");
  return [...shown, ...(rest === "" ? [] : [rest])].map((line) => [
    span(` ${line}`, page.tones.you),
  ]);
}

/** What is to be written, in a few words. */
function askedIn(field: Field): string {
  switch (field.kind) {
    case "add":
    case "note":
    case "comment":
      return field.kind;
    case "reject":
      return "reject, because";
    case "task":
      return "add a task";
    case "finish":
      return `finish ${field.task.id}, shown by`;
    case "drop":
      return `drop ${field.task.id}, because`;
    case "owner":
      return `hand ${field.task.id} over to`;
    case "blocker":
      return `let ${field.task.id} wait for`;
    case "subject":
      return `edit ${field.task.id}`;
  }
}

function tail(text: string, room: number): string {
  return Array.from(text)
    .slice(-Math.max(1, Math.floor(room / 2)))
    .join("");
}
