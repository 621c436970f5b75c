import type { ToolActivity } from "../../core/activity/activity.ts";
import type { Plan } from "../../core/plan/plan.ts";
import { formatTime } from "../../core/text/clock.ts";
import { counted } from "../../core/text/count.ts";
import { formatDuration, formatShortDuration } from "../../core/text/duration.ts";
import type { BoardRow } from "../../core/views/board.ts";
import type { Group } from "../../core/views/view.ts";
import { agentLook } from "../text/agents.ts";
import type { Page } from "../text/draw/page.ts";
import { GAP, type Line, lineCells, span, spread } from "../text/draw/spans.ts";
import { padEnd, padStart, widest } from "../text/draw/width.ts";
import { explanationLines, refusedLines, stallLines } from "../text/list-notices.ts";
import { closedIds } from "../text/meta.ts";
import { phaseLine, progressLine, todoLines } from "../text/waymark.ts";
import { childLines } from "./overview/child-lines.ts";
import { costLabel } from "./overview/columns.ts";
import { agentBarOf, highlighted, isWorking, type Pages, pageFor, toneOf } from "./pages/pages.ts";
import { proofLines } from "./pages/proof.ts";
import { hasRequest, requestLines } from "./request-lines.ts";
import { durationLabel, stateOf, stateSpans } from "./row-state.ts";
import type { HistoryStep } from "./state.ts";

/** Two lines: title, agent, project and age; progress and state. A request follows in its own lines. */
export function trackHeader(pages: Pages, row: BoardRow, isHistory = false): readonly Line[] {
  const page = pageFor(pages, row);
  const { tones, marks, width } = page;
  const agentBar = [agentBarOf(page, row), span(" ")];
  const look = agentLook(row.track.agentType);
  const project = page.safe(row.project);
  const age =
    row.track.openedAt > 0 ? formatShortDuration(page.options.now - row.track.openedAt) : "";
  const facts = [project, age].filter(Boolean).join(` ${marks.separator} `);
  const agent = span(page.safe(look.name), toneOf(page, row));
  const rights: readonly Line[] = [
    [agent, span(agent.text && facts ? ` ${facts}` : facts, tones.dim)],
    [agent],
    [],
  ];
  const title = span(page.safe(row.title), tones.bold);
  const enough = Math.max(width - lineCells([title]) - 4, Math.floor(width * 0.45));
  const right = rights.find((line) => lineCells(line) <= enough) ?? [];
  const first = spread([...agentBar, title], right, width, marks.ellipsis);
  const state = stateOf(page, row);
  const time = durationLabel(row, state);
  const labelled = isWorking(row) && !state.label ? { ...state, detail: "working" } : state;
  const short = stateSpans(page, labelled.label ? { ...labelled, detail: "" } : labelled);
  const request = isHistory ? [] : requestLines(page, row);
  const spent = isHistory ? "" : costLabel(page, row.cost?.sum);
  const cost = spent === "" ? [] : [span(`${spent}  `)];
  const ends: readonly Line[] =
    isHistory || hasRequest(row)
      ? cost.length > 0
        ? [cost]
        : []
      : [
          [...cost, ...short, span(time && !row.view.finished ? ` ${time}` : "", tones.dim)],
          [...cost, ...short],
          short,
        ];
  if (row.view.rows.length === 0)
    return [
      first,
      spread([...agentBar, span("no todos yet", tones.dim)], ends[0] ?? [], width, marks.ellipsis),
      ...request,
    ];
  return [
    first,
    progressLine({ ...page, marks: pages.still.marks }, row.view, agentBar, ends),
    ...request,
  ];
}

export interface TrackBody {
  readonly lines: readonly Line[];
  /** The range of the selected item. */
  readonly focus: readonly [number, number];
  /** For each line, the item that a click selects. */
  readonly keys: readonly (string | undefined)[];
}

export interface BodyOptions {
  readonly item?: string | undefined;
  /** Fold finished phases to one line each. */
  readonly fold: boolean;
  /** Include activity and plan. */
  readonly rest: boolean;
}

/** The todos by phase, the subagents, the last calls and the plan. */
export function trackBody(pages: Pages, row: BoardRow, options: BodyOptions): TrackBody {
  const page = pageFor(pages, row);
  const { view } = row;
  const closed = closedIds(view);
  const costs = costCells(page, row);
  const lines: Line[] = [];
  const keys: (string | undefined)[] = [];
  let focus: readonly [number, number] = [0, 0];
  const put = (added: readonly Line[], isSelected: boolean, item: string) => {
    while (keys.length < lines.length) keys.push(undefined);
    keys.push(...added.map(() => item));
    if (isSelected) focus = [lines.length, lines.length + added.length - 1];
    const shown = isSelected ? added.map((line) => highlighted(page, line, page.width)) : added;
    lines.push(...shown);
  };
  lines.push(
    ...stallLines(page, row.track, "  "),
    ...refusedLines(page, view, "  "),
    ...explanationLines(page, view, "  "),
  );
  for (const group of view.groups) {
    lines.push(...phaseLine(page, view, group));
    if (options.fold && isClosed(group, options.item)) continue;
    for (const each of group.rows) {
      const isSelected = options.item === `todo ${each.todo.id}`;
      const lead = leadOf(page, isSelected);
      const drawn = todoLines(costs.page, view, each, { lead, closed, whole: isSelected });
      const indent = lineCells(lead) + page.marks.todoCells + 1;
      const run = isSelected ? proofLines(page, each.todo, costs.page.width - indent) : [];
      const below = run.map((line): Line => [span(" ".repeat(indent)), ...line]);
      put([...costs.after(drawn, each.todo.id), ...below], isSelected, `todo ${each.todo.id}`);
    }
  }
  if (view.rows.length === 0 && options.rest) lines.push([span("  No todos yet.", page.tones.dim)]);
  const children = childLines(pages, row, Number.POSITIVE_INFINITY);
  if (children.length > 0) lines.push([], [span("  Subagents", page.tones.bold)]);
  for (const [index, line] of children.entries()) {
    const item = `track ${row.children[index]?.key}`;
    const isSelected = options.item === item;
    const [, ...rest] = line;
    put([[...leadOf(page, isSelected).slice(0, 1), ...rest]], isSelected, item);
  }
  if (options.rest) lines.push(...activityLines(pages, row), ...planLine(page, row.plan));
  while (keys.length < lines.length) keys.push(undefined);
  return { lines, focus, keys };
}

interface CostCells {
  /** Narrower by the cells of the costs. */
  readonly page: Page;
  /** Puts the cost of a todo at the end of its first line. */
  readonly after: (lines: readonly Line[], todo: string) => readonly Line[];
}

/** Narrower pages have no space for the costs of todos. */
const MIN_COST_WIDTH = 60;

/** A column with the cost of each todo, if some are known. */
function costCells(page: Page, row: BoardRow): CostCells {
  const known = page.width < MIN_COST_WIDTH ? undefined : row.cost?.todos();
  const labels = new Map([...(known ?? [])].map(([id, sum]) => [id, costLabel(page, sum)]));
  const shown = row.view.rows.flatMap(({ todo }) => labels.get(todo.id) ?? []);
  if (shown.length === 0) return { page, after: (lines) => lines };
  const size = widest(shown);
  const width = page.width - size - GAP;
  return {
    page: { ...page, width },
    after: (lines, todo) => {
      const [first = [], ...rest] = lines;
      const cost = labels.get(todo);
      const { ellipsis } = page.marks;
      return cost === undefined
        ? lines
        : [spread(first, [span(padStart(cost, size))], page.width, ellipsis), ...rest];
    },
  };
}

function leadOf(page: Page, isSelected: boolean): Line {
  return [span(isSelected ? page.marks.pointer : " ", page.tones.you), span(" ")];
}

function isClosed(group: Group, item: string | undefined): boolean {
  if (group.phase === undefined || group.completed < group.total || group.total === 0) return false;
  return !group.rows.some(({ todo }) => item === `todo ${todo.id}`);
}

const SHOWN = 6;

/** Running and recent calls, newest first. */
function activityLines(pages: Pages, row: BoardRow): Line[] {
  const { activity } = row;
  if (!activity) return [];
  const page = pageFor(pages, row);
  const { tones, marks, width } = page;
  const calls: readonly ToolActivity[] = [
    ...[...activity.open].reverse(),
    ...[...activity.recent].reverse(),
  ].slice(0, SHOWN);
  if (calls.length === 0) return [];
  const { tools, failed } = activity.counts;
  const counts = `${counted(tools, "call")}${failed > 0 ? `, ${failed} failed` : ""}`;
  const heading = spread(
    [span("  Activity", tones.bold)],
    [span(counts, tones.dim)],
    width,
    marks.ellipsis,
  );
  return [[], heading, ...calls.map((call) => callLine(page, row, call))];
}

function callLine(page: Page, row: BoardRow, call: ToolActivity): Line {
  const { tones, marks, width, options } = page;
  const { startedAt, endedAt, ok, exitCode, label } = call;
  const runs = endedAt === undefined;
  const clock = page.time(endedAt ?? startedAt)?.slice(-5) ?? "";
  const mark = runs ? marks.todo.in_progress : ok ? marks.todo.completed : marks.failed;
  const tone = runs ? toneOf(page, row) : ok ? tones.dim : tones.broken;
  const how = runs
    ? formatDuration(Math.max(0, options.now - startedAt))
    : exitCode === undefined
      ? ok
        ? ""
        : "failed"
      : `exit ${exitCode}`;
  const left = [
    span(`  ${padEnd(clock, 5)}  `, tones.dim),
    span(padEnd(mark, marks.todoCells + 1), tone),
    span(page.safe(label), runs ? undefined : tones.dim),
  ];
  return spread(
    left,
    how ? [span(how, ok === false ? tones.broken : tones.dim)] : [],
    width,
    marks.ellipsis,
  );
}

function planLine(page: Page, plan: Plan | undefined): Line[] {
  if (!plan || plan.state === "streaming") return [];
  const { tones, marks, width } = page;
  const comment = plan.comment === undefined ? "" : `: “${page.safe(plan.comment)}”`;
  const when = page.time(plan.decidedAt ?? plan.at) ?? "";
  const state =
    plan.state === "proposed" ? `waiting for you since ${when}` : `${plan.state} ${when}${comment}`;
  const left = [span("  Plan  ", tones.bold), span(state, tones.dim)];
  return [
    [],
    spread(left, [span("p ", tones.bold), span("open", tones.dim)], width, marks.ellipsis),
  ];
}

/** The strip above a list as it was after an earlier change. */
export function historyStrip(
  page: Page,
  { at, step, count, summary }: Pick<HistoryStep, "at" | "step" | "count" | "summary">,
): Line {
  const { tones, marks, width, options } = page;
  const when = formatTime(at, options.now, options.timeZone) ?? "an unknown time";
  const left = [
    span(` as of ${when} `, `${tones.watch};7`),
    span(` ${page.safe(summary)}`, tones.dim),
  ];
  return spread(left, [span(`${step + 1} of ${count}`, tones.dim)], width, marks.ellipsis);
}
