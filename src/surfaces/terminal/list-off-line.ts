import { agentLook } from "../text/agents.ts";
import type { Page } from "../text/draw/page.ts";
import { type Line, span, spread } from "../text/draw/spans.ts";
import type { BoardData } from "./state.ts";

/** Names the agents whose todo list is off and the command that turns it on. Not shown in the demo. */
export function listOffLine(
  page: Page,
  { agents = [], program = "waymark", demo }: BoardData,
): Line | undefined {
  const { tones, marks, width } = page;
  const off = agents.filter(({ list, command }) => list === "off" && command !== null);
  const [first] = off;
  if (!first || demo) return undefined;
  const command = off.length === 1 ? (first.command ?? "") : `${program} setup`;
  const names = off.map(({ agent, name }) => (width < 70 ? agentLook(agent).code : name));
  return spread(
    [
      span(` ${marks.todo.blocked} `, tones.watch),
      span(`${width < 70 ? "List off" : "Todo list off"}: ${page.safe(names.join(", "))}`),
    ],
    [span(page.safe(command), tones.bold)],
    width,
    marks.ellipsis,
  );
}
