import { formatShortDuration } from "../../../core/text/duration.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { isOpen, progressOf } from "../../../core/views/view.ts";
import { agentLook } from "../../text/agents.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, lineCells, type Span, span } from "../../text/draw/spans.ts";
import { toneOf } from "../pages/pages.ts";
import { stateOf } from "../row-state.ts";

/** Whether the session is shown on one line: it is idle or finished. */
export function isCompact({ group }: Pick<BoardRow, "group">): boolean {
  return group === "idle" || group === "finished";
}

/** `cc docs-site ✓ 14:20`, `gm 2 open 11m`: the agent and the state, as much as fits. */
export function compactState(page: Page, row: BoardRow, available: number): Line {
  const { tones } = page;
  const { code } = agentLook(row.track.agentType);
  const agent = code ? [span(`${page.safe(code)} `, toneOf(page, row))] : [];
  const project = row.project ? [span(`${page.safe(row.project)}  `, tones.dim)] : [];
  const [long, short] =
    row.group === "finished" ? finishedLabels(page, row) : idleLabels(page, row);
  const lines: readonly Line[] = [
    [...agent, ...project, ...long],
    [...agent, ...long],
    [...agent, ...project, ...short],
    [...agent, ...short],
    short,
  ];
  return lines.find((line) => lineCells(line) <= available) ?? short;
}

type Labels = readonly [long: readonly Span[], short: readonly Span[]];

function finishedLabels(page: Page, row: BoardRow): Labels {
  const { mark, tone } = stateOf(page, row);
  const { todos } = row.track;
  const at = page.time(Math.max(0, ...todos.map(({ finishedAt = 0 }) => finishedAt)))?.slice(-5);
  const time = span(` ${at ?? ""}`, page.tones.dim);
  const { completed, verified } = progressOf(todos);
  const unproven = verified === 0 ? " unproven" : ` ${completed - verified} unproven`;
  const why = verified < completed ? unproven : "";
  return [
    [span(mark, tone), span(why, page.tones.watch), time],
    [span(mark, tone), time],
  ];
}

/** `2 open 11m`, `failed, 2 open 11m`, `idle 11m`. */
export function idleLabels(page: Page, row: BoardRow): Labels {
  const { tones } = page;
  const { label, tone, elapsedMs } = stateOf(page, row);
  const open = row.view.rows.filter(({ todo }) => isOpen(todo)).length;
  const count = open > 0 ? `${open} open` : "";
  const isPlain = label === "idle" && count !== "";
  const time = span(elapsedMs === undefined ? "" : ` ${formatShortDuration(elapsedMs)}`, tones.dim);
  const state = isPlain ? [] : [span(label, tone), span(count ? ", " : "", tones.dim)];
  return [
    [...state, span(count, tones.dim), time],
    [span(isPlain ? count : label, isPlain ? tones.dim : tone), time],
  ];
}
