import type { DatabaseShape, Emit } from "../agent.ts";
import { forget, printOf, recall, remember } from "../common/memory.ts";
import { type Fields, fields, list, number, parsed, text } from "../common/values.ts";
import { emitStarted } from "./session.ts";
import { about, type OpencodeState, startState } from "./state.ts";
import { emitList, WRITE_TOOL } from "./todo-write.ts";

/** Every version that has a database has these columns. */
const ROWS_SQL = {
  sessions:
    "SELECT id, parent_id, title, directory, version, time_created, time_updated FROM session ORDER BY time_created",
  todos:
    "SELECT session_id, content, status, priority, position, time_updated FROM todo ORDER BY session_id, position",
  parts:
    "SELECT id, message_id, session_id, time_created, time_updated, data FROM part ORDER BY time_created, id",
  /** What went on in the last minutes tells what goes on now. */
  newest:
    "SELECT id, message_id, session_id, time_created, time_updated, data FROM part WHERE time_updated >= (SELECT max(time_updated) FROM part) - 600000 ORDER BY time_created, id",
} as const;

export const database: DatabaseShape<OpencodeState> = {
  queries: { sessions: ROWS_SQL.sessions, todos: ROWS_SQL.todos, recent: ROWS_SQL.newest },
  history: { sessions: ROWS_SQL.sessions, todos: ROWS_SQL.todos, parts: ROWS_SQL.parts },
  // How the lists came about is not asked for, and their rows say how they are.
  records: ({ sessions = [], todos = [], parts = [], recent = [] }) =>
    recordsOfRows({ sessions, todos, parts: [...parts, ...recent.filter((row) => !isWrite(row))] }),
  // Without the fingerprints: a list that is still there is read again, changed or not.
  resume: ({ lists }) => ({
    ...startState({ kind: "document" }),
    lists: lists.map(([session, { count }]) => [session, { print: "", count }]),
  }),
};

export interface Rows {
  readonly sessions: readonly unknown[];
  readonly todos: readonly unknown[];
  /** The history of the calls, where it is wanted. */
  readonly parts?: readonly unknown[];
}

/**
 * Records that the dialect reads: the sessions, what happened in them, and the lists as they are
 * now, which is the last word on them.
 */
export function recordsOfRows({ sessions, todos, parts = [] }: Rows): readonly unknown[] {
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
    ...(parts.length > 0 ? known.map((row) => ({ opencode: "session", row })) : []),
    ...parts.flatMap((row) => partRecord(fields(row))),
    ...known.map((row) => ({
      opencode: "session",
      row,
      todos: (lists.get(text(row.id) ?? "") ?? []).toSorted(
        (a, b) => (number(a.position) ?? 0) - (number(b.position) ?? 0),
      ),
    })),
  ];
}

/** Reads one record of `recordsOfRows`. */
export function readRows(state: OpencodeState, record: Fields, emit: Emit): void {
  const row = fields(record.row);
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

/** A write deletes all rows and inserts the new ones, so all of them have its time. */
function readList(
  state: OpencodeState,
  id: string,
  row: Fields,
  todos: readonly unknown[],
  emit: Emit,
): void {
  const print = printOf(todos);
  const seen = recall(state.lists, id);
  if (seen?.print === print || (todos.length === 0 && !seen)) return;
  if (todos.length > 0) remember(state.lists, id, { print, count: (seen?.count ?? 0) + 1 });
  else forget(state.lists, id);
  const written = number(fields(todos[0])?.time_updated);
  const at = todos.length > 0 ? written : number(row.time_updated);
  emitList(todos, { ...about(state, id), key: `rows-${at ?? print}`, at }, emit);
}

/** A list write that was not refused: the rows of the list have its outcome. */
function isWrite(row: unknown): boolean {
  const part = fields(parsed(fields(row)?.data));
  return part?.tool === WRITE_TOOL && fields(part.state)?.status !== "error";
}

/** What a part would be called in the live stream. */
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

/** A subagent can only be placed once its parent is known. */
function parentsFirst(sessions: readonly unknown[]): Fields[] {
  const rows = sessions.map(fields).filter((row) => row !== undefined);
  const byId = new Map(rows.map((row) => [text(row.id), row]));
  const sorted = new Set<Fields>();
  for (const row of rows) {
    const line: Fields[] = [];
    let next: Fields | undefined = row;
    while (next && !sorted.has(next) && !line.includes(next)) {
      line.unshift(next);
      const parent: string | undefined = text(next.parent_id);
      next = parent === undefined ? undefined : byId.get(parent);
    }
    for (const found of line) sorted.add(found);
  }
  return [...sorted];
}
