import { type Line, span } from "../text/spans.ts";
import { hintLine, type Pages } from "./pages.ts";
import type { BoardState } from "./state.ts";

/** What a screen is made of, from top to bottom. */
export interface Parts {
  readonly top: readonly Line[];
  readonly body: (room: number) => readonly Line[];
  readonly bottom: readonly Line[];
}

/** What is being written, what the board answers, or what keys do. */
export function bottomOf(
  pages: Pages,
  state: BoardState,
  hints: Parameters<typeof hintLine>[1],
): readonly Line[] {
  const { still: page } = pages;
  const { tones, marks } = page;
  if (state.field) {
    const words = { add: "add", note: "note", comment: "comment", reject: "reject, because" };
    // What is being written shows its end.
    const text = page.whole(state.field.text);
    const lead = ` ${words[state.field.kind]} ${marks.pointer} `;
    return [
      [span(lead, tones.you), span(tail(text, page.width - lead.length - 2)), span(" ", "7")],
    ];
  }
  if (state.said !== undefined) return [[span(` ${page.safe(state.said)}`, tones.you)]];
  return [hintLine(page, hints)];
}

function tail(text: string, room: number): string {
  return Array.from(text)
    .slice(-Math.max(1, Math.floor(room / 2)))
    .join("");
}
