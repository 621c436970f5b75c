import type { Emit } from "../agent.ts";
import { recall, remember } from "../common/memory.ts";
import { countOnce, keyOf, type UsageShape, usageOf } from "../common/usage.ts";
import { type Fields, fields, number, text } from "../common/values.ts";
import { contextOf, type OpencodeState } from "./state.ts";

/** Input excludes the cache. Reasoning is part of the output or beside it, which the total shows. */
const STEP: UsageShape = {
  input: ["input"],
  output: ["output"],
  cacheRead: "read",
  cacheWrite: "write",
  reasoning: "reasoning",
  total: "total",
};

/** The same in SQL, by message. A message has one step. */
const MESSAGES = `SELECT id, session_id, at, model, input, cache_read, cache_write, reasoning,
  output + CASE WHEN total >= input + cache_read + cache_write + output + reasoning THEN reasoning ELSE 0 END AS output
  FROM (SELECT id, session_id, time_created AS at, json_extract(data, '$.modelID') AS model,
    coalesce(json_extract(data, '$.tokens.total'), 0) AS total,
    coalesce(json_extract(data, '$.tokens.input'), 0) AS input,
    coalesce(json_extract(data, '$.tokens.output'), 0) AS output,
    coalesce(json_extract(data, '$.tokens.reasoning'), 0) AS reasoning,
    coalesce(json_extract(data, '$.tokens.cache.read'), 0) AS cache_read,
    coalesce(json_extract(data, '$.tokens.cache.write'), 0) AS cache_write
    FROM (SELECT * FROM message WHERE json_valid(data)) WHERE json_extract(data, '$.role') = 'assistant')
  WHERE input + output + cache_read + cache_write > 0`;

/**
 * Usage by session, model and quarter of an hour, before and after the last list write: only the list after it is
 * known.
 */
export const USAGE_SQL = `SELECT u.session_id, u.model, min(u.at) AS at, sum(input) AS input, sum(output) AS output,
  sum(reasoning) AS reasoning, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, count(*) AS requests
  FROM (${MESSAGES}) AS u
  LEFT JOIN (SELECT session_id, max(time_updated) AS listed FROM todo GROUP BY session_id) AS t
    ON t.session_id = u.session_id
  GROUP BY u.session_id, u.model, u.at / 900000, u.at >= coalesce(t.listed, 0) ORDER BY min(u.at)`;

/** Usage by message. */
export const USAGE_HISTORY_SQL = `SELECT *, 1 AS requests FROM (${MESSAGES}) ORDER BY at, id`;

/** Reads a row of one of the queries. */
export function readUsageRow(state: OpencodeState, row: Fields, emit: Emit): void {
  const session = text(row.session_id);
  const usage = usageOf(row, {
    input: ["input"],
    output: ["output"],
    cacheRead: "cache_read",
    cacheWrite: "cache_write",
    reasoning: "reasoning",
  });
  if (session === undefined || !usage) return;
  const at = number(row.at);
  const model = text(row.model);
  const requests = number(row.requests) ?? 1;
  emit(
    { type: "usage", ...(model !== undefined && { model }), usage: { ...usage, requests } },
    { ...contextOf(state, session), key: `${at}.${model}`, at },
  );
}

/** Reads the end of a step in live output. A database has the usage in its messages. */
export function readStep(
  state: OpencodeState,
  part: Fields,
  session: string,
  at: number | undefined,
  emit: Emit,
): void {
  const tokens = fields(part.tokens);
  if (state.document || !tokens) return;
  const usage = usageOf({ ...tokens, ...fields(tokens.cache) }, STEP);
  if (!usage) return;
  const id = text(part.id);
  // The server reports a part again when it changes.
  const added = id === undefined ? usage : countOnce(state.counted, id, usage);
  const model = recall(state.models, session);
  if (added)
    emit(
      { type: "usage", ...(model !== undefined && { model }), usage: added },
      { ...contextOf(state, session), key: id && keyOf(id, usage, added), at },
    );
}

/** Notes the model of a message, which its steps do not name. */
export function noteModel(state: OpencodeState, info: Fields): void {
  const session = text(info.sessionID);
  const model = text(info.modelID);
  if (session !== undefined && model !== undefined) remember(state.models, session, model);
}
