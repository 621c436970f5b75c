import { counted } from "../../../core/text/count.ts";
import type { AgentSummary } from "../../../core/wire.ts";
import type { Page } from "../../text/draw/page.ts";
import { cutLine, type Line, span, spread } from "../../text/draw/spans.ts";
import { cells, padEnd, widest } from "../../text/draw/width.ts";
import type { World } from "../state.ts";

/** What is true, what happens by itself, and what to run. Where room is short, facts go before air. */
export function emptyLines(page: Page, world: World, room: number): readonly Line[] {
  const { marks, width } = page;
  const airy = allLines(page, world, room, true);
  const lines = airy.length <= room ? airy : allLines(page, world, room, false);
  return lines.map((line) => cutLine(line, width, marks.ellipsis));
}

function allLines(
  page: Page,
  { agents = [], board: { older }, program = "waymark" }: World,
  room: number,
  isAiry: boolean,
): readonly Line[] {
  const { tones, width } = page;
  const air: readonly Line[] = isAiry ? [[]] : [];
  const isOff = agents.some(({ list, command }) => list === "off" && command !== null);
  const commands: readonly (readonly [string, string])[] = [
    [`${program} demo`, width < 70 ? "a recorded team" : "watch a recorded team of agents"],
    // Where agents have commands of their own, this one says nothing more.
    ...(isAiry || !isOff ? [[`${program} setup`, "give an agent a todo list"] as const] : []),
  ];
  const names = widest(commands.map(([name]) => name)) + 2;
  const head: readonly Line[] = [
    older > 0
      ? [span(`  No agent worked here today. ${counted(older, "older session")}: ${program} ls`)]
      : [span("  No agent has run here yet.")],
    [
      span(
        width < 70
          ? "  Start one; it appears by itself."
          : "  Start any agent in another terminal and it appears here by itself.",
        tones.dim,
      ),
    ],
    ...air,
    ...commands.map(
      ([name, does]): Line => [span(`  ${padEnd(name, names)}`, tones.bold), span(does, tones.dim)],
    ),
  ];
  if (agents.length === 0) return head;
  const heading: readonly Line[] = isAiry ? [[], [span("  WHERE WAYMARK LOOKS", tones.dim)]] : [];
  const space = room - head.length - heading.length;
  return [...head, ...heading, ...placesLines(page, agents, older > 0, space, program)];
}

/** Every agent that is looked for: those that were found first, then as many others as fit. */
function placesLines(
  page: Page,
  agents: readonly AgentSummary[],
  hasRun: boolean,
  room: number,
  program: string,
): readonly Line[] {
  const { tones } = page;
  const here = agents.filter(({ found }) => found);
  const others = agents.filter(({ found }) => !found);
  const names = widest(agents.map(({ name }) => name));
  const found = here.flatMap((agent) => foundLines(page, agent, names, hasRun));
  const space = room - found.length;
  const fits =
    others.length <= space ? others.length : Math.max(0, Math.min(others.length, space - 1));
  const left = others.length - fits;
  return [
    ...found,
    ...others.slice(0, fits).map((agent) => placeLine(page, agent, names, "not found")),
    ...(left > 0 ? [[span(restWords(page, left, fits > 0, program), tones.dim)]] : []),
  ];
}

/** Counts the omitted agents. Omits the command too if it does not fit: a cut command is useless. */
function restWords({ width }: Page, left: number, isMore: boolean, program: string): string {
  const count = isMore ? `    and ${left} more` : `    ${left} others`;
  const whole = `${count}: ${program} doctor`;
  return cells(whole) <= width ? whole : count;
}

function foundLines(
  page: Page,
  agent: AgentSummary,
  names: number,
  hasRun: boolean,
): readonly Line[] {
  const { tones, marks, width } = page;
  const { problem, list, command } = agent;
  if (problem !== undefined)
    return [placeLine(page, agent, names, `${marks.todo.blocked} cannot be read`, tones.watch)];
  const words = [
    ...(width < 70 ? [] : [hasRun ? "no session today" : "no session yet"]),
    ...(list === "off" ? ["todo list off"] : []),
  ];
  const place = placeLine(page, agent, names, words.join(", "));
  if (list !== "off" || command === null) return [place];
  // Where room is short the command moves to the left: it has to be readable to the end.
  const indent = width < 70 ? 4 : names + 6;
  return [place, [span(`${" ".repeat(indent)}${page.safe(command)}`, tones.bold)]];
}

function placeLine(
  page: Page,
  { agent, name, where }: AgentSummary,
  names: number,
  words: string,
  tone = page.tones.dim,
): Line {
  const { tones, marks, width } = page;
  const [first = "", ...more] = where;
  const places = `${page.safe(first)}${more.length > 0 ? ` +${more.length}` : ""}`;
  return spread(
    [
      span(`  ${marks.blaze} `, tones.agent(agent)),
      span(padEnd(page.safe(name), names + 2)),
      span(places, tones.dim),
    ],
    [span(words, tone)],
    width,
    marks.ellipsis,
  );
}
