import type { DatabaseFormat, Emit } from "../agent.ts";
import { forget, hashOf, recall, remember } from "../common/memory.ts";
import { type Fields, fields, list, number, parsed, text } from "../common/values.ts";
import { emitStarted } from "./session.ts";
import { contextOf, type OpencodeState, startState } from "./state.ts";
import { emitList, WRITE_TOOL } from "./todo-write.ts";
import { readUsageRow, USAGE_HISTORY_SQL, USAGE_SQL } from "./usage.ts";

/** Every version with a database has these columns. */
const ROWS_SQL = {
  sessions:
    "SELECT id, parent_id, title, directory, version, time_created, time_updated FROM session ORDER BY time_created",
  todos:
    "SELECT session_id, content, status, priority, position, time_updated FROM todo ORDER BY session_id, position",
  parts:
    "SELECT id, message_id, session_id, time_created, time_updated, data FROM part ORDER BY time_created, id",
  /** The parts of the last ten minutes, for the current state. */
  newest:
    "SELECT id, message_id, session_id, time_created, time_updated, data FROM part WHERE time_updated >= (SELECT max(time_updated) FROM part) - 600000 ORDER BY time_created, id",
  /** The parts that mention the id of a call; larger ones would not fit into memory. */
  call: "SELECT id, message_id, session_id, time_created, time_updated, data FROM part WHERE length(data) < 33554432 AND instr(data, ?) > 0 ORDER BY time_created, id",
} as const;

export const database: DatabaseFormat<OpencodeState> = {
  queries: {
    sessions: ROWS_SQL.sessions,
    todos: ROWS_SQL.todos,
    recent: ROWS_SQL.newest,
    usageSums: USAGE_SQL,
  },
  history: {
    sessions: ROWS_SQL.sessions,
    todos: ROWS_SQL.todos,
    parts: ROWS_SQL.parts,
    usage: USAGE_HISTORY_SQL,
  },
  call: { sessions: ROWS_SQL.sessions, parts: ROWS_SQL.call },
  optional: ["usage", "usageSums"],
  // List calls are skipped: the rows of `todo` have the current lists.
  records: ({ sessions = [], todos = [], parts = [], recent = [], usage = [], usageSums = [] }) =>
    recordsOfRows({
      sessions,
      todos,
      parts: [...parts, ...recent.filter((row) => !isWrite(row))],
      usage,
      usageSums,
    }),
  // Without the hashes, so that every list is emitted again.
  resume: ({ lists }) => ({
    ...startState({ kind: "document" }),
    lists: lists.map(([session, { count }]) => [session, { hash: "", count }]),
  }),
};

export interface Rows {
  readonly sessions: readonly unknown[];
  readonly todos: readonly unknown[];
  /** The history of calls, if requested. */
  readonly parts?: readonly unknown[];
  /** Usage by message, if requested. */
  readonly usage?: readonly unknown[];
  /** Usage by quarter of an hour. */
  readonly usageSums?: readonly unknown[];
}

/** Converts rows into records for the decoder: the sessions, their parts, and last the current lists. */
export function recordsOfRows({
  sessions,
  todos,
  parts = [],
  usage = [],
  usageSums = [],
}: Rows): readonly unknown[] {
  const lists = new Map<string, Fields[]>();
  for (const row of todos) {
    const todo = fields(row);
    const session = text(todo?.session_id);
    if (!todo || session === undefined) continue;
    const known = lists.get(session);
    if (known) known.push(todo);
    else lists.set(session, [todo]);
  }
  const known = parentsFirst(sessions);
  return [
    ...(parts.length + usage.length > 0 ? known.map((row) => ({ opencode: "session", row })) : []),
    ...inOrder(parts, usage),
    ...known.map((row) => ({
      opencode: "session",
      row,
      todos: (lists.get(text(row.id) ?? "") ?? []).toSorted(
        (a, b) => (number(a.position) ?? 0) - (number(b.position) ?? 0),
      ),
    })),
    // After the lists, so that it counts for their todos.
    ...usageSums.map((row) => ({ opencode: "usage", row })),
  ];
}

/** The parts with the usage of the message before each of them. */
function inOrder(parts: readonly unknown[], usage: readonly unknown[]): readonly unknown[] {
  const timeOf = (row: unknown, name: string) => number(fields(row)?.[name]) ?? 0;
  let next = 0;
  const before = (time: number): unknown[] => {
    const from = next;
    while (next < usage.length && timeOf(usage[next], "at") <= time) next++;
    return usage.slice(from, next).map((row) => ({ opencode: "usage", row }));
  };
  return [
    ...parts.flatMap((row) => [...before(timeOf(row, "time_created")), ...partRecord(fields(row))]),
    ...before(Number.POSITIVE_INFINITY),
  ];
}

/** Reads one record of `recordsOfRows`. */
export function readRows(state: OpencodeState, record: Fields, emit: Emit): void {
  const row = fields(record.row);
  if (row && record.opencode === "usage") {
    readUsageRow(state, row, emit);
    return;
  }
  const id = text(row?.id);
  if (!row || id === undefined) return;
  emitStarted(
    state,
    {
      id,
      parent: text(row.parent_id),
      cwd: text(row.directory),
      version: text(row.version),
      title: text(row.title),
      at: number(row.time_created),
    },
    emit,
  );
  const todos = list(record.todos);
  if (todos) readList(state, id, row, todos, emit);
}

/** Emits the list of a session. A write replaces all rows, so each row has the time of the write. */
function readList(
  state: OpencodeState,
  id: string,
  row: Fields,
  todos: readonly unknown[],
  emit: Emit,
): void {
  const hash = hashOf(todos);
  const known = recall(state.lists, id);
  if (known?.hash === hash || (todos.length === 0 && !known)) return;
  if (todos.length > 0) remember(state.lists, id, { hash, count: (known?.count ?? 0) + 1 });
  else forget(state.lists, id);
  const written = number(fields(todos[0])?.time_updated);
  const at = todos.length > 0 ? written : number(row.time_updated);
  emitList(todos, { ...contextOf(state, id), key: `rows-${at ?? hash}`, at }, emit);
}

/** Whether a part is a successful list write. The rows of `todo` have its result. */
function isWrite(row: unknown): boolean {
  const part = fields(parsed(fields(row)?.data));
  return part?.tool === WRITE_TOOL && fields(part.state)?.status !== "error";
}

/** Types of parts in the live stream. */
const STREAM_TYPES: Readonly<Record<string, string>> = {
  tool: "tool_use",
  "step-start": "step_start",
  "step-finish": "step_finish",
  compaction: "compaction",
};

function partRecord(row: Fields | undefined): unknown[] {
  const part = fields(parsed(row?.data));
  const given = text(part?.type) ?? "";
  const type = Object.hasOwn(STREAM_TYPES, given) ? STREAM_TYPES[given] : undefined;
  if (!row || type === undefined) return [];
  return [
    {
      type,
      timestamp: row.time_updated,
      sessionID: row.session_id,
      part: { ...part, id: row.id, messageID: row.message_id, sessionID: row.session_id },
    },
  ];
}

/** Sorts sessions so that the parent of a subagent comes before it. */
function parentsFirst(sessions: readonly unknown[]): Fields[] {
  const rows = sessions.map(fields).filter((row) => row !== undefined);
  const byId = new Map(rows.map((row) => [text(row.id), row]));
  const sorted = new Set<Fields>();
  for (const row of rows) {
    const ancestors: Fields[] = [];
    let next: Fields | undefined = row;
    while (next && !sorted.has(next) && !ancestors.includes(next)) {
      ancestors.unshift(next);
      const parent: string | undefined = text(next.parent_id);
      next = parent === undefined ? undefined : byId.get(parent);
    }
    for (const found of ancestors) sorted.add(found);
  }
  return [...sorted];
}
