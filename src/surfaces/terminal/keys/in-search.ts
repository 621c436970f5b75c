import { hitsOf } from "../../../core/views/search.ts";
import { type BoardState, rowsOf, type World } from "../state.ts";
import { withoutLast } from "./in-field.ts";
import type { Key } from "./keys.ts";
import { opened } from "./on-tracks.ts";
import { moved, type Pressed } from "./pressed.ts";

export function inSearch(state: BoardState, key: Key, world: World): Pressed {
  const hits = hitsOf(rowsOf(world.board), state.search);
  switch (key.name) {
    case "text":
      return { state: { ...state, search: `${state.search}${key.text}`.slice(0, 200), hit: 0 } };
    case "backspace":
      return { state: { ...state, search: withoutLast(state.search), hit: 0 } };
    case "ctrl u":
      return { state: { ...state, search: "", hit: 0 } };
    case "escape":
      return { state: { ...state, place: state.from } };
    case "enter": {
      const hit = hits[state.hit];
      if (!hit) return { state };
      const at = opened(state, hit.row);
      if (hit.kind === "plan") return { state: { ...at, place: "plan" } };
      const item = hit.todo ? `todo ${hit.todo.todo.id}` : undefined;
      return { state: { ...at, place: "track", item } };
    }
    default: {
      const to = moved(key.name, state.hit, hits.length, 5);
      return { state: to === undefined ? state : { ...state, hit: to } };
    }
  }
}
