import { searchBoard } from "../../../core/views/search.ts";
import { type BoardData, type BoardState, rowsOf } from "../state.ts";
import { withoutLast } from "./in-field.ts";
import type { Key } from "./key-parser.ts";
import { type KeyResult, movedIndex } from "./key-result.ts";
import { openRow } from "./on-tracks.ts";

export function inSearch(state: BoardState, key: Key, data: BoardData): KeyResult {
  const hits = searchBoard(rowsOf(data.board), state.search);
  switch (key.name) {
    case "text":
      return {
        state: { ...state, search: `${state.search}${key.text}`.slice(0, 200), hitIndex: 0 },
      };
    case "backspace":
      return { state: { ...state, search: withoutLast(state.search), hitIndex: 0 } };
    case "ctrl u":
      return { state: { ...state, search: "", hitIndex: 0 } };
    case "escape":
      return { state: { ...state, screen: state.from } };
    case "enter": {
      const hit = hits[state.hitIndex];
      if (!hit) return { state };
      const at = openRow(state, hit.row);
      if (hit.kind === "plan") return { state: { ...at, screen: "plan" } };
      const item = hit.todo ? `todo ${hit.todo.todo.id}` : undefined;
      return { state: { ...at, screen: "track", item } };
    }
    default: {
      const to = movedIndex(key.name, state.hitIndex, hits.length, 5);
      return { state: to === undefined ? state : { ...state, hitIndex: to } };
    }
  }
}
