import { type BoardRow, GROUPS, hasOpenPlan } from "../../../core/views/board.ts";
import { arrangementFor } from "../overview.ts";
import { type BoardState, rowsOf, type Size, showsEndCard, type World } from "../state.ts";
import { onRow } from "./on-row.ts";
import { moved, type Pressed } from "./pressed.ts";

export function onTracks(state: BoardState, name: string, world: World, size: Size): Pressed {
  if (world.demo?.over && name === "r") return { state, act: { type: "replay" } };
  if (showsEndCard(world, state)) return onEndCard(state, name);
  const { rows } = arrangementFor(world, state, size);
  const place = rows.findIndex((row) => row.key === state.selected);
  const to = moved(name, Math.max(0, place), rows.length, Math.max(1, Math.floor(size.rows / 4)));
  if (to !== undefined) return { state: { ...state, selected: rows[to]?.key } };
  const row = rows[place] ?? rows[0];
  switch (name) {
    case "enter":
    case "right":
    case "l":
      return row ? { state: opened(state, row) } : { state };
    case "f":
      return { state: filtered(state, world) };
    case "F":
      return { state: filteredByAgent(state, world) };
    case "escape":
      return { state: { ...state, only: undefined, agentType: undefined } };
    case "d":
      return rowsOf(world.board).length === 0 ? { state, act: { type: "demo" } } : { state };
    default:
      return row ? onRow(state, name, row, world) : { state };
  }
}

function onEndCard(state: BoardState, name: string): Pressed {
  return name === "enter" || name === "escape"
    ? { state: { ...state, looksAround: true } }
    : { state };
}

export function opened(state: BoardState, row: BoardRow): BoardState {
  const place = hasOpenPlan(row) ? "plan" : "track";
  return { ...state, place, selected: row.key, item: undefined, scroll: 0, above: [] };
}

/** The next group that somebody is in; after the last one, all of them. */
function filtered(state: BoardState, { board }: World): BoardState {
  const filled = GROUPS.filter((group) => board.counts[group] > 0);
  const place = state.only === undefined ? -1 : filled.indexOf(state.only);
  return { ...state, only: filled[place + 1] };
}

/** The next kind of agent; after the last one, all of them. */
function filteredByAgent(state: BoardState, { board: { agentTypes } }: World): BoardState {
  const place = state.agentType === undefined ? -1 : agentTypes.indexOf(state.agentType);
  return { ...state, agentType: agentTypes[place + 1] };
}
