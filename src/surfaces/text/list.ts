import type { View } from "../../core/view.ts";
import { boxedLines } from "./boxed.ts";
import { checkboxLines } from "./checkbox.ts";
import { agentTone, type Page, pageOf, type TextOptions, type TextStyle, titleOf } from "./page.ts";
import { planLines } from "./plan.ts";
import { type Line, span, spread } from "./spans.ts";
import { treeLines } from "./tree.ts";
import { waymarkLines } from "./waymark.ts";

const STYLES: Readonly<Record<TextStyle, (page: Page, view: View) => readonly Line[]>> = {
  waymark: waymarkLines,
  boxed: boxedLines,
  tree: treeLines,
  plan: planLines,
  checkbox: checkboxLines,
};

/** The list of one track, in the style that the options name. */
export function listLines(
  view: View,
  options: TextOptions,
  page = pageOf(options),
): readonly Line[] {
  if (view.rows.length === 0) return [[span("No list yet.")]];
  if (view.cleared && !options.all) return [clearedLine(page, view)];
  return STYLES[options.style ?? "waymark"](page, view);
}

/** All that is left on the display of a list that was finished a while ago. */
function clearedLine(page: Page, view: View): Line {
  const { marks, tones, width } = page;
  const { completed, total } = view.progress;
  return spread(
    [span(marks.blaze, agentTone(page, view)), span(` ${titleOf(page, view)}`, tones.dim)],
    [span(`Finished, ${completed} of ${total}`, tones.dim)],
    width,
    marks.ellipsis,
  );
}
