import { DAY } from "../core/text/duration.ts";
import { closedError } from "../engines/storage/failure.ts";
import { createSubscribers } from "../engines/storage/subscribers.ts";
import { type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import {
  DEFAULT_LEASE,
  type QueueState,
  type Task,
  type TaskEvent,
  type TaskOp,
  type TaskSender,
  taskNumber,
} from "./model.ts";
import { answerWith, eventOf, refused, replayAnswer } from "./rules/answer.ts";
import { checkOp } from "./rules/check.ts";
import { claimFields, decideTask, openBlockers } from "./rules/decide.ts";
import type { EventDraft, TaskDecision } from "./rules/decision.ts";
import { applyEvent } from "./rules/fold.ts";
import { canonical, needsOf, type Slice } from "./rules/needs.ts";
import { observedLease } from "./rules/observed-lease.ts";
import { changedQueue, isDelayed, isPrunable } from "./rules/queue/state.ts";
import {
  isOutcome,
  MOST_CLOSED,
  MOST_EVENTS,
  MOST_READY,
  outcomeOf,
  statsOf,
  windowStart,
} from "./rules/queue/stats.ts";
import { invalid, noneReady, queuePaused } from "./rules/refusals.ts";
import { numberOf, taskAt, urgencyOrder } from "./rules/task-at.ts";
import type { TaskStore } from "./store.ts";

type AtOnce<F> = F extends (...args: infer A) => infer R ? (...args: A) => Awaited<R> : F;

/** A task store whose methods return synchronously. */
export type MemoryTaskStore = { readonly [M in keyof TaskStore]: AtOnce<TaskStore[M]> };

/** Options of `memoryTaskStore`. */
export interface MemoryTaskStoreOptions {
  readonly now?: () => number;
  readonly onWarning?: Warn;
}

/**
 * A task store in the memory of this process. Every method returns its result at once.
 *
 * @param options the clock, and where warnings go
 * @returns the store
 */
export function memoryTaskStore(options: MemoryTaskStoreOptions = {}): MemoryTaskStore {
  const { now = Date.now } = options;
  const tasks = new Map<string, Task>();
  const byRef = new Map<string, string>();
  let events: TaskEvent[] = [];
  let lastSeq = 0;
  let lastNumber = 0;
  const byKey = new Map<string, TaskEvent[]>();
  const audience = createSubscribers<TaskEvent>(
    ({ seq }) => seq,
    options.onWarning ?? warnOnConsole,
  );
  let queue: QueueState = {};
  let closed = false;

  function open(): void {
    if (closed) throw closedError("The memory store of tasks");
  }

  function sliceFor(op: TaskOp): Slice {
    const { edges, refs, names } = needsOf(op);
    const named = [...refs, ...names].flatMap((ref) => {
      const task = tasks.get(byRef.get(ref) ?? "");
      return task ? [[ref, task] as const] : [];
    });
    const all = edges ? [...tasks.values()] : [];
    return {
      now: now(),
      queue,
      byId: tasks,
      byRef: new Map(named),
      blockers: new Map(all.map(({ id, blockedBy }) => [id, blockedBy])),
      parents: new Map(all.flatMap(({ id, parent }) => (parent ? [[id, [parent]]] : []))),
      numberAt: (place) => lastNumber + 1 + place,
    };
  }

  function keep(drafts: readonly EventDraft[], sender: TaskSender, at: number): number | undefined {
    const kept = drafts.map((draft) => {
      lastSeq += 1;
      const event = eventOf(draft, sender, lastSeq, at);
      const task = applyEvent(tasks.get(event.task), event);
      tasks.set(event.task, task);
      lastNumber = Math.max(lastNumber, numberOf(task));
      if (task.ref !== undefined) byRef.set(task.ref, task.id);
      events.push(event);
      return event;
    });
    if (sender.key !== undefined && kept.length > 0) byKey.set(sender.key, kept);
    for (const event of kept) audience.notify(event);
    return kept.at(-1)?.seq;
  }

  function readyNow(at: number, label?: string): Task[] {
    return [...tasks.values()]
      .map((task) => taskAt(task, at))
      .filter((task) => task.status === "open" && !isDelayed(task, at))
      .filter((task) => openBlockers(task, tasks).length === 0)
      .filter((task) => label === undefined || task.labels.includes(label))
      .sort(urgencyOrder(queue.aging));
  }

  function claimReady(op: TaskOp & { op: "claim" }, at: number): TaskDecision {
    if (queue.paused) return { ok: false, refused: queuePaused(queue.paused) };
    const chosen = readyNow(at, op.label).slice(0, op.count ?? 1);
    if (chosen.length === 0) return { ok: false, refused: noneReady(op.label) };
    const lease = op.lease ?? DEFAULT_LEASE;
    return {
      ok: true,
      about: chosen.map(({ id }) => id),
      events: chosen.map((task) => ({
        type: "claimed",
        task: task.id,
        set: claimFields(task, op.owner, lease, at),
      })),
    };
  }

  return {
    durable: false,

    apply(given, sender) {
      open();
      const check = checkOp(given, sender);
      if (!check.ok) return refused(invalid(check.problem));
      const { op } = check;
      const known = sender.key === undefined ? undefined : byKey.get(sender.key);
      if (known && sender.key !== undefined) return replayAnswer(op, sender.key, known, events);
      const slice = sliceFor(op);
      const verdict =
        op.op === "claim" && op.id === undefined
          ? claimReady(op, slice.now)
          : decideTask(op as Parameters<typeof decideTask>[0], sender, slice);
      if (!verdict.ok) return refused(verdict.refused);
      const seq = keep(verdict.events, sender, slice.now);
      return answerWith(
        verdict.about.flatMap((id) => tasks.get(id) ?? []),
        slice.now,
        seq,
      );
    },

    get(id) {
      open();
      const task = tasks.get(canonical(id));
      return task && taskAt(task, now());
    },

    ready({ label, limit } = {}) {
      open();
      const found = readyNow(now(), label);
      return limit === undefined ? found : found.slice(0, Math.max(0, limit));
    },

    list({ status, owner, label, parent, blockedBy, limit, after } = {}) {
      open();
      const at = now();
      const found = [...tasks.values()]
        .filter((task) => numberOf(task) > (taskNumber(after ?? "") ?? 0))
        .map((task) => taskAt(task, at))
        .filter((task) => status === undefined || task.status === status)
        .filter((task) => owner === undefined || task.owner === owner)
        .filter((task) => label === undefined || task.labels.includes(label))
        .filter((task) => parent === undefined || task.parent === canonical(parent))
        .filter((task) => blockedBy === undefined || task.blockedBy.includes(canonical(blockedBy)));
      return limit === undefined ? found : found.slice(0, Math.max(0, limit));
    },

    counts() {
      open();
      const at = now();
      const counts = { open: 0, claimed: 0, done: 0, failed: 0, cancelled: 0 };
      let delayed = 0;
      for (const task of tasks.values()) {
        const { status } = taskAt(task, at);
        counts[status] += 1;
        if (status === "open" && isDelayed(task, at) && openBlockers(task, tasks).length === 0)
          delayed += 1;
      }
      return { ...counts, ready: readyNow(at).length, delayed };
    },

    queue() {
      open();
      return queue;
    },

    setQueue(change, sender) {
      open();
      queue = changedQueue(queue, change, sender, now());
      return queue;
    },

    stats({ since: asked } = {}) {
      open();
      const at = now();
      const all = [...tasks.values()].map((task) => taskAt(task, at));
      const ready = readyNow(at);
      const { open: opened, claimed, failed, delayed } = this.counts();
      const newest = events.slice(-MOST_EVENTS);
      const from = asked ?? at - DAY;
      const ended = newest
        .filter((event) => event.at >= from && isOutcome(event))
        .slice(-MOST_CLOSED);
      const since = windowStart(
        from,
        { count: newest.length, firstAt: newest[0]?.at },
        { count: ended.length, firstAt: ended[0]?.at },
      );
      return statsOf({
        at,
        since,
        queue,
        counts: {
          ready: ready.length,
          delayed,
          blocked: opened - ready.length - delayed,
          claimed,
          failed,
          overdue: all.filter(
            ({ status, deadline = at + 1 }) =>
              (status === "open" || status === "claimed") && deadline <= at,
          ).length,
        },
        oldestAt: ready.length === 0 ? undefined : Math.min(...ready.map((each) => each.createdAt)),
        outcomes: ended.flatMap((event) => {
          const task = tasks.get(event.task);
          return task ? outcomeOf(event, task) : [];
        }),
        ready: ready.slice(0, MOST_READY),
        claimed: all.flatMap(({ status, labels, owner }) =>
          status === "claimed" && owner !== undefined ? [{ labels, owner }] : [],
        ),
      });
    },

    prune(keep) {
      open();
      const before = now() - Math.max(0, keep);
      let pruned = 0;
      for (;;) {
        const used = new Set(
          [...tasks.values()].flatMap(({ blockedBy, parent }) => [...blockedBy, parent ?? ""]),
        );
        const gone = [...tasks.values()].filter(
          (task) => isPrunable(task, before) && !used.has(task.id) && numberOf(task) < lastNumber,
        );
        if (gone.length === 0) return pruned;
        for (const task of gone) {
          tasks.delete(task.id);
          if (task.ref !== undefined) byRef.delete(task.ref);
        }
        pruned += gone.length;
        events = events.filter((event) => tasks.has(event.task));
        for (const [key, made] of byKey)
          if (made.some((event) => !tasks.has(event.task))) byKey.delete(key);
      }
    },

    events({ after = 0, task, limit, last } = {}) {
      open();
      const found = events.filter(
        (event) => event.seq > after && (task === undefined || event.task === canonical(task)),
      );
      const newest = last === undefined ? found : found.slice(Math.max(0, found.length - last));
      return limit === undefined ? newest : newest.slice(0, Math.max(0, limit));
    },

    renewByObservation(owner, ago = 0) {
      open();
      const at = now();
      const drafts = [...tasks.values()].flatMap((task): EventDraft[] => {
        const leaseUntil = task.owner === owner ? observedLease(task, at, ago) : undefined;
        return leaseUntil === undefined
          ? []
          : [{ type: "renewed", task: task.id, set: { leaseUntil } }];
      });
      keep(drafts, { by: "system", via: "observation", actor: owner }, at);
      return drafts.flatMap(({ task }) => tasks.get(task) ?? []);
    },

    now() {
      open();
      return now();
    },

    watch(listener) {
      open();
      return audience.add(listener);
    },

    close() {
      closed = true;
      audience.clear();
    },
  };
}
