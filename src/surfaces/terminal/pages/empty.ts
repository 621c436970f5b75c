import { counted } from "../../../core/text/count.ts";
import type { AgentSummary } from "../../../core/wire.ts";
import type { Page } from "../../text/draw/page.ts";
import { cutLine, type Line, span, spread } from "../../text/draw/spans.ts";
import { cells, padEnd, widest } from "../../text/draw/width.ts";
import type { BoardData } from "../state.ts";

/** The overview without sessions: what to run, and which agents were found. Blank lines are dropped first. */
export function emptyLines(page: Page, data: BoardData, available: number): readonly Line[] {
  const { marks, width } = page;
  const spaced = allLines(page, data, available, true);
  const lines = spaced.length <= available ? spaced : allLines(page, data, available, false);
  return lines.map((line) => cutLine(line, width, marks.ellipsis));
}

function allLines(
  page: Page,
  { agents = [], board: { older, archived }, program = "waymark" }: BoardData,
  available: number,
  isSpaced: boolean,
): readonly Line[] {
  const { tones, width } = page;
  const blank: readonly Line[] = isSpaced ? [[]] : [];
  const isOff = agents.some(({ list, command }) => list === "off" && command !== null);
  const commands: readonly (readonly [string, string])[] = [
    [`${program} demo`, width < 70 ? "a recorded team" : "watch a recorded team of agents"],
    // Redundant if agents below have their own setup command.
    ...(isSpaced || !isOff ? [[`${program} setup`, "give an agent a todo list"] as const] : []),
  ];
  const names = widest(commands.map(([name]) => name)) + 2;
  const head: readonly Line[] = [
    older > 0
      ? [span(`  No sessions today. ${counted(older, "older session")}: ${program} ls`)]
      : [span(archived > 0 ? "  Every session is archived." : "  No sessions yet.")],
    [
      span(
        width < 70
          ? "  Start an agent; it appears here."
          : "  Start any agent in another terminal. Its session appears here automatically.",
        tones.dim,
      ),
    ],
    ...blank,
    ...commands.map(
      ([name, does]): Line => [span(`  ${padEnd(name, names)}`, tones.bold), span(does, tones.dim)],
    ),
  ];
  if (agents.length === 0) return head;
  const heading: readonly Line[] = isSpaced ? [[], [span("  AGENTS", tones.dim)]] : [];
  const space = available - head.length - heading.length;
  return [...head, ...heading, ...agentsLines(page, agents, older > 0, space, program)];
}

/** All supported agents: installed ones first, then as many others as fit. */
function agentsLines(
  page: Page,
  agents: readonly AgentSummary[],
  hasRun: boolean,
  available: number,
  program: string,
): readonly Line[] {
  const { tones } = page;
  const here = agents.filter(({ found }) => found);
  const others = agents.filter(({ found }) => !found);
  const names = widest(agents.map(({ name }) => name));
  const found = here.flatMap((agent) => foundLines(page, agent, names, hasRun));
  const space = available - found.length;
  const fits =
    others.length <= space ? others.length : Math.max(0, Math.min(others.length, space - 1));
  const left = others.length - fits;
  return [
    ...found,
    ...others.slice(0, fits).map((agent) => agentLine(page, agent, names, "not found")),
    ...(left > 0 ? [[span(restLabel(page, left, fits > 0, program), tones.dim)]] : []),
  ];
}

/** Counts the omitted agents. Omits the command too if it does not fit: a cut command is useless. */
function restLabel({ width }: Page, left: number, isMore: boolean, program: string): string {
  const count = isMore ? `    and ${left} more` : `    ${left} others`;
  const full = `${count}: ${program} doctor`;
  return cells(full) <= width ? full : count;
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
    return [agentLine(page, agent, names, `${marks.todo.blocked} can't be read`, tones.watch)];
  const facts = [
    ...(width < 70 ? [] : [hasRun ? "no sessions today" : "no sessions yet"]),
    ...(list === "off" ? ["todo list off"] : []),
  ];
  const line = agentLine(page, agent, names, facts.join(", "));
  if (list !== "off" || command === null) return [line];
  // On narrow terminals the command is less indented, so that it is not cut.
  const indent = width < 70 ? 4 : names + 6;
  return [line, [span(`${" ".repeat(indent)}${page.safe(command)}`, tones.bold)]];
}

function agentLine(
  page: Page,
  { agent, name, where }: AgentSummary,
  names: number,
  state: string,
  tone = page.tones.dim,
): Line {
  const { tones, marks, width } = page;
  const [first = "", ...more] = where;
  const paths = `${page.safe(first)}${more.length > 0 ? ` +${more.length}` : ""}`;
  return spread(
    [
      span(`  ${marks.agentBar} `, tones.agent(agent)),
      span(padEnd(page.safe(name), names + 2)),
      span(paths, tones.dim),
    ],
    [span(state, tone)],
    width,
    marks.ellipsis,
  );
}
