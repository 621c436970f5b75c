import type { DatabaseFormat, Emit } from "../agent.ts";
import { recall, remember } from "../common/memory.ts";
import { addSubagent, parentOf, todoIdOf } from "../common/subagents.ts";
import { type UsageShape, usageOf } from "../common/usage.ts";
import { type Fields, fields, list, number, parsed, text } from "../common/values.ts";
import { readEntry } from "./entries.ts";
import { emitSteps } from "./lists.ts";
import { contextOf, type OpenclawState, type SessionState, startSession } from "./state.ts";

/** A session continues under the same key with a new id when its conversation is reset. */
const SESSIONS = `SELECT w.session_id, w.session_key, w.model, w.created_at, n.label, n.current_session_id,
  coalesce(n.display_name, w.display_name) AS display_name, coalesce(n.spawned_by, w.spawned_by) AS spawned_by
  FROM session_windows AS w JOIN session_nodes AS n ON n.session_key = w.session_key ORDER BY w.created_at`;

const CARDS = `SELECT n.current_session_id AS session_id, c.steps_json, c.markdown, c.revision, c.updated_at
  FROM session_progress_cards AS c JOIN session_nodes AS n ON n.session_key = c.session_key`;

const EVENTS =
  "SELECT session_id, seq, created_at, event_json, event_zstd FROM transcript_events AS e";

/** The events of the last ten minutes, and the first and last ones of every session. */
const RECENT = `${EVENTS} WHERE created_at >= (SELECT max(created_at) FROM transcript_events) - 600000 OR seq <= 6
  OR seq >= (SELECT max(seq) FROM transcript_events AS l WHERE l.session_id = e.session_id) - 2 ORDER BY session_id, seq`;

/** Usage by session, model and quarter of an hour, before and after the last list write. */
const USAGE = `SELECT u.session_id, u.model, min(u.at) AS at, sum(u.input) AS input, sum(u.output) AS output,
  sum(u.reasoning) AS reasoningTokens, sum(u.cache_read) AS cacheRead, sum(u.cache_write) AS cacheWrite, count(*) AS requests
  FROM (SELECT session_id, created_at AS at, json_extract(event_json, '$.message.model') AS model,
    coalesce(json_extract(event_json, '$.message.usage.input'), 0) AS input,
    coalesce(json_extract(event_json, '$.message.usage.output'), 0) AS output,
    coalesce(json_extract(event_json, '$.message.usage.reasoningTokens'), 0) AS reasoning,
    coalesce(json_extract(event_json, '$.message.usage.cacheRead'), 0) AS cache_read,
    coalesce(json_extract(event_json, '$.message.usage.cacheWrite'), 0) AS cache_write
    FROM (SELECT * FROM transcript_events WHERE event_json IS NOT NULL AND json_valid(event_json))
    WHERE json_extract(event_json, '$.message.role') = 'assistant') AS u
  LEFT JOIN (${CARDS}) AS c ON c.session_id = u.session_id
  WHERE u.input + u.output + u.cache_read + u.cache_write > 0
  GROUP BY u.session_id, u.model, u.at / 900000, u.at >= coalesce(c.updated_at, 0) ORDER BY min(u.at)`;

/** Compressed answers of the model, whose usage SQL cannot read. */
const PACKED = `${EVENTS} WHERE event_zstd IS NOT NULL
  AND json_extract(navigation_json, '$.navigation.message.role') = 'assistant' ORDER BY session_id, seq`;

export const database: DatabaseFormat<OpenclawState> = {
  queries: { sessions: SESSIONS, recent: RECENT, cards: CARDS, usage: USAGE, packed: PACKED },
  history: {
    sessions: SESSIONS,
    events: `${EVENTS} ORDER BY created_at, session_id, seq`,
    cards: CARDS,
  },
  call: {
    sessions: SESSIONS,
    events: `${EVENTS} WHERE instr(event_json, ?) > 0 ORDER BY session_id, seq`,
  },
  zstd: ["event_zstd"],
  records({ sessions = [], recent = [], events = [], cards = [], usage = [], packed = [] }) {
    const event = (row: unknown, isRecent: boolean) => ({ openclaw: "event", row, isRecent });
    return [
      ...parentsFirst(sessions).map((row) => ({ openclaw: "session", row })),
      ...events.map((row) => event(row, false)),
      ...recent.map((row) => event(row, true)),
      ...cards.map((row) => ({ openclaw: "card", row })),
      // After the lists, so that it counts for their todos.
      ...usage.map((row) => ({ openclaw: "usage", row })),
      ...packed.map((row) => ({ openclaw: "packed", row })),
    ];
  },
};

/** Names the session of the parent, and puts it before its subagents. */
function parentsFirst(rows: readonly unknown[]): readonly Fields[] {
  const sessions = rows.flatMap((row) => {
    const session = fields(row);
    return session ? [session] : [];
  });
  const byKey = new Map(
    sessions.map((row) => [text(row.session_key), text(row.current_session_id)]),
  );
  const parents = new Map(
    sessions.map((row) => [text(row.session_id), byKey.get(text(row.spawned_by) ?? "")]),
  );
  const depthOf = (id: string | undefined): number => {
    let depth = 0;
    for (let at = parents.get(id); at !== undefined && depth < 20; at = parents.get(at)) depth++;
    return depth;
  };
  return sessions
    .map((row) => ({
      row,
      parent: parents.get(text(row.session_id)),
      depth: depthOf(text(row.session_id)),
    }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ row, parent }) => ({ ...row, ...(parent !== undefined && { parent }) }));
}

/** Reads one record of `records`. */
export function readRows(state: OpenclawState, record: Fields, emit: Emit): void {
  const row = fields(record.row);
  const id = text(row?.session_id);
  if (!row || id === undefined) return;
  switch (record.openclaw) {
    case "session":
      readSession(state, row, id, emit);
      return;
    case "event":
      readEvent(state, row, id, record.isRecent === true, emit);
      return;
    case "card":
      readCard(state, row, id, emit);
      return;
    case "usage":
      emitUsage(state, row, id, number(row.at), text(row.model), number(row.requests), emit);
      return;
    case "packed": {
      const message = fields(fields(eventOf(row))?.message);
      const used = fields(message?.usage);
      if (used) emitUsage(state, used, id, number(row.created_at), text(message?.model), 1, emit);
      return;
    }
  }
}

function readSession(state: OpenclawState, row: Fields, id: string, emit: Emit): void {
  const parent = text(row.parent);
  if (parent !== undefined) addSubagent(state.subagents, id, parent);
  const parentId = parentOf(state.subagents, id);
  const label = text(row.label);
  const title = label ?? text(row.display_name);
  const model = text(row.model);
  emit(
    {
      type: "session.started",
      ...(model !== undefined && { model }),
      ...(title !== undefined && { title }),
      ...(parentId !== undefined && { parentId }),
      ...(parentId !== undefined && label !== undefined && { name: label }),
    },
    { ...contextOf(state, id), key: `row-${id}`, at: number(row.created_at) },
  );
}

/** The event of a row, or undefined if it is compressed and cannot be read. */
function eventOf(row: Fields): unknown {
  return parsed(text(row.event_json) ?? text(row.event_zstd));
}

function readEvent(
  state: OpenclawState,
  row: Fields,
  id: string,
  isRecent: boolean,
  emit: Emit,
): void {
  const context = contextOf(state, id);
  const event = fields(eventOf(row));
  if (!event) {
    const at = number(row.created_at);
    const message = "a compressed event cannot be read; Node 22.15 and later can read it";
    emit({ type: "warning", code: "unknown_record", message }, { ...context, at });
    return;
  }
  const session: SessionState =
    recall(state.sessions, id) ?? startSession({ kind: "document", session: id });
  remember(state.sessions, id, session);
  readEntry(session, event, (body, given) => {
    // Queries add up the usage of all events.
    if (body.type !== "usage" || !isRecent) emit(body, { ...given, ...context });
  });
}

/** Emits the list of a session. A card that was cleared has no steps. */
function readCard(state: OpenclawState, row: Fields, id: string, emit: Emit): void {
  const steps = row.steps_json === null ? [] : list(parsed(row.steps_json));
  if (!steps) return;
  const context = contextOf(state, id);
  const key = `card-${row.revision}-${row.updated_at}`;
  emitSteps(
    steps,
    text(row.markdown),
    todoIdOf(context),
    { ...context, key, at: number(row.updated_at) },
    emit,
  );
}

const SHAPE: UsageShape = {
  input: ["input"],
  output: ["output"],
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite",
  reasoning: "reasoningTokens",
};

function emitUsage(
  state: OpenclawState,
  given: Fields,
  id: string,
  at: number | undefined,
  model: string | undefined,
  requests: number | undefined,
  emit: Emit,
): void {
  const usage = usageOf(given, SHAPE);
  if (!usage) return;
  emit(
    {
      type: "usage",
      ...(model !== undefined && { model }),
      usage: { ...usage, requests: requests ?? 1 },
    },
    { ...contextOf(state, id), key: `${at}.${model}`, at },
  );
}
