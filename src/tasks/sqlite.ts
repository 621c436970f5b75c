import type { DriverName } from "../engines/sqlite/driver.ts";
import { openSharedFile, type Written } from "../engines/sqlite/shared-file.ts";
import { recordTasks } from "../engines/storage/lost-store.ts";
import { type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import {
  DEFAULT_LEASE,
  type Task,
  type TaskAnswer,
  type TaskEvent,
  type TaskOp,
  type TaskSender,
} from "./model.ts";
import { answerWith, eventOf, refused, replayAnswer, replayedTasks } from "./rules/answer.ts";
import { checkOp } from "./rules/check.ts";
import { decideTask, type NamedOp } from "./rules/decide.ts";
import type { EventDraft } from "./rules/decision.ts";
import { applyEvent } from "./rules/fold.ts";
import { canonical, needsOf, type Slice } from "./rules/needs.ts";
import { changedQueue } from "./rules/queue/state.ts";
import { statsOf } from "./rules/queue/stats.ts";
import { invalid, noneReady, queuePaused } from "./rules/refusals.ts";
import { taskAt } from "./rules/task-at.ts";
import { claimedFields, createTaskRows, type TaskRows } from "./sqlite-rows.ts";
import type { TaskStore } from "./store.ts";

/** Options of `sqliteTaskStore`. */
export interface SqliteTaskStoreOptions {
  /** Driver (default: WAYMARK_SQLITE_DRIVER, then Node's own, then libsql). */
  readonly driver?: DriverName;
  /** Milliseconds to wait for other processes before a call fails with `store_busy`. */
  readonly waitLimit?: number;
  readonly onWarning?: Warn;
  /** Create the missing directories above the file (default: false). */
  readonly createDirectory?: boolean;
}

/**
 * Opens a task store in one SQLite file, which any number of processes may share.
 *
 * @param name the path of the file; it is created if it does not exist
 * @param options the driver, how long to wait for other processes, and what to create
 * @returns the store; close it when you no longer need it
 * @throws WaymarkError if the directory does not exist (`no_directory`), the file is not a store
 *   or cannot be opened
 */
export async function sqliteTaskStore(
  name: string,
  options: SqliteTaskStoreOptions = {},
): Promise<TaskStore> {
  const { driver, waitLimit, createDirectory, onWarning: warn = warnOnConsole } = options;
  const file = await openSharedFile<TaskRows>(name, {
    driver,
    waitLimit,
    createDirectory,
    warn,
    prepare: createTaskRows,
    eventAt: (rows, position) => rows.eventAt(position),
  });
  let isNoted = false;

  return {
    durable: true,

    async apply(given, sender) {
      const check = checkOp(given, sender);
      if (!check.ok) return refused(invalid(check.problem));
      const answer = await file.writing((rows) => act(rows, check.op, sender));
      if (answer.ok && !isNoted) recordTasks(file.path);
      isNoted ||= answer.ok;
      return answer;
    },

    get: (id) =>
      file.reading((rows) => {
        const [task] = rows.byNames([id]);
        return task && taskAt(task, rows.now());
      }),

    ready: ({ label, limit } = {}) =>
      file.reading((rows) => {
        const now = rows.now();
        return rows.ready(now, limit, label).map((task) => taskAt(task, now));
      }),

    list: (filter = {}) =>
      file.reading((rows) => {
        const now = rows.now();
        return rows.list(filter, now).map((task) => taskAt(task, now));
      }),

    queue: () => file.reading((rows) => rows.queue()),

    setQueue: (change, sender) =>
      file.writing((rows) => {
        const answer = changedQueue(rows.queue(), change, sender, rows.setNow());
        rows.setQueue(answer);
        return { answer, events: 0, changed: true };
      }),

    stats: ({ since } = {}) => file.reading((rows) => statsOf(rows.stats(since, rows.now()))),

    async prune(keep) {
      let pruned = 0;
      for (;;) {
        const count = await file.writing((rows) => {
          const answer = rows.prune(rows.setNow() - Math.max(0, keep));
          return { answer, events: 0, changed: answer > 0 };
        });
        if (count === 0) return pruned;
        pruned += count;
      }
    },

    counts: () => file.reading((rows) => rows.counts(rows.now())),

    events: (filter = {}) => file.reading((rows) => rows.events(filter)),

    async renewByObservation(owner, given = 0) {
      const ago = Math.max(0, Math.floor(given));
      // Most active owners have no claim, which a read finds out without the write queue.
      if (!(await file.reading((rows) => rows.isObservable(owner, ago, rows.now())))) return [];
      return file.writing((rows) => {
        const now = rows.setNow();
        const tasks = rows.observe(owner, ago, now);
        const sender = { by: "system", via: "observation", actor: owner } as const;
        for (const { id, leaseUntil = now } of tasks)
          keepEvent(rows, { type: "renewed", task: id, set: { leaseUntil } }, sender, now, 0);
        return { answer: tasks, events: tasks.length };
      });
    },

    now: () => file.reading((rows) => rows.now()),

    watch: (listener, replaced) =>
      file.follow<TaskEvent>(
        {
          last: (rows) => rows.lastSeq(),
          after: (rows, after, limit) => rows.events({ after, limit }),
          positionOf: ({ seq }) => seq,
        },
        listener,
        replaced,
      ),

    close: file.close,
  };
}

function keepEvent(
  rows: TaskRows,
  draft: EventDraft,
  sender: TaskSender,
  at: number,
  part: number,
): number {
  return rows.addEvent(eventOf(draft, sender, 0, at), part);
}

function act(rows: TaskRows, op: TaskOp, sender: TaskSender): Written<TaskAnswer> {
  const { key } = sender;
  const known = key === undefined ? [] : rows.byKey(key);
  if (key !== undefined && known.length > 0) {
    const before = replayedTasks(op, known).flatMap((task) => rows.events({ task }));
    return { answer: replayAnswer(op, key, known, before), events: 0, again: true };
  }
  const now = rows.setNow();
  if (op.op === "claim") {
    const claimed = claim(rows, op, sender, now);
    if (claimed) return claimed;
    const { paused } = rows.queue();
    if (op.id === undefined)
      return {
        answer: refused(paused ? queuePaused(paused) : noneReady(op.label)),
        events: 0,
      };
  }
  return carryOut(rows, op as NamedOp, sender, now);
}

/** Undefined if no row was free: the rules then give the reason. */
function claim(
  rows: TaskRows,
  op: TaskOp & { op: "claim" },
  sender: TaskSender,
  now: number,
): Written<TaskAnswer> | undefined {
  const which = op.id === undefined ? { count: op.count ?? 1, label: op.label } : { id: op.id };
  const tasks = rows.claim(which, op.owner, op.lease ?? DEFAULT_LEASE, now);
  if (tasks.length === 0) return undefined;
  let seq = 0;
  for (const [part, task] of tasks.entries()) {
    const draft: EventDraft = { type: "claimed", task: task.id, set: claimedFields(task) };
    seq = keepEvent(rows, draft, sender, now, part);
  }
  return { answer: answerWith(tasks, now, seq), events: tasks.length };
}

function sliceFor(rows: TaskRows, op: NamedOp, now: number): Slice {
  const { names, refs, edges, blockers } = needsOf(op);
  const named = rows.byNames(names);
  const byRef = rows.byRefs([...refs, ...names]);
  const found = [...named, ...byRef];
  const waits = blockers ? rows.byNames(found.flatMap(({ blockedBy }) => blockedBy)) : [];
  const ids = found.map(({ id }) => id);
  let last: number | undefined;
  return {
    now,
    queue: rows.queue(),
    byId: new Map([...waits, ...found].map((task) => [task.id, task])),
    byRef: new Map(byRef.map((task) => [task.ref ?? "", task])),
    blockers: edges ? rows.blockersAbove(ids) : new Map(),
    parents: edges ? rows.parentsAbove(ids) : new Map(),
    numberAt: (place) => {
      last ??= rows.lastNumber();
      return last + 1 + place;
    },
  };
}

function carryOut(
  rows: TaskRows,
  op: NamedOp,
  sender: TaskSender,
  now: number,
): Written<TaskAnswer> {
  const slice = sliceFor(rows, op, now);
  const verdict = decideTask(op, sender, slice);
  if (!verdict.ok) return { answer: refused(verdict.refused), events: 0 };
  const tasks = new Map<string, Task>();
  let seq: number | undefined;
  for (const [part, draft] of verdict.events.entries()) {
    const before = tasks.get(draft.task) ?? slice.byId.get(draft.task);
    const after = applyEvent(before, { ...draft, at: now });
    rows.keep(before, after);
    tasks.set(after.id, after);
    seq = keepEvent(rows, draft, sender, now, part);
  }
  const waiting = op.op === "add" ? [...tasks.values()].filter((each) => each.blockedBy[0]) : [];
  if (waiting.length > 0) rows.recount(waiting.map(({ id }) => id));
  const about = verdict.about.flatMap((id) => {
    const task = tasks.get(id) ?? slice.byId.get(canonical(id)) ?? rows.byNames([id])[0];
    return task ?? [];
  });
  return { answer: answerWith(about, now, seq), events: verdict.events.length };
}
