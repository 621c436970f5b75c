import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { NO_FILTERS } from "../../../core/views/find/filters.ts";
import { shownOf } from "../find/shown.ts";
import { showsAway } from "../pages/away-line.ts";
import { type BoardData, type BoardState, type Size, showsEndCard } from "../state.ts";
import { inChips, nextSort } from "./in-chips.ts";
import { type KeyResult, movedIndex } from "./key-result.ts";
import { onRow } from "./on-row.ts";

export function onTracks(before: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const chosen = before.chip && inChips(before, before.chip, name, data);
  if (chosen) return chosen;
  const state = { ...before, chip: undefined };
  if (data.demo?.over && name === "r") return { state, action: { type: "replay" } };
  if (showsEndCard(data, state)) return onEndCard(state, name);
  const { rows } = shownOf(data.board, state, data.now);
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
      return { state: { ...state, chip: "agent" } };
    case "s":
      return { state: { ...state, sort: nextSort(state) } };
    case "escape":
      if (showsAway(data, state)) return { state: { ...state, awayClosed: true } };
      return {
        state: { ...state, filters: NO_FILTERS, words: [], older: false, onlyArchived: false },
      };
    case "d":
      return data.board.groups.length === 0 ? { state, action: { type: "demo" } } : { state };
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
