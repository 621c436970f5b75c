import { agentLook } from "../text/agents.ts";
import type { Page } from "../text/page.ts";
import { cutLine, type Line, span } from "../text/spans.ts";
import { padEnd, widest } from "../text/width.ts";
import type { AgentFound } from "./state.ts";

/** What is true, what happens by itself, what to run. */
export function emptyLines(
  page: Page,
  agents: readonly AgentFound[],
  older: number,
): readonly Line[] {
  const { tones, marks, width } = page;
  const command = (name: string, does: string): Line => [
    span(`  ${padEnd(name, 24)}`, tones.bold),
    span(does, tones.dim),
  ];
  const names = widest(agents.map(({ name }) => name));
  const lines: readonly Line[] = [
    older > 0
      ? [
          span(
            `  Nobody worked here today. ${older} older track${older === 1 ? "" : "s"}: waymark ls`,
          ),
        ]
      : [span("  No agent has run here yet.")],
    [span("  Start any agent in another terminal and it appears here by itself.", tones.dim)],
    [],
    command("waymark demo", "watch a recorded team of three agents"),
    command("waymark setup AGENT", "give it the list, the reminders, the recovery"),
    command("waymark todo add TEXT", "begin a list of your own"),
    ...(agents.length > 0
      ? [
          [],
          [span("  WHERE WAYMARK LOOKS", tones.dim)],
          ...agents.map(
            ({ name, agentType, words, broken }): Line => [
              span(`  ${marks.blaze} `, tones.agent[agentLook(agentType).hue]),
              span(padEnd(page.safe(name), names + 2)),
              span(
                `${broken ? `${marks.todo.blocked} ` : ""}${page.safe(words)}`,
                broken ? tones.watch : tones.dim,
              ),
            ],
          ),
        ]
      : []),
  ];
  return lines.map((line) => cutLine(line, width, marks.ellipsis));
}
