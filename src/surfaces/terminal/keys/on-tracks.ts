import { BOARD_GROUPS, type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { layoutFor } from "../overview.ts";
import { showsAway } from "../pages/away-line.ts";
import { type BoardData, type BoardState, rowsOf, type Size, showsEndCard } from "../state.ts";
import { type KeyResult, movedIndex } from "./key-result.ts";
import { onRow } from "./on-row.ts";

export function onTracks(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  if (data.demo?.over && name === "r") return { state, action: { type: "replay" } };
  if (showsEndCard(data, state)) return onEndCard(state, name);
  const { rows } = layoutFor(data, state, size);
  const index = rows.findIndex((row) => row.key === state.selected);
  const to = movedIndex(
    name,
    Math.max(0, index),
    rows.length,
    Math.max(1, Math.floor(size.rows / 4)),
  );
  if (to !== undefined) return { state: { ...state, selected: rows[to]?.key } };
  const row = rows[index] ?? rows[0];
  switch (name) {
    case "enter":
    case "right":
    case "l":
      return row ? { state: openRow(state, row) } : { state };
    case "f":
      return { state: nextGroup(state, data) };
    case "F":
      return { state: nextAgentType(state, data) };
    case "escape":
      if (showsAway(data, state)) return { state: { ...state, awayClosed: true } };
      return {
        state: { ...state, onlyGroup: undefined, agentType: undefined, onlyArchived: undefined },
      };
    case "d":
      return rowsOf(data.board).length === 0 ? { state, action: { type: "demo" } } : { state };
    case "A": {
      if (!row) return { state };
      // The row leaves the list, so the next one is selected.
      const next = rows[index + 1] ?? rows[index - 1];
      const { state: after, action } = onRow(state, name, row, data);
      return { state: { ...after, selected: next?.key ?? row.key }, ...(action && { action }) };
    }
    default:
      return row ? onRow(state, name, row, data) : { state };
  }
}

function onEndCard(state: BoardState, name: string): KeyResult {
  return name === "enter" || name === "escape"
    ? { state: { ...state, endCardClosed: true } }
    : { state };
}

export function openRow(state: BoardState, row: BoardRow): BoardState {
  const index = hasOpenPlan(row) ? "plan" : "track";
  return { ...state, screen: index, selected: row.key, item: undefined, scroll: 0, above: [] };
}

/** Filters by the next group that is not empty, then shows archived sessions, then all others again. */
function nextGroup(state: BoardState, { board }: BoardData): BoardState {
  if (state.onlyArchived) return { ...state, onlyArchived: undefined, onlyGroup: undefined };
  const filled = BOARD_GROUPS.filter((group) => board.counts[group] > 0);
  const index = state.onlyGroup === undefined ? -1 : filled.indexOf(state.onlyGroup);
  const onlyGroup = filled[index + 1];
  const isLast = onlyGroup === undefined && board.archived > 0;
  return { ...state, onlyGroup, ...(isLast && { onlyArchived: true }) };
}

/** Filters by the next agent type; after the last one, shows all. */
function nextAgentType(state: BoardState, { board: { agentTypes } }: BoardData): BoardState {
  const index = state.agentType === undefined ? -1 : agentTypes.indexOf(state.agentType);
  return { ...state, agentType: agentTypes[index + 1] };
}
