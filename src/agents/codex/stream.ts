import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { printOf } from "../common/memory.ts";
import { type Fields, fields, items, list, text } from "../common/values.ts";
import { kindOf, openChild, type Phase, readItem, spawned } from "./items.ts";
import { announce, type CodexState, keep, kept, newThread, type Say, sayAs } from "./state.ts";

/** The events of `codex exec --json`. */
export function isStreamEvent(record: Fields): boolean {
  const type = text(record.type) ?? "";
  if (type === "thread.started") return text(record.thread_id) !== undefined;
  return /^item\.(?:started|updated|completed)$/.test(type) && fields(record.item) !== undefined;
}

export function mayBeStreamEvent(record: Fields): boolean {
  return /^(?:turn\.(?:started|completed|failed)|error)$/.test(text(record.type) ?? "");
}

export function readStreamEvent(state: CodexState, record: Fields, emit: Emit) {
  const say = sayInRun(state, emit);
  switch (record.type) {
    case "thread.started":
      return openRun(state, text(record.thread_id), emit);
    case "turn.started":
      state.self.turn = { prompted: true };
      return say({ type: "turn.started" });
    case "turn.completed":
      delete state.self.turn;
      return say({ type: "turn.completed" });
    case "turn.failed":
      delete state.self.turn;
      return say({ type: "turn.failed", message: messageOf(record.error) });
    case "error":
      // Also said of what is tried again: only the end of the turn tells whether it failed.
      if (state.self.turn) state.self.turn.error = text(record.message) ?? "unknown error";
      return;
    case "item.started":
    case "item.updated":
    case "item.completed":
      return readStreamItem(state, record, emit);
  }
}

/** Interrupted by a signal, the stream ends without a word about the turn. */
export function endStream(state: CodexState, emit: Emit) {
  const { turn } = state.self;
  if (!turn) return;
  delete state.self.turn;
  const say = sayInRun(state, emit);
  if (turn.error === undefined) say({ type: "turn.cancelled" });
  else say({ type: "turn.failed", message: turn.error });
}

function openRun(state: CodexState, id: string | undefined, emit: Emit) {
  if (id === undefined) return;
  if (id !== state.self.session) state.self = newThread(id, "main");
  state.session = id;
  state.run++;
  state.lists = {};
  state.open = {};
  announce(state.self, undefined, sayAs(state.self, undefined, emit));
}

/** Ids of items start again when a thread is resumed; keys must not. */
function sayInRun(state: CodexState, emit: Emit): Say {
  const say = sayAs(state.self, undefined, emit);
  return (body, key) => say(body, key === undefined || state.run < 2 ? key : `${state.run}.${key}`);
}

function readStreamItem(state: CodexState, record: Fields, emit: Emit) {
  const item = fields(record.item);
  if (!item) return;
  const say = sayInRun(state, emit);
  if (kindOf(item) === "todolist") return readList(state, item, say);
  const phase = String(record.type).slice("item.".length) as Phase;
  readItem(state, state.self, item, phase, say);
  if (phase !== "completed") return;
  for (const id of spawned(item)) {
    const child = openChild(state.self, id);
    announce(child, undefined, sayAs(child, undefined, emit));
  }
}

/** The end of a turn repeats the last list, whatever is open in it: that is not a write. */
function readList(state: CodexState, item: Fields, say: Say) {
  const id = text(item.id);
  const entries = list(item.items);
  if (id === undefined || !entries) return;
  const before = kept(state.lists, id) ?? { count: 0, last: "" };
  const last = printOf(entries);
  if (last === before.last) return;
  const count = before.count + 1;
  keep(state.lists, id, { count, last });
  const read: StreamItem[] = items(entries, { text: ["text"], status: ["completed"] }, (body) =>
    say(body),
  );
  say({ type: "todo_list", todoId: id, items: read }, `${id}.${count}`);
}

function messageOf(error: unknown): string {
  return text(fields(error)?.message) ?? text(error) ?? "the turn failed";
}
