import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { hashOf } from "../common/memory.ts";
import { type Fields, fields, items, list, text } from "../common/values.ts";
import { kindOf, openChild, type Phase, readItem, spawned } from "./items.ts";
import {
  announce,
  type CodexState,
  get,
  newThread,
  put,
  type ThreadEmit,
  threadEmit,
} from "./state.ts";
import { readTurnUsage } from "./usage.ts";

/** Whether a record is an event of `codex exec --json`. */
export function isStreamEvent(record: Fields): boolean {
  const type = text(record.type) ?? "";
  if (type === "thread.started") return text(record.thread_id) !== undefined;
  return /^item\.(?:started|updated|completed)$/.test(type) && fields(record.item) !== undefined;
}

export function mayBeStreamEvent(record: Fields): boolean {
  return /^(?:turn\.(?:started|completed|failed)|error)$/.test(text(record.type) ?? "");
}

export function readStreamEvent(state: CodexState, record: Fields, emit: Emit) {
  const send = runEmit(state, emit);
  switch (record.type) {
    case "thread.started":
      return openRun(state, text(record.thread_id), emit);
    case "turn.started":
      state.self.turn = { prompted: true };
      return send({ type: "turn.started" });
    case "turn.completed":
      delete state.self.turn;
      readTurnUsage(state.self, fields(record.usage), send);
      return send({ type: "turn.completed" });
    case "turn.failed":
      delete state.self.turn;
      return send({ type: "turn.failed", message: messageOf(record.error) });
    case "error":
      // Codex may retry after an error. Only the end of the turn shows whether it failed.
      if (state.self.turn) state.self.turn.error = text(record.message) ?? "unknown error";
      return;
    case "item.started":
    case "item.updated":
    case "item.completed":
      return readStreamItem(state, record, emit);
  }
}

/** Ends an open turn: after a signal, the stream ends without an event for it. */
export function endStream(state: CodexState, emit: Emit) {
  const { turn } = state.self;
  if (!turn) return;
  delete state.self.turn;
  const send = runEmit(state, emit);
  if (turn.error === undefined) send({ type: "turn.cancelled" });
  else send({ type: "turn.failed", message: turn.error });
}

function openRun(state: CodexState, id: string | undefined, emit: Emit) {
  if (id === undefined) return;
  if (id !== state.self.session) state.self = newThread(id, "main");
  state.session = id;
  state.run++;
  state.lists = {};
  state.open = {};
  announce(state.self, undefined, threadEmit(state.self, undefined, emit));
}

/** Adds the run to keys, because item ids restart when a thread is resumed. */
function runEmit(state: CodexState, emit: Emit): ThreadEmit {
  const send = threadEmit(state.self, undefined, emit);
  return (body, key) =>
    send(body, key === undefined || state.run < 2 ? key : `${state.run}.${key}`);
}

function readStreamItem(state: CodexState, record: Fields, emit: Emit) {
  const item = fields(record.item);
  if (!item) return;
  const send = runEmit(state, emit);
  if (kindOf(item) === "todolist") return readList(state, item, send);
  const phase = String(record.type).slice("item.".length) as Phase;
  readItem(state, state.self, item, phase, send);
  if (phase !== "completed") return;
  for (const id of spawned(item)) {
    const child = openChild(state.self, id);
    announce(child, undefined, threadEmit(child, undefined, emit));
  }
}

/** The end of a turn repeats the last list. That is not a write. */
function readList(state: CodexState, item: Fields, send: ThreadEmit) {
  const id = text(item.id);
  const entries = list(item.items);
  if (id === undefined || !entries) return;
  const before = get(state.lists, id) ?? { count: 0, last: "" };
  const last = hashOf(entries);
  if (last === before.last) return;
  const count = before.count + 1;
  put(state.lists, id, { count, last });
  const read: StreamItem[] = items(entries, { text: ["text"], status: ["completed"] }, (body) =>
    send(body),
  );
  send({ type: "todo_list", todoId: id, items: read }, `${id}.${count}`);
}

function messageOf(error: unknown): string {
  return text(fields(error)?.message) ?? text(error) ?? "the turn failed";
}
