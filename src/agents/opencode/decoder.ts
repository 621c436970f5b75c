import type { Decoder, Emit } from "../agent.ts";
import { hashOf, recall, remember } from "../common/memory.ts";
import { fields, list, text } from "../common/values.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { readPart } from "./parts.ts";
import { database, readRows } from "./rows.ts";
import { readInfo } from "./session.ts";
import { contextOf, type OpencodeState, startState } from "./state.ts";
import { readRun, readServer } from "./stream.ts";
import { emitList } from "./todo-write.ts";

export const opencode: Decoder<OpencodeState> = {
  ...identity,
  // Sessions are in a database, formerly in documents.
  needles: [],
  score,
  start: startState,
  read,
  locations: locations,
  database,
};

function read(state: OpencodeState, record: unknown, emit: Emit): void {
  const todos = list(record);
  if (todos) {
    if (state.document) readTodoFile(state, todos, emit);
    return;
  }
  const given = fields(record);
  if (!given) return;
  // The global event stream of the server wraps each event.
  const event = fields(given.payload) ?? given;
  const type = text(event.type);
  const properties = fields(event.properties);
  if (given.opencode === "session" || given.opencode === "usage") readRows(state, given, emit);
  else if (type !== undefined && properties)
    readServer(state, type, properties, text(event.id), emit);
  else if (given.part !== undefined || given.type === "error") readRun(state, given, emit);
  else if (type === "tool" || type === "text")
    readPart(state, given, text(given.sessionID) ?? state.session, undefined, emit);
  else if (isSession(given.id)) readInfo(state, given, emit);
}

/** Reads a list file of old versions. It has the whole list and is read again after each change. */
function readTodoFile(state: OpencodeState, todos: readonly unknown[], emit: Emit): void {
  const session = state.session;
  const hash = hashOf(todos);
  const known = recall(state.lists, session);
  if (known?.hash === hash) return;
  const count = (known?.count ?? 0) + 1;
  remember(state.lists, session, { hash, count });
  emitList(todos, { ...contextOf(state, session), key: `file-${count}-${hash}` }, emit);
}

function score(record: unknown): 0 | 1 | 2 {
  const first = list(record)?.[0];
  if (first !== undefined) {
    const todo = fields(first);
    return text(todo?.content) && text(todo?.priority) && text(todo?.status) ? 1 : 0;
  }
  const given = fields(record);
  if (!given) return 0;
  const event = fields(given.payload) ?? given;
  const properties = fields(event.properties);
  if (properties) {
    if (isSession(properties.sessionID) || isSession(fields(properties.info)?.id)) return 2;
    return event.type === "server.connected" || event.type === "server.heartbeat" ? 2 : 0;
  }
  if (isSession(given.sessionID)) return given.part || given.type === "error" ? 2 : 1;
  return isSession(given.id) || given.opencode === "session" ? 2 : 0;
}

function isSession(id: unknown): boolean {
  return text(id)?.startsWith("ses_") === true;
}
