import { onDisplay, type View } from "../../core/views/view.ts";
import { boxedLines } from "./draw/boxed.ts";
import { checkboxLines } from "./draw/checkbox.ts";
import {
  agentTone,
  type Page,
  pageOf,
  type TextOptions,
  type TextStyle,
  viewTitle,
} from "./draw/page.ts";
import { type Line, span, spread } from "./draw/spans.ts";
import { treeLines } from "./draw/tree.ts";
import { explanationLines, refusedLines } from "./list-notices.ts";
import { planLines } from "./plan.ts";
import { waymarkLines } from "./waymark.ts";

const STYLES: Readonly<Record<TextStyle, (page: Page, view: View) => readonly Line[]>> = {
  waymark: waymarkLines,
  boxed: boxedLines,
  tree: treeLines,
  plan: planLines,
  checkbox: checkboxLines,
};

/** The list of one track, in the style of the options. */
export function listLines(
  view: View,
  options: TextOptions,
  page = pageOf(options),
): readonly Line[] {
  const refused = refusedLines(page, view);
  if (view.rows.length === 0) return [[span("No todos yet.")], ...refused];
  if (view.cleared && !options.all) return [clearedLine(page, view), ...refused];
  const style = options.style ?? "waymark";
  const lines = STYLES[style](page, options.all ? view : onDisplay(view));
  // Below the heading if the style has one.
  const heading = HEADED.has(style) ? 1 : lines.length;
  const indent = style === "waymark" ? "  " : "";
  return [
    ...lines.slice(0, heading),
    ...explanationLines(page, view, indent),
    ...lines.slice(heading),
    ...refused,
  ];
}

const HEADED: ReadonlySet<TextStyle> = new Set(["waymark", "tree", "plan"]);

/** The one line that remains of a list that was cleared from the display. */
function clearedLine(page: Page, view: View): Line {
  const { marks, tones, width } = page;
  const { completed, total } = view.progress;
  return spread(
    [span(marks.agentBar, agentTone(page, view)), span(` ${viewTitle(page, view)}`, tones.dim)],
    [span(total === 0 ? "All todos cancelled" : `Finished, ${completed} of ${total}`, tones.dim)],
    width,
    marks.ellipsis,
  );
}
