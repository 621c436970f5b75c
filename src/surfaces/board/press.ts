import { type BoardRow, GROUPS, needsYou } from "../../core/board.ts";
import { hitsOf } from "../../core/board-search.ts";
import type { Op, Todo } from "../../core/model.ts";
import { isOpen } from "../../core/view.ts";
import { agentLook } from "../text/agents.ts";
import type { Key } from "./keys.ts";
import { arrangementFor } from "./screen.ts";
import {
  type Act,
  type BoardState,
  type Field,
  findRow,
  itemOf,
  itemsOf,
  rowsOf,
  type Size,
  type World,
} from "./state.ts";
import { taskCards, taskOf } from "./tasks-page.ts";

export interface Pressed {
  readonly state: BoardState;
  readonly act?: Act;
}

/** What a key does: to the board itself, and to the world. */
export function press(state: BoardState, key: Key, world: World, size: Size): Pressed {
  const quiet: BoardState = { ...state, said: undefined };
  if (key.name === "ctrl c" || key.name === "ctrl d")
    return { state: quiet, act: { type: "quit" } };
  if (state.field) return inField(quiet, state.field, key, world);
  if (key.name === "ctrl t") {
    const more = !state.more;
    return { state: { ...quiet, more }, act: { type: "more", more } };
  }
  if (state.place === "search") return inSearch(quiet, key, world);
  const name = key.name === "text" ? key.text : key.name;
  return everywhere(quiet, name) ?? inPlace(quiet, name, world, size);
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

const UP = new Set(["up", "k", "wheel up"]);
const DOWN = new Set(["down", "j", "wheel down"]);

/** Where a key leads in a list of so many; nothing for a key that does not move. */
function moved(name: string, place: number, count: number, page: number): number | undefined {
  const last = Math.max(0, count - 1);
  const to = (next: number) => Math.max(0, Math.min(last, next));
  if (UP.has(name)) return to(place - 1);
  if (DOWN.has(name)) return to(place + 1);
  if (name === "g" || name === "home") return 0;
  if (name === "G" || name === "end") return last;
  if (name === "page up") return to(place - page);
  return name === "page down" ? to(place + page) : undefined;
}

function onTracks(state: BoardState, name: string, world: World, size: Size): Pressed {
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

function opened(state: BoardState, row: BoardRow): BoardState {
  const place = needsYou(row) ? "plan" : "track";
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

/** What can be done to a track wherever it is shown. */
function onRow(state: BoardState, name: string, row: BoardRow, world: World): Pressed {
  const { session, agent } = row.track;
  const id = { session, agent };
  const selected = { ...state, selected: row.key };
  switch (name) {
    case "a":
      return (
        notDecided(selected, row) ?? {
          state: selected,
          act: { type: "plan", id, decision: "approve" },
        }
      );
    case "r":
      return (
        notDecided(selected, row) ?? { state: { ...selected, field: { kind: "reject", text: "" } } }
      );
    case "c":
      if (!row.plan) return said(selected, "There is no plan to comment on.");
      return (
        notOurs(selected, row) ?? { state: { ...selected, field: { kind: "comment", text: "" } } }
      );
    case "e":
      return notOurs(selected, row) ?? { state: selected, act: { type: "edit", id } };
    case "p":
      if (!row.plan) return said(selected, "There is no plan.");
      return { state: { ...selected, place: "plan", scroll: 0 } };
    case "n":
      return notOurs(selected, row) ?? { state: { ...selected, field: { kind: "add", text: "" } } };
    case "u":
      return undone(selected, world);
    case "h":
      return {
        state: { ...selected, place: "history", step: Number.MAX_SAFE_INTEGER },
        act: { type: "past", row, step: Number.MAX_SAFE_INTEGER },
      };
    default:
      return { state };
  }
}

function said(state: BoardState, words: string): Pressed {
  return { state: { ...state, said: words } };
}

function notOurs(state: BoardState, row: BoardRow): Pressed | undefined {
  if (row.hosted) return undefined;
  const name = agentLook(row.track.agentType).name || "the agent";
  return said(
    state,
    `This list is kept by ${name}: it is shown here, but only ${name} changes it.`,
  );
}

function notDecided(state: BoardState, row: BoardRow): Pressed | undefined {
  if (!needsYou(row)) return said(state, "No plan waits here.");
  if (row.hosted) return undefined;
  const name = agentLook(row.track.agentType).name || "The agent";
  return said(state, `${name} asks in its own window: decide there.`);
}

function undone(state: BoardState, { now }: World): Pressed {
  const { undo } = state;
  if (!undo || undo.until < now)
    return said({ ...state, undo: undefined }, "Nothing to take back.");
  const { id, ops } = undo;
  return { state: { ...state, undo: undefined }, act: { type: "ops", id, ops } };
}

function onTrack(state: BoardState, name: string, world: World, size: Size): Pressed {
  const row = findRow(rowsOf(world.board), state.selected);
  if (!row) return { state: { ...state, place: "tracks" } };
  const items = itemsOf(row);
  const item = itemOf(row, state);
  const place = items.findIndex((each) => each.item === item?.item);
  const to = moved(name, Math.max(0, place), items.length, Math.max(1, size.rows - 6));
  if (to !== undefined) return { state: { ...state, item: items[to]?.item } };
  switch (name) {
    case "escape":
    case "left":
    case "backspace": {
      const parent = state.above.at(-1);
      if (parent === undefined) return { state: { ...state, place: "tracks" } };
      const above = state.above.slice(0, -1);
      return { state: { ...state, above, selected: parent, item: `track ${row.key}` } };
    }
    case "enter":
    case "right":
      if (!item || !("child" in item)) return { state };
      return {
        state: {
          ...state,
          above: [...state.above, row.key],
          selected: item.child.key,
          item: undefined,
        },
      };
    default: {
      const todo =
        item && "todo" in item ? row.track.todos.find(({ id }) => id === item.todo) : undefined;
      const { session, agent } = row.track;
      return (
        (todo &&
          onTodo({ ...state, item: item?.item }, name, row, todo, { session, agent }, world)) ??
        onRow(state, name, row, world)
      );
    }
  }
}

const UNDO = 8_000;

function onTodo(
  state: BoardState,
  name: string,
  row: BoardRow,
  todo: Todo,
  id: { readonly session: string; readonly agent: string },
  { now }: World,
): Pressed | undefined {
  const target = { ref: todo.ref ?? todo.id };
  const change = (...ops: readonly Op[]): Pressed =>
    notOurs(state, row) ?? { state, act: { type: "ops", id, ops } };
  switch (name) {
    case " ":
      return change(isOpen(todo) ? { op: "finish", target } : { op: "reopen", target });
    case "x": {
      const gone = change({ op: "drop", target });
      if (!gone.act) return gone;
      const undo = { id, ops: [{ op: "reopen" as const, target }], until: now + UNDO };
      return { ...gone, state: { ...state, undo, said: "Dropped. u takes it back." } };
    }
    case "m":
      return notOurs(state, row) ?? { state: { ...state, field: { kind: "note", text: "" } } };
    case "alt up":
    case "alt down": {
      const at = row.track.todos.indexOf(todo);
      const to = at + (name === "alt up" ? -1 : 1);
      if (to < 0 || to >= row.track.todos.length) return { state };
      return change({ op: "move", target, to });
    }
    default:
      return undefined;
  }
}

function onPlan(state: BoardState, name: string, world: World, size: Size): Pressed {
  const row = findRow(rowsOf(world.board), state.selected);
  if (!row?.plan) return { state: { ...state, place: "tracks" } };
  if (name === "escape" || name === "left" || name === "p")
    return { state: { ...state, place: name === "p" ? "track" : "tracks" } };
  if (name === "enter") return { state: { ...state, place: "track", item: undefined } };
  return scrolled(state, name, size) ?? onRow(state, name, row, world);
}

function scrolled(state: BoardState, name: string, size: Size): Pressed | undefined {
  const to = moved(name, state.scroll, 10_000, Math.max(1, size.rows - 6));
  return to === undefined ? undefined : { state: { ...state, scroll: name === "G" ? 0 : to } };
}

function onPage(state: BoardState, name: string, size: Size): Pressed {
  if (name === "escape" || name === "left") return { state: { ...state, place: state.from } };
  return scrolled(state, name, size) ?? { state };
}

function onTasks(state: BoardState, name: string, { tasks }: World, size: Size): Pressed {
  if (name === "escape" || name === "left") {
    if (state.taskIsOpen) return { state: { ...state, taskIsOpen: false } };
    return { state: { ...state, place: state.from } };
  }
  if (!tasks) return { state };
  const cards = taskCards(tasks, state.more);
  const card = taskOf(tasks, state);
  const place = Math.max(0, card ? cards.indexOf(card) : 0);
  const to = moved(name, place, cards.length, Math.max(1, size.rows - 6));
  if (to !== undefined) return { state: { ...state, task: cards[to]?.task.id } };
  if (name !== "enter" && name !== "right") return { state };
  return { state: { ...state, task: card?.task.id, taskIsOpen: !state.taskIsOpen } };
}

function onHistory(state: BoardState, name: string, world: World): Pressed {
  const row = findRow(rowsOf(world.board), state.selected);
  if (!row || name === "escape" || name === "h") return { state: { ...state, place: "track" } };
  const { past } = world;
  if (!past) return { state };
  const last = past.count - 1;
  const steps: Readonly<Record<string, number>> = {
    "[": past.step - 1,
    up: past.step - 1,
    k: past.step - 1,
    left: past.step - 1,
    "]": past.step + 1,
    down: past.step + 1,
    j: past.step + 1,
    right: past.step + 1,
    g: 0,
    G: last,
  };
  const wanted = steps[name];
  if (wanted === undefined) return { state };
  const step = Math.max(0, Math.min(last, wanted));
  return { state: { ...state, step }, act: { type: "past", row, step } };
}

function inSearch(state: BoardState, key: Key, world: World): Pressed {
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

function withoutLast(text: string): string {
  return Array.from(text).slice(0, -1).join("");
}

const MAX_FIELD = 4_000;

function inField(state: BoardState, field: Field, key: Key, world: World): Pressed {
  const write = (text: string): Pressed => ({
    state: { ...state, field: { ...field, text: text.slice(0, MAX_FIELD) } },
  });
  const closed = { ...state, field: undefined };
  switch (key.name) {
    case "text":
      return write(field.text + key.text);
    case "backspace":
      return write(withoutLast(field.text));
    case "ctrl u":
      return write("");
    case "escape":
      return { state: closed };
    case "enter":
      return sent(closed, field, world);
    default:
      return { state };
  }
}

/** What was written goes where it was meant for. */
function sent(state: BoardState, { kind, text }: Field, world: World): Pressed {
  const row = findRow(rowsOf(world.board), state.selected);
  const words = text.trim();
  if (!row || (words === "" && kind !== "reject")) return { state };
  const { session, agent } = row.track;
  const id = { session, agent };
  switch (kind) {
    case "add":
      return { state, act: { type: "ops", id, ops: [{ op: "add", todos: [{ text: words }] }] } };
    case "note": {
      const item = itemOf(row, state);
      const todo =
        item && "todo" in item ? row.track.todos.find((each) => each.id === item.todo) : undefined;
      if (!todo) return { state };
      const target = { ref: todo.ref ?? todo.id };
      return { state, act: { type: "ops", id, ops: [{ op: "note", target, text: words }] } };
    }
    case "comment":
    case "reject":
      return {
        state,
        act: { type: "plan", id, decision: kind, ...(words !== "" && { comment: words }) },
      };
  }
}
