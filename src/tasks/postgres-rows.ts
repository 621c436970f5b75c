import { DAY } from "../core/text/duration.ts";
import type { Query, Row } from "../engines/postgres/server.ts";
import {
  claimedOfRow,
  eventOfRow,
  number,
  numberIn,
  outcomeOfRow,
  queueOf,
  queueValues,
  taskOf,
  waitingOfRow,
} from "./columns.ts";
import {
  PRIORITIES,
  type QueueState,
  type Task,
  type TaskEvent,
  type TaskSender,
  type TaskStatus,
  taskId,
  taskNumber,
} from "./model.ts";
import type { NamedOp } from "./rules/decide.ts";
import type { Edges } from "./rules/graph.ts";
import { type Needs, needsOf, type Slice } from "./rules/needs.ts";
import { WORTH_RENEWING } from "./rules/observed-lease.ts";
import { isStoredDelayed } from "./rules/queue/state.ts";
import {
  MOST_CLOSED,
  MOST_EVENTS,
  MOST_READY,
  OUTCOME_TYPES,
  type StatsInput,
  windowStart,
} from "./rules/queue/stats.ts";
import type { TaskCounts, TaskEventFilter, TaskFilter } from "./store.ts";

/** Prefix of generated keys, which no caller can send. */
const MADE_UP = "\u0001";
const GRAPH = 0x57594d4c;

let ownName: string | undefined;
let drawn = 0;

/** Ordered by time, so that the index of keys grows at its end. */
export function generateKey(): string {
  ownName ??= process.getBuiltinModule("node:crypto").randomBytes(9).toString("base64url");
  drawn += 1;
  return `${MADE_UP}${Date.now().toString(36)}${ownName}${drawn.toString(36)}`;
}

export function isGeneratedKey(key: string): boolean {
  return key.startsWith(MADE_UP);
}

export function eventOf(row: Row): TaskEvent {
  const event = eventOfRow(row);
  if (event.key === undefined || !isGeneratedKey(event.key)) return event;
  const { key, ...rest } = event;
  return rest;
}

const LAPSED = "status = 'claimed' AND lease_until <= clock.now";
const FREE = `${LAPSED} AND attempts < max_attempts`;
const DUE = "(not_before IS NULL OR not_before <= clock.now)";
const UNBLOCKED = `blockers = 0 AND (status = 'open' OR (${FREE}))`;
const CLOCK = "(SELECT waymark.now_ms() AS now) AS clock";

export interface Found {
  readonly tasks: Task[];
  /** Time of the query by the server's clock. */
  readonly now: number;
}

const STANDS: Readonly<Record<TaskStatus, string>> = {
  open: `(status = 'open' OR (${FREE}))`,
  claimed: "status = 'claimed' AND lease_until > clock.now",
  failed: `(status = 'failed' OR (${LAPSED} AND attempts >= max_attempts))`,
  done: "status = 'done'",
  cancelled: "status = 'cancelled'",
};

function found(rows: readonly Row[]): Found {
  return { tasks: rows.map(taskOf), now: Number(rows[0]?.now ?? 0) };
}

const most = (limit: number | undefined) => (limit === undefined ? null : Math.max(0, limit));

export async function listTasks(query: Query, filter: TaskFilter): Promise<Found> {
  const { status, owner, label, parent, blockedBy, limit, after } = filter;
  const conditions = ["true"];
  const values: unknown[] = [];
  const add = (condition: string, value: unknown) => {
    values.push(value);
    conditions.push(condition.replace("$", `$${values.length}`));
  };
  if (status !== undefined) conditions.push(STANDS[status]);
  if (owner !== undefined) add(`owner = $ AND NOT (${FREE})`, owner);
  if (label !== undefined) add("labels ? $", label);
  if (after !== undefined) add("num > $", taskNumber(after) ?? 0);
  if (parent !== undefined) add("parent = $", taskNumber(parent) ?? 0);
  if (blockedBy !== undefined)
    add(
      "num IN (SELECT task FROM waymark.task_blockers WHERE blocker = $)",
      taskNumber(blockedBy) ?? 0,
    );
  values.push(most(limit));
  return found(
    await query(
      `SELECT tasks.*, clock.now FROM waymark.tasks, ${CLOCK} WHERE ${conditions.join(" AND ")}
        ORDER BY num LIMIT $${values.length}`,
      values,
    ),
  );
}

/** The order of ready tasks; `$3` is the aging, which the plan leaves out if there is none. */
const ORDER = "ORDER BY created_at + priority * coalesce($3::bigint, 0), priority, created_at, num";
const PLAIN_ORDER = "ORDER BY priority, created_at, num";

export async function readyTasks(
  query: Query,
  limit: number | undefined,
  label: string | undefined,
): Promise<Found> {
  const { aging } = await readQueue(query);
  const order = aging === undefined ? PLAIN_ORDER : ORDER;
  const part = (condition: string, sorted: string) =>
    `(SELECT tasks.*, clock.now FROM waymark.tasks, ${CLOCK}
       WHERE ${condition} AND blockers = 0 AND ($2::text IS NULL OR labels ? $2)
       ${sorted} LIMIT $1)`;
  const open = "status = 'open' AND NOT delayed";
  const parts = [
    // Each priority by itself: an index has only one order.
    ...(aging === undefined
      ? [part(open, PLAIN_ORDER)]
      : PRIORITIES.map((each) =>
          part(`${open} AND priority = ${each}`, "ORDER BY created_at, num"),
        )),
    part(`${FREE} AND ${DUE}`, order),
    part("delayed AND not_before <= clock.now", order),
  ];
  const rows = await query(
    `SELECT * FROM (${parts.join(" UNION ALL ")}) AS every ${order} LIMIT $1`,
    [most(limit), label ?? null, ...(aging === undefined ? [] : [aging])],
  );
  return found(rows);
}

const QUEUE = "SELECT paused_at, paused_by, reason, aging FROM waymark.queue WHERE id = 1";

export async function readQueue(query: Query): Promise<QueueState> {
  const [row] = await query(QUEUE);
  return queueOf(row);
}

/** Reads the queue in a transaction that ends with its change. */
export async function lockQueue(
  query: Query,
): Promise<{ readonly state: QueueState; readonly now: number }> {
  const [row] = await query(`SELECT q.*, waymark.now_ms() AS now FROM (${QUEUE} FOR UPDATE) AS q`);
  return { state: queueOf(row), now: Number(row?.now) };
}

export async function writeQueue(query: Query, state: QueueState): Promise<void> {
  await query(
    "UPDATE waymark.queue SET paused_at = $1, paused_by = $2, reason = $3, aging = $4 WHERE id = 1",
    queueValues(state),
  );
}

/** Waits until no other transaction has locked the task. */
export async function lockTask(query: Query, id: string): Promise<void> {
  await query("SELECT FROM waymark.tasks WHERE num = $1 FOR UPDATE", [numberIn(id)]);
}

export async function oneTask(query: Query, id: string): Promise<Found> {
  return found(
    await query(`SELECT tasks.*, clock.now FROM waymark.tasks, ${CLOCK} WHERE num = $1`, [
      taskNumber(id) ?? 0,
    ]),
  );
}

export async function countTasks(query: Query): Promise<TaskCounts> {
  const sum = (condition: string) => `count(*) FILTER (WHERE ${condition})::integer`;
  const columns = Object.entries(STANDS).map(([status, stands]) => `${sum(stands)} AS ${status}`);
  const [row] = await query(
    `SELECT ${columns.join(", ")}, ${sum(`${UNBLOCKED} AND ${DUE}`)} AS ready, ${sum(`${UNBLOCKED} AND NOT ${DUE}`)} AS delayed FROM waymark.tasks, ${CLOCK}`,
  );
  const count = (name: string) => Number(row?.[name] ?? 0);
  return {
    open: count("open"),
    claimed: count("claimed"),
    done: count("done"),
    failed: count("failed"),
    cancelled: count("cancelled"),
    ready: count("ready"),
    delayed: count("delayed"),
  };
}

/** Reads what the figures are computed from. */
export async function statsInput(query: Query, asked: number | undefined): Promise<StatsInput> {
  // Every number comes from an index of its own; the planner would rather read the table for several.
  await query("SET LOCAL enable_seqscan = off");
  const sum = (condition: string) =>
    `(SELECT count(*)::integer FROM waymark.tasks WHERE ${condition})`;
  const oldest = PRIORITIES.map(
    (priority) =>
      `(SELECT created_at FROM waymark.tasks WHERE status = 'open' AND blockers = 0 AND NOT delayed
          AND priority = ${priority} ORDER BY created_at LIMIT 1)`,
  );
  const due = "delayed AND not_before <= clock.now AND blockers = 0";
  const lapsed = `${FREE} AND ${DUE} AND blockers = 0`;
  const [row] = await query(
    `SELECT clock.now, paused_at, paused_by, reason, aging,
        ${sum("status = 'open' AND blockers = 0 AND NOT delayed")} AS listed,
        ${sum(due)} AS due, ${sum("delayed AND not_before > clock.now AND blockers = 0")} AS delayed,
        ${sum("status = 'open'")} AS open, ${sum("status = 'failed'")} AS failed,
        ${sum(STANDS.claimed)} AS claimed, ${sum(FREE)} AS free, ${sum(lapsed)} AS again,
        ${sum(`${FREE} AND NOT ${DUE} AND blockers = 0`)} AS later,
        ${sum(`${LAPSED} AND attempts >= max_attempts`)} AS expired,
        ${sum(`deadline <= clock.now AND deadline IS NOT NULL AND status IN ('open', 'claimed')
          AND NOT (${LAPSED} AND attempts >= max_attempts)`)} AS overdue,
        least(${oldest.join(", ")},
          (SELECT min(created_at) FROM waymark.tasks WHERE ${lapsed}),
          (SELECT min(created_at) FROM waymark.tasks WHERE ${due})) AS oldest
       FROM ${CLOCK} LEFT JOIN waymark.queue ON id = 1`,
  );
  const at = Number(row?.now);
  const from = asked ?? at - DAY;
  const [head] = await query("SELECT coalesce(max(seq), 0) AS last FROM waymark.task_events");
  const after = Number(head?.last) - MOST_EVENTS;
  const [start] = await query(
    "SELECT at FROM waymark.task_events WHERE seq > $1 ORDER BY seq LIMIT 1",
    [after],
  );
  const outcomes = await query(
    `SELECT e.at, e.type, e.actor, t.owner, t.labels, t.created_at, t.claimed_at
       FROM (SELECT * FROM waymark.task_events WHERE seq > $1 AND at >= $2 AND type IN (${OUTCOME_TYPES})
              ORDER BY seq DESC LIMIT ${MOST_CLOSED}) AS e
       JOIN waymark.tasks t ON t.num = e.task ORDER BY e.seq`,
    [after, from],
  );
  const part = (condition: string) =>
    `(SELECT labels, created_at FROM waymark.tasks, ${CLOCK} WHERE ${condition}
       ORDER BY priority, tasks.created_at, num LIMIT ${MOST_READY})`;
  const listed = part("status = 'open' AND blockers = 0 AND NOT delayed");
  const ready = await query(
    `${listed} UNION ALL ${part(lapsed)} UNION ALL ${part(due)} LIMIT ${MOST_READY}`,
  );
  const claimed = await query(
    `SELECT owner, labels FROM waymark.tasks, ${CLOCK} WHERE ${STANDS.claimed}`,
  );
  const count = (name: string) => Number(row?.[name] ?? 0);
  const readyCount = count("listed") + count("due") + count("again");
  const delayed = count("delayed") + count("later");
  return {
    at,
    since: windowStart(
      from,
      { count: after > 0 ? MOST_EVENTS : 0, firstAt: start && Number(start.at) },
      { count: outcomes.length, firstAt: outcomes[0] && Number(outcomes[0].at) },
    ),
    queue: queueOf(row),
    counts: {
      ready: readyCount,
      delayed,
      blocked: count("open") + count("free") - readyCount - delayed,
      claimed: count("claimed"),
      failed: count("failed") + count("expired"),
      overdue: count("overdue"),
    },
    oldestAt: number(row?.oldest) ?? undefined,
    outcomes: outcomes.map(outcomeOfRow),
    ready: ready.map(waitingOfRow),
    claimed: claimed.map(claimedOfRow),
  };
}

/** Deletes at most a thousand tasks that were closed before `keep` milliseconds ago. */
export async function pruneTasks(query: Query, keep: number): Promise<number> {
  // Nothing may begin to refer to a task while it is deleted.
  await query("SELECT pg_advisory_xact_lock($1)", [GRAPH]);
  const rows = await query(
    `SELECT num FROM waymark.tasks AS t
      WHERE status IN ('done', 'cancelled') AND finished_at < waymark.now_ms() - $1::bigint
        AND num < (SELECT max(num) FROM waymark.tasks)
        AND NOT EXISTS (SELECT FROM waymark.task_blockers b WHERE b.blocker = t.num)
        AND NOT EXISTS (SELECT FROM waymark.tasks c WHERE c.parent = t.num)
      ORDER BY num LIMIT 1000 FOR UPDATE SKIP LOCKED`,
    [keep],
  );
  const nums = rows.map((row) => Number(row.num));
  if (nums.length === 0) return 0;
  for (const sql of [
    "DELETE FROM waymark.task_events WHERE task = ANY ($1::bigint[])",
    "DELETE FROM waymark.task_blockers WHERE task = ANY ($1::bigint[])",
    "DELETE FROM waymark.tasks WHERE num = ANY ($1::bigint[])",
  ])
    await query(sql, [nums]);
  return nums.length;
}

export async function listEvents(query: Query, filter: TaskEventFilter): Promise<TaskEvent[]> {
  const { after = 0, task, limit, last } = filter;
  const one = task === undefined ? null : (taskNumber(task) ?? 0);
  const found = `SELECT * FROM waymark.task_events WHERE seq > $1 AND ($2::bigint IS NULL OR task = $2) ORDER BY seq`;
  const rows =
    last === undefined
      ? await query(`${found} LIMIT $3`, [after, one, most(limit)])
      : await query(`SELECT * FROM (${found} DESC LIMIT $4) AS newest ORDER BY seq LIMIT $3`, [
          after,
          one,
          most(limit),
          most(last),
        ]);
  return rows.map(eventOf);
}

export async function eventsOfKey(query: Query, key: string): Promise<TaskEvent[]> {
  const rows = await query("SELECT * FROM waymark.task_events WHERE key = $1 ORDER BY part", [key]);
  return rows.map(eventOf);
}

/** Reads what deciding an op needs and locks its tasks against other changes. */
export async function lockSlice(query: Query, op: NamedOp): Promise<Slice> {
  const needs = needsOf(op);
  if (needs.edges) await query("SELECT pg_advisory_xact_lock($1)", [GRAPH]);
  const { named, byRef } = await lockNamed(query, needs);
  const all = [...named, ...byRef];
  const waits = needs.blockers
    ? await byNumbers(query, all.flatMap(({ blockedBy }) => blockedBy).map(numberIn))
    : [];
  const ids = all.map(({ id }) => numberIn(id));
  const [clock] = await query(
    `SELECT waymark.now_ms() AS now, last_value, is_called, paused_at, paused_by, reason, aging
       FROM waymark.task_numbers LEFT JOIN waymark.queue ON id = 1`,
  );
  const next = Number(clock?.last_value) + (clock?.is_called ? 1 : 0);
  return {
    now: Number(clock?.now),
    queue: queueOf(clock),
    byId: new Map([...waits, ...all].map((task) => [task.id, task])),
    byRef: new Map(byRef.map((task) => [task.ref ?? "", task])),
    blockers: needs.edges ? await blockersAbove(query, ids) : new Map(),
    parents: needs.edges ? await parentsAbove(query, ids) : new Map(),
    numberAt: (place) => next + place,
  };
}

async function lockNamed(query: Query, { names, refs }: Needs) {
  const numbers = names.flatMap((name) => taskNumber(name) ?? []);
  const wanted = [...refs, ...names];
  if (wanted.length === 0) return { named: [], byRef: [] };
  // Locks in the order of numbers, so that two transactions cannot deadlock.
  const rows = await query(
    "SELECT * FROM waymark.tasks WHERE num = ANY ($1::bigint[]) OR (ref IS NOT NULL AND ref = ANY ($2::text[])) ORDER BY num FOR UPDATE",
    [numbers, wanted],
  );
  const tasks = rows.map(taskOf);
  const isNamed = new Set(numbers.map(taskId));
  const isRef = new Set(wanted);
  return {
    named: tasks.filter(({ id }) => isNamed.has(id)),
    byRef: tasks.filter(({ ref }) => ref !== undefined && isRef.has(ref)),
  };
}

async function byNumbers(query: Query, numbers: readonly number[]): Promise<Task[]> {
  if (numbers.length === 0) return [];
  const rows = await query("SELECT * FROM waymark.tasks WHERE num = ANY ($1::bigint[])", [numbers]);
  return rows.map(taskOf);
}

async function blockersAbove(query: Query, numbers: readonly number[]): Promise<Edges> {
  const rows = await query(
    `WITH RECURSIVE above (num) AS (
       SELECT unnest($1::bigint[])
       UNION SELECT blocker FROM waymark.task_blockers JOIN above ON task = above.num)
     SELECT num, blocked_by FROM waymark.tasks WHERE num IN (SELECT num FROM above)`,
    [numbers],
  );
  return new Map(
    rows.map((row) => [taskId(Number(row.num)), (row.blocked_by as number[]).map(taskId)]),
  );
}

async function parentsAbove(query: Query, numbers: readonly number[]): Promise<Edges> {
  const rows = await query(
    `WITH RECURSIVE above (num) AS (
       SELECT unnest($1::bigint[])
       UNION SELECT parent FROM waymark.tasks t JOIN above ON t.num = above.num WHERE parent IS NOT NULL)
     SELECT num, parent FROM waymark.tasks WHERE num IN (SELECT num FROM above) AND parent IS NOT NULL`,
    [numbers],
  );
  return new Map(rows.map((row) => [taskId(Number(row.num)), [taskId(Number(row.parent))]]));
}

export async function newNumbers(query: Query, count: number): Promise<number[]> {
  const rows = await query(
    "SELECT nextval('waymark.task_numbers') AS num FROM generate_series(1, $1)",
    [count],
  );
  return rows.map((row) => Number(row.num));
}

export interface StoredChange {
  readonly before: Task | undefined;
  readonly after: Task;
  readonly event: Omit<TaskEvent, "seq">;
}

function rowOf(task: Task) {
  return {
    num: numberIn(task.id),
    subject: task.subject,
    description: task.description,
    active_text: task.activeText,
    status: task.status,
    priority: task.priority,
    labels: task.labels,
    parent: task.parent === undefined ? undefined : numberIn(task.parent),
    blocked_by: task.blockedBy.map(numberIn),
    owner: task.owner,
    epoch: task.epoch,
    lease: task.lease,
    lease_until: task.leaseUntil,
    attempts: task.attempts,
    max_attempts: task.maxAttempts,
    evidence: task.evidence,
    reason: task.reason,
    metadata: JSON.stringify(task.metadata),
    ref: task.ref,
    author: task.author,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    claimed_at: task.claimedAt,
    finished_at: task.finishedAt,
    check_name: task.check,
    proof: task.proof && JSON.stringify(task.proof),
    not_before: task.notBefore,
    deadline: task.deadline,
    delayed: isStoredDelayed(task),
  };
}

/** Writes tasks and events in one statement; returns the number of the last event. */
export async function writeTasks(
  query: Query,
  kept: readonly StoredChange[],
  key: string,
): Promise<number> {
  const edged = kept.filter(
    ({ before, after }) => (before?.blockedBy.join() ?? "") !== after.blockedBy.join(),
  );
  const isDone = (task: Task | undefined) => task?.status === "done";
  const numbers = (list: readonly StoredChange[]) => list.map(({ after }) => numberIn(after.id));
  const events = kept.map(({ event }, part) => ({
    at: event.at,
    type: event.type,
    task: numberIn(event.task),
    sent_by: event.by,
    via: event.via,
    actor: event.actor,
    key,
    part,
    fields: JSON.stringify(event.set),
  }));
  const [row] = await query("SELECT waymark.keep_tasks($1, $2, $3, $4, $5) AS seq", [
    JSON.stringify(kept.map(({ after }) => rowOf(after))),
    numbers(edged),
    numbers(kept.filter(({ before, after }) => before && !isDone(before) && isDone(after))),
    numbers(kept.filter(({ before, after }) => isDone(before) && !isDone(after))),
    JSON.stringify(events),
  ]);
  return Number(row?.seq);
}

export interface Changed {
  readonly tasks: Task[];
  readonly seq: number;
}

function changed(rows: readonly Row[]): Changed | undefined {
  if (rows.length === 0) return undefined;
  return {
    tasks: rows.map(taskOf),
    seq: Math.max(...rows.map((row) => Number(row.event))),
  };
}

/** The guarded statement: returns the tasks that were ready and are claimed now. */
export async function claimTasks(
  query: Query,
  op: {
    readonly id?: string;
    readonly count?: number;
    readonly label?: string;
    readonly owner: string;
  },
  lease: number,
  { by, via, actor }: TaskSender,
  key: string,
): Promise<Changed | undefined> {
  const rows = await query(
    "SELECT (c.task).*, c.event FROM waymark.claim_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9) AS c",
    [
      op.id === undefined ? null : (taskNumber(op.id) ?? 0),
      op.count ?? 1,
      op.label ?? null,
      op.owner,
      lease,
      by,
      via,
      actor ?? null,
      key,
    ],
    "claim_tasks",
  );
  return changed(rows);
}

/** Changes all of these claims if each one is current, otherwise none. */
export async function finishTasks(
  query: Query,
  op: {
    readonly owner: string;
    readonly held: readonly { readonly id: string; readonly epoch?: number }[];
    readonly evidence?: readonly string[];
  },
  { by, via, actor }: TaskSender,
  key: string,
): Promise<Changed | undefined> {
  const rows = await query(
    // Blocked tasks are left to the rules, which say what blocks them.
    `SELECT (f.task).*, f.event
       FROM waymark.finish_tasks(CASE WHEN EXISTS (SELECT FROM waymark.tasks WHERE num = ANY ($1::bigint[]) AND blockers > 0)
              THEN '{0}' ELSE $1::bigint[] END, $2, $3, $4, $5, $6, $7, $8) AS f`,
    [
      op.held.map(({ id }) => taskNumber(id) ?? 0),
      op.held.map(({ epoch }) => epoch ?? -1),
      op.owner,
      op.evidence === undefined ? null : JSON.stringify(op.evidence),
      by,
      via,
      actor ?? null,
      key,
    ],
    "finish_tasks",
  );
  return changed(rows);
}

/** A call that can share a statement with others: only an owner and a claim. */
export interface Plain {
  readonly owner: string;
  readonly sender: TaskSender;
  readonly key: string;
}

type Given = readonly Plain[];

const sendersOf = (given: Given) => [
  given.map(({ sender }) => sender.by),
  given.map(({ sender }) => sender.via),
  given.map(({ sender }) => sender.actor ?? null),
  given.map(({ key }) => key),
];

function eachOf(given: Given, rows: readonly Row[]): (Changed | undefined)[] {
  const answers: (Changed | undefined)[] = given.map(() => undefined);
  for (const { task } of rows as { readonly task: Row }[])
    answers[Number(task.place) - 1] = { tasks: [taskOf(task)], seq: Number(task.event) };
  return answers;
}

/**
 * Claims the next ready task for each of several callers; callers without a row must claim alone.
 */
export async function claimEach(
  query: Query,
  given: readonly (Plain & { readonly lease: number })[],
): Promise<(Changed | undefined)[]> {
  const rows = await query(
    "SELECT waymark.claim_each($1, $2, $3, $4, $5, $6) AS task",
    [given.map(({ owner }) => owner), given.map(({ lease }) => lease), ...sendersOf(given)],
    "claim_each",
  );
  return eachOf(given, rows);
}

/** Finishes each caller's claim; callers without a row must finish alone. */
export async function finishEach(
  query: Query,
  given: readonly (Plain & { readonly id: string; readonly epoch: number })[],
): Promise<(Changed | undefined)[]> {
  const rows = await query(
    // A blocked task gets a number that no task has: the rules say what blocks it.
    `SELECT waymark.finish_each(ARRAY(
              SELECT CASE WHEN (SELECT blockers FROM waymark.tasks WHERE num = u.num) > 0 THEN 0 ELSE u.num END
                FROM unnest($1::bigint[]) WITH ORDINALITY AS u (num, place) ORDER BY place),
            $2, $3, $4, $5, $6, $7) AS task`,
    [
      given.map(({ id }) => taskNumber(id) ?? 0),
      given.map(({ epoch }) => epoch),
      given.map(({ owner }) => owner),
      ...sendersOf(given),
    ],
    "finish_each",
  );
  return eachOf(given, rows);
}

/** Renews the leases of an active owner where that gains enough. */
export async function renewObserved(
  query: Query,
  owner: string,
  ago: number,
  key: string,
): Promise<Task[]> {
  const rows = await query(
    `WITH clock AS MATERIALIZED (SELECT now, now - $2::bigint AS seen FROM waymark.now_ms() AS now),
     renewed AS (
       UPDATE waymark.tasks SET lease_until = clock.seen + lease, updated_at = clock.now FROM clock
        WHERE owner = $1 AND status = 'claimed' AND (lease_until > clock.now OR attempts < max_attempts)
          AND clock.seen + lease > clock.now AND (clock.seen + lease - lease_until) * ${WORTH_RENEWING} >= lease
       RETURNING tasks.*
     ), logged AS (
       INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
       SELECT updated_at, 'renewed', num, 'system', 'observation', $1, $3, row_number() OVER (ORDER BY num) - 1,
              json_build_object('leaseUntil', lease_until)::text
         FROM renewed ORDER BY num
     )
     SELECT * FROM renewed ORDER BY num`,
    [owner, ago, key],
  );
  return rows.map(taskOf);
}
