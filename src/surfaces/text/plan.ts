import { MAIN_AGENT } from "../../core/text/ids.ts";
import type { Row, View } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import type { Member, Page, TextOptions } from "./draw/page.ts";
import { colorNamed } from "./draw/paint.ts";
import { cutLine, type Line, span } from "./draw/spans.ts";
import { cells } from "./draw/width.ts";
import { hiddenLines, rowLimit, windowOf } from "./draw/window.ts";

/** The name of the plan's owner in their color, and a mark for each todo. */
export function planLines(page: Page, view: View): readonly Line[] {
  const { marks, tones, options } = page;
  const { name: given, color: wanted = DEFAULT_COLOR } = memberOf(options, view);
  const member = page.safe(given);
  const color = colorNamed(wanted);
  const title = `${marks.plan.title}Plan`;
  const end = member ? "):" : ":";
  const name = member ? page.cut(` (${member}`, page.width - cells(title) - end.length) : "";
  const window = windowOf(view, rowLimit(page));
  const lines: Line[] = [
    [span(`${title}${name}${end}`, color ? `${tones.bold};${color}` : tones.bold)],
    ...hiddenLines(page, "above", window.before),
    ...window.rows.map((row) => todoLine(page, row)),
    ...hiddenLines(page, "below", window.after),
  ];
  return lines.map((line) => cutLine(line, page.width, marks.ellipsis));
}

const DEFAULT_COLOR = "cyan";
/** Members missing from the map are named by their id, the main agent by its program. */
function memberOf({ member, members }: TextOptions, { agent, agentType }: View): Member {
  const name = agent === MAIN_AGENT ? agentLook(agentType).name : agent;
  return members?.get(agent) ?? member ?? { name };
}

function todoLine(page: Page, { todo }: Row): Line {
  const { plan } = page.marks;
  const { status } = todo;
  const mark = status === "completed" || status === "cancelled" ? plan[status] : plan.open;
  const tone = status === "completed" ? page.tones.green : page.tones.yellow;
  return [span(`${mark} ${page.safe(todo.text)}`, tone)];
}
