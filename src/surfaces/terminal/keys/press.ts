import { offersDetail } from "../screen.ts";
import type { BoardState, Size, World } from "../state.ts";
import { inField } from "./in-field.ts";
import { inSearch } from "./in-search.ts";
import type { Key } from "./keys.ts";
import { onHistory } from "./on-history.ts";
import { onPlan } from "./on-plan.ts";
import { onTasks } from "./on-tasks.ts";
import { onTrack } from "./on-track.ts";
import { onTracks } from "./on-tracks.ts";
import { type Pressed, scrolled } from "./pressed.ts";

/** What a key does: to the board itself, and to the world. */
export function press(state: BoardState, key: Key, world: World, size: Size): Pressed {
  const quiet: BoardState = { ...state, said: undefined };
  if (key.name === "ctrl c" || key.name === "ctrl d")
    return { state: quiet, act: { type: "quit" } };
  if (state.field) return inField(quiet, state.field, key, world);
  if (key.name === "ctrl t") return toggleDetail(quiet, world, size);
  if (state.place === "search") return inSearch(quiet, key, world);
  const name = key.name === "text" ? key.text : key.name;
  return everywhere(quiet, name) ?? inPlace(quiet, name, world, size);
}

function toggleDetail(state: BoardState, world: World, size: Size): Pressed {
  if (!offersDetail(world, state, size))
    return { state: { ...state, said: "There is no more or less to show here." } };
  const more = !state.more;
  return { state: { ...state, more }, act: { type: "more", more } };
}

function inPlace(state: BoardState, name: string, world: World, size: Size): Pressed {
  switch (state.place) {
    case "tracks":
      return onTracks(state, name, world, size);
    case "track":
      return onTrack(state, name, world, size);
    case "plan":
      return onPlan(state, name, world, size);
    case "history":
      return onHistory(state, name, world);
    case "help":
      return onPage(state, name, size);
    case "tasks":
      return onTasks(state, name, world, size);
    case "search":
      return { state };
  }
}

/** Keys that mean the same wherever nothing is being written. */
function everywhere(state: BoardState, name: string): Pressed | undefined {
  const away = state.place === "help" || state.place === "tasks";
  const from = away ? state.from : state.place;
  switch (name) {
    case "q":
      return { state, act: { type: "quit" } };
    case "?":
      if (state.place === "help") return { state: { ...state, place: state.from } };
      return { state: { ...state, place: "help", from, scroll: 0 } };
    case "t":
      if (state.place === "tasks") return { state: { ...state, place: state.from } };
      return {
        state: { ...state, place: "tasks", from, scroll: 0, taskIsOpen: false },
        act: { type: "tasks" },
      };
    case "w":
      return { state, act: { type: "page" } };
    case "/":
      return { state: { ...state, place: "search", from, search: "", hit: 0 } };
    default:
      return undefined;
  }
}

function onPage(state: BoardState, name: string, size: Size): Pressed {
  if (name === "escape" || name === "left") return { state: { ...state, place: state.from } };
  return scrolled(state, name, size) ?? { state };
}
