import { onCall } from "../call/keys.ts";
import { inJump } from "../jump/keys.ts";
import { inPicker } from "../picker/keys.ts";
import { offersDetail } from "../screen.ts";
import type { BoardData, BoardState, Size } from "../state.ts";
import { inField } from "./in-field.ts";
import { inSearch } from "./in-search.ts";
import type { Key } from "./key-parser.ts";
import { type KeyResult, scrolled } from "./key-result.ts";
import { onClick } from "./on-click.ts";
import { onHistory } from "./on-history.ts";
import { onPlan } from "./on-plan.ts";
import { onChecks, onProof } from "./on-proof.ts";
import { onTasks } from "./on-tasks.ts";
import { onTrack } from "./on-track.ts";
import { onTracks } from "./on-tracks.ts";
import { undone } from "./undo.ts";

/** Maps a key and the state to the next state and at most one action. */
export function handleKey(state: BoardState, key: Key, data: BoardData, size: Size): KeyResult {
  const quiet: BoardState = { ...state, message: undefined, isUsed: true };
  if (key.name === "ctrl c" || key.name === "ctrl d")
    return { state: quiet, action: { type: "quit" } };
  if (state.field) return inField(quiet, state.field, key, data);
  if (state.picker) return inPicker(quiet, state.picker, key, data);
  if (key.name === "click") {
    const { state: clicked, opens } = onClick(quiet, key, data, size);
    return opens ? handleKey(clicked, { name: "enter" }, data, size) : { state: clicked };
  }
  if (key.name === "ctrl t") return toggleDetail(quiet, data, size);
  if (state.screen === "search") return inSearch(quiet, key, data);
  const name = key.name === "text" ? key.text : key.name;
  const inNotice = state.jump && inJump(quiet, state.jump, name, data);
  if (inNotice) return inNotice;
  const without: BoardState = { ...quiet, jump: undefined };
  return handleGlobalKey(without, name, data) ?? handleScreenKey(without, name, data, size);
}

function toggleDetail(state: BoardState, data: BoardData, size: Size): KeyResult {
  if (!offersDetail(data, state, size))
    return { state: { ...state, message: "Nothing more to show here." } };
  const more = !state.more;
  return { state: { ...state, more }, action: { type: "more", more } };
}

function handleScreenKey(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  switch (state.screen) {
    case "tracks":
      return onTracks(state, name, data, size);
    case "track":
      return onTrack(state, name, data, size);
    case "plan":
      return onPlan(state, name, data, size);
    case "proof":
      return onProof(state, name, data, size);
    case "call":
      return onCall(state, name, data, size);
    case "checks":
      return onChecks(state, name, data, size);
    case "history":
      return onHistory(state, name, data);
    case "help":
    case "report":
      return onPage(state, name, data, size);
    case "tasks":
      return onTasks(state, name, data, size);
    case "search":
      return { state };
  }
}

/** Keys that work on every screen, unless an input field is open. */
function handleGlobalKey(state: BoardState, name: string, data: BoardData): KeyResult | undefined {
  const isAside = ["help", "tasks", "report"].includes(state.screen);
  const from = isAside ? state.from : state.screen;
  switch (name) {
    case "q":
      return { state, action: { type: "quit" } };
    case "?":
      if (state.screen === "help") return { state: { ...state, screen: state.from } };
      return { state: { ...state, screen: "help", from, scroll: 0 } };
    case "t":
      if (state.screen === "tasks") return { state: { ...state, screen: state.from } };
      return {
        state: { ...state, screen: "tasks", from, scroll: 0, taskIsOpen: false },
        action: { type: "tasks" },
      };
    case "R":
      if (state.screen === "report") return { state: { ...state, screen: state.from } };
      return {
        state: { ...state, screen: "report", from, scroll: 0 },
        action: { type: "report" },
      };
    case "w":
      return { state, action: { type: "page" } };
    case "u":
      return undone(state, data);
    case "/":
      return {
        state: { ...state, screen: "search", from, search: "", hit: undefined, chip: undefined },
        action: { type: "tasks" },
      };
    default:
      return undefined;
  }
}

function onPage(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  if (name === "escape" || name === "left") return { state: { ...state, screen: state.from } };
  return scrolled(state, name, data, size) ?? { state };
}
