import { DAY } from "../core/text/duration.ts";
import { type ClockReading, readClock, timeSince } from "../engines/sqlite/clock.ts";
import type { Database, Row, Value } from "../engines/sqlite/driver.ts";
import type { Mark } from "../engines/sqlite/shared-file.ts";
import {
  COLUMNS,
  claimedOfRow,
  eventOfRow,
  number,
  numberIn,
  outcomeOfRow,
  queueOf,
  queueValues,
  taskOf,
  valuesOf,
  waitingOfRow,
} from "./columns.ts";
import {
  PRIORITIES,
  type QueueState,
  type Task,
  type TaskEvent,
  type TaskStatus,
  taskId,
  taskNumber,
} from "./model.ts";
import { claimFields } from "./rules/decide.ts";
import type { Edges } from "./rules/graph.ts";
import { WORTH_RENEWING } from "./rules/observed-lease.ts";
import {
  MOST_CLOSED,
  MOST_EVENTS,
  MOST_READY,
  OUTCOME_TYPES,
  type StatsInput,
  windowStart,
} from "./rules/queue/stats.ts";
import { urgencyOrder } from "./rules/task-at.ts";
import type { TaskCounts, TaskEventFilter, TaskFilter } from "./store.ts";

/** An expired claim; its first value is the time. */
const LAPSED = "status = 'claimed' AND lease_until <= ?";
const FREE = `${LAPSED} AND attempts < max_attempts`;
/** A task whose time has come; its value is the time. */
const DUE = "(not_before IS NULL OR not_before <= ?)";
/** Most delayed tasks that one claim marks as due. */
const MOST_DUE = 1_000;
/** Most tasks that one transaction deletes, so that others need not wait long. */
const MOST_PRUNED = 1_000;
const MANY_OPEN = 2_000;
/** A claim worth renewing; values: owner, time, and twice the time of activity and the time. */
const OBSERVED = `owner = ? AND status = 'claimed' AND (lease_until > ? OR attempts < max_attempts)
  AND ? + lease > ? AND (? + lease - lease_until) * ${WORTH_RENEWING} >= lease`;
const LABELLED = "EXISTS (SELECT 1 FROM json_each(tasks.labels) WHERE value = ?)";
/**
 * Repeats the condition of the partial index on closed tasks, without which SQLite would not use
 * it.
 */
const CLOSED = "status IN ('done', 'failed', 'cancelled')";
const ADD_TASK = `INSERT INTO tasks (num, blockers, ${COLUMNS.join(", ")})
  VALUES (?, 0, ${COLUMNS.map(() => "?").join(", ")})`;
const SET_TASK = `UPDATE tasks SET ${COLUMNS.map((column) => `${column} = ?`).join(", ")} WHERE num = ?`;

export const COUNTS = `SELECT 'open' AS status, count(*) AS count FROM tasks WHERE status = 'open'
  UNION ALL SELECT 'claimed', count(*) FROM tasks WHERE status = 'claimed'
  UNION ALL SELECT status, count(*) FROM tasks WHERE ${CLOSED} GROUP BY status`;

/** All statements on tasks, prepared on first use. Run them inside a transaction. */
export interface TaskRows {
  now(): number;
  /** The same, and resets the clock when due. */
  setNow(): number;
  byNames(names: readonly string[]): Task[];
  byRefs(refs: readonly string[]): Task[];
  /** Blockers of every task reachable from these. */
  blockersAbove(ids: readonly string[]): Edges;
  parentsAbove(ids: readonly string[]): Edges;
  lastNumber(): number;
  /** The guarded statement: returns the tasks that were ready and are claimed now. */
  claim(which: Which, owner: string, lease: number, now: number): Task[];
  queue(): QueueState;
  setQueue(state: QueueState): void;
  /** True if `observe` would renew a lease. */
  isObservable(owner: string, ago: number, now: number): boolean;
  observe(owner: string, ago: number, now: number): Task[];
  keep(before: Task | undefined, after: Task): void;
  /** Recounts the open blockers of these tasks. */
  recount(ids: readonly string[]): void;
  addEvent(event: Omit<TaskEvent, "seq">, part: number): number;
  byKey(key: string): TaskEvent[];
  ready(now: number, limit: number | undefined, label: string | undefined): Task[];
  list(filter: TaskFilter, now: number): Task[];
  counts(now: number): TaskCounts;
  stats(asked: number | undefined, now: number): StatsInput;
  prune(before: number): number;
  events(filter: TaskEventFilter): TaskEvent[];
  lastSeq(): number;
  /** The last event at or before a position. */
  eventAt(position: number): Mark | undefined;
}

export type Which =
  | { readonly id: string }
  | { readonly count: number; readonly label?: string | undefined };

const numbers = (ids: readonly string[]) => JSON.stringify(ids.map(numberIn));
const most = (limit: number | undefined) => (limit === undefined ? -1 : Math.max(0, limit));

/** The order of ready tasks; with aging, its value is the aging. */
const orderSql = (isAging: boolean) =>
  `ORDER BY ${isAging ? "created_at + priority * ?, " : ""}priority, created_at, num`;

/**
 * Ready tasks are open, or their claim expired, or their delay has passed since the last claim. With
 * aging, each priority is read by itself: an index has only one order.
 */
function readyParts(isAging: boolean) {
  const open = "status = 'open' AND delayed = 0";
  const priorities = isAging ? PRIORITIES.map((each) => ` AND priority = ${each}`) : [""];
  return [
    ...priorities.map((one) => ({ index: "tasks_open", condition: `${open}${one}`, times: 0 })),
    { index: "tasks_leases", condition: `${FREE} AND ${DUE}`, times: 2 },
    { index: "tasks_delayed", condition: "delayed = 1 AND not_before <= ?", times: 1 },
  ];
}

function readySql(isLabelled: boolean, isAging: boolean): string {
  const which = isLabelled ? ` AND ${LABELLED}` : "";
  const parts = readyParts(isAging).map(
    ({ index, condition, times }) =>
      `SELECT * FROM (SELECT num, priority, created_at FROM tasks INDEXED BY ${index}
       WHERE ${condition} AND blockers = 0${which} ${orderSql(isAging && times > 0)} LIMIT ?)`,
  );
  return `SELECT num FROM (${parts.join(" UNION ALL ")}) ${orderSql(isAging)} LIMIT ?`;
}

const READY = new Map(
  [false, true].flatMap((isLabelled) =>
    [false, true].map((isAging) => [`${isLabelled} ${isAging}`, readySql(isLabelled, isAging)]),
  ),
);

/**
 * A query for the numbers of ready tasks, most urgent first. It names its indexes: without
 * statistics, SQLite would sort every open task.
 */
export function readyQuery(label: string | undefined, limit: number, now: number, aging?: number) {
  const labels = label === undefined ? [] : [label];
  const isAging = aging !== undefined;
  const ages = isAging ? [aging] : [];
  const values: Value[] = readyParts(isAging).flatMap(({ times }) => [
    ...Array.from({ length: times }, () => now),
    ...labels,
    ...(times > 0 ? ages : []),
    limit,
  ]);
  return {
    sql: READY.get(`${label !== undefined} ${isAging}`) ?? "",
    values: [...values, ...ages, limit] satisfies Value[],
  };
}

/**
 * The guard is in the same statement as the choice, so it is evaluated at the moment of the write.
 * The unary pluses keep SQLite from scanning all tasks of a status for the chosen ones.
 */
export function claimStatement(chosen: string): string {
  return `UPDATE tasks SET status = 'claimed', owner = ?, epoch = epoch + 1, lease = ?, lease_until = ?,
      attempts = attempts + 1, claimed_at = ?, updated_at = ?, delayed = 0
    WHERE num IN (${chosen}) AND blockers = 0 AND (+status = 'open' OR (+${FREE})) AND ${DUE} RETURNING *`;
}

export function createTaskRows(db: Database): TaskRows {
  const prepared = new Map<string, ReturnType<Database["prepare"]>>();
  function statement(sql: string) {
    let found = prepared.get(sql);
    if (!found) {
      found = db.prepare(sql);
      prepared.set(sql, found);
    }
    return found;
  }
  const all = (sql: string, ...values: Value[]): Row[] => statement(sql).all(...values);
  const first = (sql: string, ...values: Value[]): Row | undefined => statement(sql).get(...values);
  const run = (sql: string, ...values: Value[]) => statement(sql).run(...values);
  const tasks = (sql: string, ...values: Value[]) => all(sql, ...values).map(taskOf);

  function time(): { readonly now: number; readonly reading: ClockReading; readonly set: boolean } {
    const anchor = first("SELECT boot, ran, up, wall FROM clock") as ClockReading | undefined;
    let reading = readClock(!anchor);
    let now = anchor && timeSince(anchor, reading);
    if (anchor && now === undefined) {
      // Another process may have detected a system sleep that this one has not checked for yet.
      reading = readClock();
      now = timeSince(anchor, reading);
    }
    return { now: now ?? Math.floor(reading.wall), reading, set: now !== undefined };
  }

  function moveDependents(id: string, by: 1 | -1): void {
    run(
      "UPDATE tasks SET blockers = blockers + ? WHERE num IN (SELECT task FROM task_blockers WHERE blocker = ?)",
      by,
      numberIn(id),
    );
  }

  function setEdges(task: number, blockers: readonly string[]): void {
    for (const blocker of blockers)
      run("INSERT INTO task_blockers (task, blocker) VALUES (?, ?)", task, numberIn(blocker));
  }

  /** A page of many open tasks is found faster in the order of the table than by sorting them all. */
  function isManyOpen({ status, limit }: TaskFilter): boolean {
    if (status !== "open" || limit === undefined) return false;
    const row = first(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM tasks INDEXED BY tasks_open WHERE status = 'open' LIMIT ${MANY_OPEN})`,
    );
    return Number(row?.count) === MANY_OPEN;
  }

  function countOverdue(at: number): number {
    const row = first(
      `SELECT count(*) AS count FROM tasks INDEXED BY tasks_deadline
        WHERE deadline <= ? AND deadline IS NOT NULL AND status IN ('open', 'claimed')
          AND NOT (${LAPSED} AND attempts >= max_attempts)`,
      at,
      at,
    );
    return Number(row?.count);
  }

  /** The oldest ready task is the first of its priority, unless its claim expired or its delay passed. */
  function oldestReady(at: number): number | undefined {
    const firsts = PRIORITIES.map((priority) =>
      first(
        `SELECT created_at AS at FROM tasks INDEXED BY tasks_open
          WHERE status = 'open' AND delayed = 0 AND blockers = 0 AND priority = ?
          ORDER BY created_at LIMIT 1`,
        priority,
      ),
    );
    const others = all(
      `SELECT min(created_at) AS at FROM tasks INDEXED BY tasks_leases WHERE ${FREE} AND ${DUE} AND blockers = 0
       UNION ALL SELECT min(created_at) FROM tasks INDEXED BY tasks_delayed
         WHERE delayed = 1 AND not_before <= ? AND blockers = 0`,
      at,
      at,
      at,
    );
    const found = [...firsts, ...others].flatMap((row) => number(row?.at) ?? []);
    return found.length === 0 ? undefined : Math.min(...found);
  }

  const rows: TaskRows = {
    now: () => time().now,

    setNow() {
      const { now, reading, set } = time();
      if (set) return now;
      const { boot, ran, up } = reading;
      run(
        "INSERT OR REPLACE INTO clock (id, boot, ran, up, wall) VALUES (1, ?, ?, ?, ?)",
        boot,
        ran,
        up,
        now,
      );
      // The clock may have been far ahead: no lease exceeds its length.
      run(
        "UPDATE tasks SET lease_until = ? + lease WHERE status = 'claimed' AND lease_until > ? + lease",
        now,
        now,
      );
      // A claim may have marked tasks as due too early.
      run("UPDATE tasks SET delayed = 1 WHERE status = 'open' AND not_before > ?", now);
      return now;
    },

    byNames(names) {
      const found = names.flatMap((name) => taskNumber(name) ?? []);
      if (found.length === 0) return [];
      return tasks(
        "SELECT * FROM tasks WHERE num IN (SELECT value FROM json_each(?)) ORDER BY num",
        JSON.stringify(found),
      );
    },

    byRefs(refs) {
      if (refs.length === 0) return [];
      return tasks(
        "SELECT * FROM tasks WHERE ref IN (SELECT value FROM json_each(?)) ORDER BY num",
        JSON.stringify(refs),
      );
    },

    blockersAbove(ids) {
      const found = all(
        `WITH RECURSIVE above (num) AS (
           SELECT value FROM json_each(?)
           UNION SELECT blocker FROM task_blockers JOIN above ON task = above.num)
         SELECT num, blocked_by FROM tasks WHERE num IN above`,
        numbers(ids),
      );
      return new Map(
        found.map((row) => [
          taskId(row.num as number),
          (JSON.parse(row.blocked_by as string) as number[]).map(taskId),
        ]),
      );
    },

    parentsAbove(ids) {
      const found = all(
        `WITH RECURSIVE above (num) AS (
           SELECT value FROM json_each(?)
           UNION SELECT parent FROM tasks JOIN above ON tasks.num = above.num WHERE parent IS NOT NULL)
         SELECT num, parent FROM tasks WHERE num IN above AND parent IS NOT NULL`,
        numbers(ids),
      );
      return new Map(
        found.map((row) => [taskId(row.num as number), [taskId(row.parent as number)]]),
      );
    },

    lastNumber: () => (first("SELECT max(num) AS last FROM tasks")?.last ?? 0) as number,

    claim(which, owner, lease, now) {
      const { paused, aging } = rows.queue();
      if (paused) return [];
      run(
        `UPDATE tasks SET delayed = 0 WHERE num IN (
           SELECT num FROM tasks INDEXED BY tasks_delayed WHERE delayed = 1 AND not_before <= ? LIMIT ${MOST_DUE})`,
        now,
      );
      const chosen =
        "id" in which
          ? { sql: "SELECT ?", values: [taskNumber(which.id) ?? 0] }
          : readyQuery(which.label, which.count, now, aging);
      return tasks(
        claimStatement(chosen.sql),
        owner,
        lease,
        now + lease,
        now,
        now,
        ...chosen.values,
        now,
        now,
      ).sort(urgencyOrder(aging));
    },

    queue: () => queueOf(first("SELECT paused_at, paused_by, reason, aging FROM queue")),

    setQueue(state) {
      run(
        "INSERT OR REPLACE INTO queue (id, paused_at, paused_by, reason, aging) VALUES (1, ?, ?, ?, ?)",
        ...queueValues(state),
      );
    },

    isObservable(owner, ago, now) {
      const since = now - ago;
      const values = [owner, now, since, now, since];
      return all(`SELECT 1 FROM tasks WHERE ${OBSERVED} LIMIT 1`, ...values).length > 0;
    },

    observe(owner, ago, now) {
      const since = now - ago;
      return tasks(
        `UPDATE tasks SET lease_until = ? + lease, updated_at = ? WHERE ${OBSERVED} RETURNING *`,
        since,
        now,
        owner,
        now,
        since,
        now,
        since,
      ).sort((a, b) => numberIn(a.id) - numberIn(b.id));
    },

    keep(before, after) {
      const num = numberIn(after.id);
      if (!before) {
        run(ADD_TASK, num, ...valuesOf(after));
        setEdges(num, after.blockedBy);
        return;
      }
      run(SET_TASK, ...valuesOf(after), num);
      if (before.blockedBy.join() !== after.blockedBy.join()) {
        run("DELETE FROM task_blockers WHERE task = ?", num);
        setEdges(num, after.blockedBy);
        rows.recount([after.id]);
      }
      const wasDone = before.status === "done";
      if (wasDone !== (after.status === "done")) moveDependents(after.id, wasDone ? 1 : -1);
    },

    recount(ids) {
      run(
        `UPDATE tasks SET blockers = (
           SELECT count(*) FROM task_blockers JOIN tasks AS other ON other.num = blocker
            WHERE task = tasks.num AND other.status <> 'done')
         WHERE num IN (SELECT value FROM json_each(?))`,
        numbers(ids),
      );
    },

    addEvent({ at, type, task, by, via, actor, key, set }, part) {
      return run(
        `INSERT INTO task_events (at, type, task, sent_by, via, actor, key, part, fields)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        at,
        type,
        numberIn(task),
        by,
        via,
        actor ?? null,
        key ?? null,
        key === undefined ? null : part,
        JSON.stringify(set),
      ).lastRow;
    },

    byKey: (key) =>
      all("SELECT * FROM task_events WHERE key = ? ORDER BY part", key).map(eventOfRow),

    ready(now, limit, label) {
      const { aging } = rows.queue();
      const { sql, values } = readyQuery(label, most(limit), now, aging);
      return tasks(`SELECT * FROM tasks WHERE num IN (${sql})`, ...values).sort(
        urgencyOrder(aging),
      );
    },

    list(filter, now) {
      const { sql, values } = listQuery(filter, now, isManyOpen(filter));
      return tasks(sql, ...values);
    },

    counts(now) {
      const counts = { open: 0, claimed: 0, done: 0, failed: 0, cancelled: 0 };
      for (const row of all(COUNTS)) counts[row.status as TaskStatus] = row.count as number;
      const [lapsed] = all(
        `SELECT count(*) AS count, coalesce(sum(attempts < max_attempts), 0) AS free,
           coalesce(sum(attempts < max_attempts AND blockers = 0), 0) AS unblocked,
           coalesce(sum(attempts < max_attempts AND blockers = 0 AND ${DUE}), 0) AS ready
         FROM tasks WHERE ${LAPSED}`,
        now,
        now,
      ) as { count: number; free: number; unblocked: number; ready: number }[];
      const [open] = all(
        `SELECT count(*) AS unblocked, (SELECT count(*) FROM tasks INDEXED BY tasks_delayed
             WHERE delayed = 1 AND not_before > ? AND blockers = 0) AS delayed
           FROM tasks INDEXED BY tasks_open WHERE status = 'open' AND delayed IN (0, 1) AND blockers = 0`,
        now,
      ) as { unblocked: number; delayed: number }[];
      const { count = 0, free = 0, unblocked = 0, ready = 0 } = lapsed ?? {};
      const delayed = open?.delayed ?? 0;
      return {
        ...counts,
        open: counts.open + free,
        claimed: counts.claimed - count,
        failed: counts.failed + count - free,
        ready: (open?.unblocked ?? 0) - delayed + ready,
        delayed: delayed + unblocked - ready,
      };
    },

    stats(asked, at) {
      const from = asked ?? at - DAY;
      const { open, ready, delayed, claimed, failed } = rows.counts(at);
      const queue = rows.queue();
      const chosen = readyQuery(undefined, MOST_READY, at, queue.aging);
      const newest = `seq > (SELECT max(seq) FROM task_events) - ${MOST_EVENTS}`;
      const outcomes = all(
        `SELECT e.at, e.type, e.actor, t.owner, t.labels, t.created_at, t.claimed_at
           FROM task_events AS e JOIN tasks AS t ON t.num = e.task
          WHERE e.${newest} AND e.at >= ? AND e.type IN (${OUTCOME_TYPES})
          ORDER BY e.seq DESC LIMIT ${MOST_CLOSED}`,
        from,
      );
      const start = first(`SELECT seq, at FROM task_events WHERE ${newest} ORDER BY seq LIMIT 1`);
      return {
        at,
        since: windowStart(
          from,
          {
            count: rows.lastSeq() - Number(start?.seq ?? 0) + 1,
            firstAt: number(start?.at) ?? undefined,
          },
          { count: outcomes.length, firstAt: number(outcomes.at(-1)?.at) ?? undefined },
        ),
        queue,
        counts: {
          ready,
          delayed,
          blocked: open - ready - delayed,
          claimed,
          failed,
          overdue: countOverdue(at),
        },
        oldestAt: oldestReady(at),
        outcomes: outcomes.map(outcomeOfRow).reverse(),
        ready: all(
          `SELECT labels, created_at FROM tasks WHERE num IN (${chosen.sql})`,
          ...chosen.values,
        ).map(waitingOfRow),
        claimed: all(
          `SELECT owner, labels FROM tasks INDEXED BY tasks_leases
            WHERE status = 'claimed' AND lease_until > ?`,
          at,
        ).map(claimedOfRow),
      };
    },

    prune(before) {
      let pruned = 0;
      while (pruned < MOST_PRUNED) {
        const found = all(
          `SELECT num FROM tasks INDEXED BY tasks_closed
            WHERE ${CLOSED} AND status IN ('done', 'cancelled') AND finished_at < ?
              AND num < (SELECT max(num) FROM tasks)
              AND num <> (SELECT task FROM task_events ORDER BY seq DESC LIMIT 1)
              AND NOT EXISTS (SELECT 1 FROM task_blockers WHERE blocker = tasks.num)
              AND NOT EXISTS (SELECT 1 FROM tasks AS child WHERE child.parent = tasks.num)
            LIMIT ${MOST_PRUNED}`,
          before,
        );
        if (found.length === 0) break;
        const nums = JSON.stringify(found.map(({ num }) => num));
        const these = "(SELECT value FROM json_each(?))";
        run(`DELETE FROM task_events WHERE task IN ${these}`, nums);
        run(`DELETE FROM task_blockers WHERE task IN ${these}`, nums);
        run(`DELETE FROM tasks WHERE num IN ${these}`, nums);
        pruned += found.length;
      }
      return pruned;
    },

    events({ after = 0, task, limit, last }) {
      const one = task === undefined ? "" : "task = ? AND ";
      const found = `SELECT * FROM task_events WHERE ${one}seq > ? ORDER BY seq`;
      const from =
        last === undefined ? found : `SELECT * FROM (${found} DESC LIMIT ?) ORDER BY seq`;
      return all(
        `${from} LIMIT ?`,
        ...(task === undefined ? [] : [taskNumber(task) ?? 0]),
        after,
        ...(last === undefined ? [] : [most(last)]),
        most(limit),
      ).map(eventOfRow);
    },

    lastSeq: () => (first("SELECT max(seq) AS seq FROM task_events")?.seq ?? 0) as number,

    eventAt(position) {
      const found = first(
        "SELECT seq, at, type, task FROM task_events WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
        position,
      );
      return (
        found && { position: found.seq as number, name: `${found.at} ${found.type} ${found.task}` }
      );
    },
  };
  return rows;
}

/** Indexes, conditions and values that find tasks by their status at a point in time. */
function placesOf(status: TaskStatus, now: number): readonly [string, string, ...Value[]][] {
  switch (status) {
    case "open":
      return [
        ["tasks_open", "status = 'open'"],
        ["tasks_leases", FREE, now],
      ];
    case "claimed":
      return [["tasks_leases", "status = 'claimed' AND lease_until > ?", now]];
    case "failed":
      return [
        ["tasks_closed", `status = 'failed' AND ${CLOSED}`],
        ["tasks_leases", `${LAPSED} AND attempts >= max_attempts`, now],
      ];
    case "done":
    case "cancelled":
      return [["tasks_closed", `status = ? AND ${CLOSED}`, status]];
  }
}

/** A status at a point in time, as a condition with its values; `leading`: it selects the index. */
function statusIs(status: TaskStatus, now: number, leading: boolean): [string, ...Value[]] {
  const places = placesOf(status, now);
  const parts = places.map(([index, condition]) =>
    leading ? `SELECT num FROM tasks INDEXED BY ${index} WHERE ${condition}` : `(${condition})`,
  );
  const values = places.flatMap(([, , ...own]) => own);
  return [leading ? `num IN (${parts.join(" UNION ALL ")})` : `(${parts.join(" OR ")})`, ...values];
}

/** A page of one status: each index gives no more rows than the page has. */
function pageQuery(
  { status, limit, after }: TaskFilter & { readonly status: TaskStatus },
  now: number,
  isManyOpen: boolean,
) {
  const from = taskNumber(after ?? "") ?? 0;
  const places = placesOf(status, now);
  const parts = places.map(([index, condition]) => {
    const by = isManyOpen && index === "tasks_open" ? "NOT INDEXED" : `INDEXED BY ${index}`;
    return `SELECT * FROM (SELECT num FROM tasks ${by} WHERE ${condition} AND num > ? ORDER BY num LIMIT ?)`;
  });
  return {
    sql: `SELECT * FROM tasks WHERE num IN (${parts.join(" UNION ALL ")}) ORDER BY num LIMIT ?`,
    values: [
      ...places.flatMap(([, , ...own]) => [...own, from, most(limit)]),
      most(limit),
    ] satisfies Value[],
  };
}

export function listQuery(filter: TaskFilter, now: number, isManyOpen = false) {
  const { status, owner, label, parent, blockedBy, limit, after } = filter;
  const isPage = [owner, label, parent, blockedBy].every((each) => each === undefined);
  if (status !== undefined && limit !== undefined && isPage)
    return pageQuery({ ...filter, status }, now, isManyOpen);
  const conditions = ["1"];
  const values: Value[] = [];
  const add = (condition: string, ...given: Value[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  // These filters leave few tasks, so their statuses are checked afterwards; otherwise the status
  // selects the index.
  const narrow = owner !== undefined || parent !== undefined || blockedBy !== undefined;
  if (status !== undefined) add(...statusIs(status, now, !narrow));
  if (owner !== undefined) add(`owner = ? AND NOT (${FREE})`, owner, now);
  if (label !== undefined) add(LABELLED, label);
  if (after !== undefined) add("num > ?", taskNumber(after) ?? 0);
  if (parent !== undefined) add("parent = ?", taskNumber(parent) ?? 0);
  if (blockedBy !== undefined)
    add("num IN (SELECT task FROM task_blockers WHERE blocker = ?)", taskNumber(blockedBy) ?? 0);
  return {
    sql: `SELECT * FROM tasks WHERE ${conditions.join(" AND ")} ORDER BY num LIMIT ?`,
    values: [...values, most(limit)] satisfies Value[],
  };
}

/** The fields of the event of a guarded claim. */
export function claimedFields({ epoch, attempts, owner = "", lease = 0, updatedAt }: Task) {
  return claimFields({ epoch: epoch - 1, attempts: attempts - 1 }, owner, lease, updatedAt);
}
