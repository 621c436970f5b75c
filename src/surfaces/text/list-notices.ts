import { refusedLabel } from "../../core/guidance/refusal.ts";
import type { Track } from "../../core/model.ts";
import { recentStallLine } from "../../core/stalls/text.ts";
import type { View } from "../../core/views/view.ts";
import type { Page } from "./draw/page.ts";
import { cutLine, type Line, span } from "./draw/spans.ts";
import { wrap } from "./draw/width.ts";

const MAX_LINES = 3;

/** The agent's explanation of its list, at most three lines unless `options.all` is set. */
export function explanationLines(page: Page, { explanation }: View, indent = ""): Line[] {
  if (explanation === undefined) return [];
  const { tones, width, options } = page;
  const available = width - indent.length;
  const text = options.all ? page.whole(explanation) : page.safe(explanation);
  const lines = wrap(text, available);
  const shown =
    options.all || lines.length <= MAX_LINES
      ? lines
      : [
          ...lines.slice(0, MAX_LINES - 1),
          page.cut(lines.slice(MAX_LINES - 1).join(" "), available),
        ];
  return shown.map((line) => [span(`${indent}${line}`, tones.dim)]);
}

/** The warning that the agent's last list write was refused. */
export function refusedLines(page: Page, { refused }: Pick<View, "refused">, indent = ""): Line[] {
  if (!refused) return [];
  const { tones, marks, width } = page;
  const mark = span(`${indent}${marks.todo.blocked} `, tones.watch);
  return [cutLine([mark, span(page.safe(refusedLabel(refused)))], width, marks.ellipsis)];
}

/** The steps that Waymark took at the last stall. */
export function stallLines(page: Page, { stalls }: Pick<Track, "stalls">, indent = ""): Line[] {
  const { tones, marks, width, options } = page;
  const text = recentStallLine(stalls, options.now, options.timeZone);
  if (text === undefined) return [];
  const mark = span(`${indent}${marks.stalled} `, tones.watch);
  return [cutLine([mark, span(page.safe(text), tones.dim)], width, marks.ellipsis)];
}
