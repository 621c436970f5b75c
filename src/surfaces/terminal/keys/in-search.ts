import { NO_FILTERS } from "../../../core/views/find/filters.ts";
import { type Hit, hitIndexOf, hitsOf, suggestionOf } from "../find/hits.ts";
import { filtersOf, parseQuery } from "../find/query.ts";
import { shownOf } from "../find/shown.ts";
import type { BoardData, BoardState } from "../state.ts";
import { withoutLast } from "./in-field.ts";
import type { Key } from "./key-parser.ts";
import { type KeyResult, movedIndex, withMessage } from "./key-result.ts";
import { openRow } from "./on-tracks.ts";

const MAX_SEARCH = 200;

export function inSearch(state: BoardState, key: Key, data: BoardData): KeyResult {
  const write = (text: string): KeyResult => ({
    state: { ...state, search: text.slice(0, MAX_SEARCH), hit: undefined },
  });
  switch (key.name) {
    case "text":
      if (key.text === "?")
        return { state: { ...state, screen: "help", from: "search", scroll: 0 } };
      return write(state.search + key.text);
    case "backspace":
      return write(withoutLast(state.search));
    case "ctrl u":
      return write("");
    case "ctrl a":
      return { state: { ...state, older: !state.older, hit: undefined } };
    case "escape":
      return {
        state: { ...state, screen: state.from === "search" ? "tracks" : state.from, search: "" },
      };
    case "tab":
      return kept(state, data);
    case "enter": {
      const hits = hitsOf(data, state);
      const hit = hits.all[hitIndexOf(hits, state)];
      return hit ? opened(state, hit) : { state };
    }
    default: {
      const hits = hitsOf(data, state);
      const to = movedIndex(key.name, hitIndexOf(hits, state), hits.all.length, 5);
      return { state: to === undefined ? state : { ...state, hit: hits.all[to]?.key } };
    }
  }
}

/** Opens a result. The filter line is closed; kept chips stay. */
function opened(before: BoardState, hit: Hit): KeyResult {
  const state = { ...before, search: "" };
  switch (hit.kind) {
    case "session":
      return { state: openRow(state, hit.row) };
    case "task": {
      const { id } = hit.card.task;
      return {
        state: { ...state, screen: "tasks", from: "tracks", task: id, taskIsOpen: true, scroll: 0 },
        action: { type: "open-task" },
      };
    }
    case "todo": {
      const at = openRow(state, hit.hit.row);
      if (hit.hit.kind === "plan") return { state: { ...at, screen: "plan" } };
      const item = hit.hit.todo ? `todo ${hit.hit.todo.todo.id}` : undefined;
      return { state: { ...at, screen: "track", item } };
    }
  }
}

/** Keeps what was typed as chips, or searches what was suggested. */
function kept(state: BoardState, data: BoardData): KeyResult {
  const hits = hitsOf(data, state);
  if (hits.all.length === 0) {
    const instead = suggestionOf(data, state);
    if (!instead) return withMessage(state, "Nothing similar was found.");
    const { search, older, isWider } = instead;
    const wider = isWider ? { filters: NO_FILTERS, words: [] } : {};
    return { state: { ...state, ...wider, search, older, hit: undefined } };
  }
  if (hits.sessions.length === 0)
    return withMessage(state, "No session matches, only todos or tasks. Press enter to open one.");
  const query = parseQuery(state.search);
  const { rows } = shownOf(data.board, state, data.now);
  const typed = filtersOf(query, rows);
  const { agent, project, state: states } = state.filters;
  const filters = {
    agent: typed.agent.length > 0 ? typed.agent : agent,
    project: typed.project.length > 0 ? typed.project : project,
    state: typed.state.length > 0 ? typed.state : states,
  };
  const words = [...new Set([...state.words, ...query.words])];
  const hit = hits.all[hitIndexOf(hits, state)];
  const selected = hit?.kind === "session" ? hit.row.key : state.selected;
  return { state: { ...state, screen: "tracks", search: "", filters, words, selected } };
}
