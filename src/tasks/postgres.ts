import { setTimeout } from "node:timers/promises";
import { batchCalls } from "../engines/postgres/batch-calls.ts";
import {
  openServer,
  type Query,
  type Server,
  type ServerOptions,
} from "../engines/postgres/server.ts";
import { createServerWatch } from "../engines/postgres/watch.ts";
import { type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import {
  DEFAULT_LEASE,
  type Task,
  type TaskAnswer,
  type TaskOp,
  type TaskSender,
} from "./model.ts";
import {
  type Changed,
  claimEach,
  claimTasks,
  countTasks,
  eventOf as eventOfRow,
  eventsOfKey,
  finishEach,
  finishTasks,
  generateKey,
  isGeneratedKey,
  listEvents,
  listTasks,
  lockQueue,
  lockSlice,
  lockTask,
  newNumbers,
  oneTask,
  pruneTasks,
  readQueue,
  readyTasks,
  renewObserved,
  type StoredChange,
  statsInput,
  writeQueue,
  writeTasks,
} from "./postgres-rows.ts";
import { answerWith, eventOf, refused, replayAnswer, replayedTasks } from "./rules/answer.ts";
import { checkOp } from "./rules/check.ts";
import { decideTask, type NamedOp } from "./rules/decide.ts";
import type { EventDraft } from "./rules/decision.ts";
import { applyEvent } from "./rules/fold.ts";
import { needsOf } from "./rules/needs.ts";
import { changedQueue } from "./rules/queue/state.ts";
import { statsOf } from "./rules/queue/stats.ts";
import { invalid, noneReady, queuePaused } from "./rules/refusals.ts";
import { taskAt } from "./rules/task-at.ts";
import type { TaskStore } from "./store.ts";

/** Options of `postgresTaskStore`. */
export interface PostgresTaskStoreOptions extends ServerOptions {
  readonly onWarning?: Warn;
}

/** How long a claim skips ready tasks that other transactions have locked, before it waits for one. */
const CLAIM_PATIENCE = 500;

/**
 * Opens a task store on a PostgreSQL server, which any number of machines may share.
 *
 * @param url a connection URL such as `postgres://user@host/database`
 * @param options the connection, and where warnings go
 * @returns the store; close it when you no longer need it
 */
export async function postgresTaskStore(
  url: string,
  options: PostgresTaskStoreOptions = {},
): Promise<TaskStore> {
  const server = await openServer(url, options);
  const watching = createServerWatch(
    server,
    { from: "waymark.task_events", number: "seq", channel: "waymark_tasks", eventOf: eventOfRow },
    options.onWarning ?? warnOnConsole,
  );

  const quick = createQuick(server);
  const reading = async <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    server.attempt((query) => work(query), false);
  const shownNow = ({ tasks, now }: { readonly tasks: readonly Task[]; readonly now: number }) =>
    tasks.map((task) => taskAt(task, now));

  return {
    durable: true,

    async apply(given, sender) {
      const check = checkOp(given, sender);
      if (!check.ok) return refused(invalid(check.problem));
      await watching.started();
      const answer = await act(server, quick, check.op, sender);
      if (answer.ok && answer.seq !== undefined && !answer.duplicate) watching.notify();
      return answer;
    },

    get: async (id) => shownNow(await reading((query) => oneTask(query, id)))[0],

    ready: async ({ label, limit } = {}) =>
      shownNow(await reading((query) => readyTasks(query, limit, label))),

    list: async (filter = {}) => shownNow(await reading((query) => listTasks(query, filter))),

    queue: () => reading(readQueue),

    setQueue: (change, sender) =>
      server.attempt(async (query) => {
        const { state, now } = await lockQueue(query);
        const after = changedQueue(state, change, sender, now);
        await writeQueue(query, after);
        return after;
      }, true),

    stats: async ({ since } = {}) =>
      statsOf(await server.attempt((query) => statsInput(query, since), true)),

    async prune(keep) {
      let pruned = 0;
      for (;;) {
        const count = await server.attempt(
          (query) => pruneTasks(query, Math.max(0, Math.floor(keep))),
          true,
        );
        if (count === 0) return pruned;
        pruned += count;
      }
    },

    counts: () => reading(countTasks),

    events: (filter = {}) => reading((query) => listEvents(query, filter)),

    async renewByObservation(owner, ago = 0) {
      const renewed = await observe(server, owner, ago);
      if (renewed.length > 0) watching.notify();
      return renewed;
    },

    async now() {
      const [row] = await reading((query) => query("SELECT waymark.now_ms() AS now"));
      return Number(row?.now);
    },

    watch: (listener) => watching.add(listener),

    async close() {
      await watching.close();
      await server.close();
    },
  };
}

/** The outcome of the call is unknown. */
const UNSURE = Symbol("unsure");

/** The fast path of the two most frequent calls; undefined if the call needs the general one. */
type Quick = (
  op: TaskOp,
  sender: TaskSender,
  key: string,
) => Promise<Changed | typeof UNSURE | undefined>;

const GROUP = { ways: 4, most: 64 };

function createQuick(server: Server): Quick {
  const once = <I>(work: (query: Query, given: readonly I[]) => Promise<(Changed | undefined)[]>) =>
    batchCalls<I, Changed | typeof UNSURE | undefined>(async (given) => {
      try {
        return await server.attempt((query, tries) => {
          // Each call finds out its own outcome.
          if (tries > 0) throw new Error("unsure");
          return work(query, given);
        }, false);
      } catch {
        return given.map(() => UNSURE);
      }
    }, GROUP);
  const claim = once(claimEach);
  const finish = once(finishEach);
  return async (op, sender, key) => {
    if (op.op === "claim" && op.id === undefined && op.label === undefined && (op.count ?? 1) === 1)
      return claim({ owner: op.owner, lease: op.lease ?? DEFAULT_LEASE, sender, key });
    const [held, ...others] = op.op === "finish" && op.evidence === undefined ? op.held : [];
    if (op.op !== "finish" || !held || others.length > 0 || held.epoch === undefined)
      return undefined;
    return finish({ owner: op.owner, id: held.id, epoch: held.epoch, sender, key });
  };
}

/** The answer for a known key; undefined for a new one. */
async function known(query: Query, op: TaskOp, key: string): Promise<TaskAnswer | undefined> {
  const made = await eventsOfKey(query, key);
  if (made.length === 0) return undefined;
  const before = [];
  for (const task of replayedTasks(op, made)) before.push(...(await listEvents(query, { task })));
  const answer = replayAnswer(op, key, made, before);
  // No other call can have used a key that was generated for this one.
  return answer.ok && isGeneratedKey(key) ? { ...answer, duplicate: false } : answer;
}

/**
 * Every change has a key, generated if the caller sent none. After a lost connection, the key shows
 * whether the change was committed.
 */
async function act(
  server: Server,
  quick: Quick,
  op: TaskOp,
  sender: TaskSender,
): Promise<TaskAnswer> {
  const key = sender.key ?? generateKey();
  const first = sender.key === undefined ? await quick(op, sender, key) : undefined;
  if (first && first !== UNSURE) return answerWith(first.tasks, 0, first.seq);
  let isUnsure = first === UNSURE || sender.key !== undefined;
  const attempt = <T>(work: (query: Query) => Promise<TaskAnswer | T>, transaction: boolean) =>
    server.attempt(async (query, tries) => {
      isUnsure ||= tries > 0;
      const before = isUnsure ? await known(query, op, key) : undefined;
      if (before) return before;
      const answer = await work(query);
      const isRefused = typeof answer === "object" && !(answer as TaskAnswer).ok;
      // The first try may have been committed after the key was looked up, and be the reason for the refusal.
      return (isRefused && isUnsure && (await known(query, op, key))) || answer;
    }, transaction);

  if (op.op === "claim") {
    const lease = op.lease ?? DEFAULT_LEASE;
    const start = performance.now();
    let locked: string | undefined;
    for (;;) {
      const awaited = performance.now() - start > CLAIM_PATIENCE ? locked : undefined;
      const answer = await attempt(async (query) => {
        if (awaited !== undefined) await lockTask(query, awaited);
        const claimed = await claimTasks(query, op, lease, sender, key);
        if (claimed) return answerWith(claimed.tasks, 0, claimed.seq);
        if (op.id !== undefined) return undefined;
        const { paused } = await readQueue(query);
        if (paused) return refused(queuePaused(paused));
        const [next] = (await readyTasks(query, 1, op.label)).tasks;
        return next?.id ?? refused(noneReady(op.label));
      }, awaited !== undefined);
      if (answer === undefined) break;
      if (typeof answer === "object") return answer;
      locked = answer;
      await setTimeout(Math.random() * 10);
    }
  }
  if (op.op === "finish") {
    const answer = await attempt(async (query) => {
      const finished = await finishTasks(query, op, sender, key);
      return finished && answerWith(finished.tasks, 0, finished.seq);
    }, false);
    if (answer) return answer;
  }
  const named = op as NamedOp;
  const { names, refs } = needsOf(named);
  // A single statement needs no transaction around it.
  const alone = named.op === "add" && names.length === 0 && refs.length === 0;
  return attempt((query) => carryOut(query, named, sender, key), !alone);
}

async function carryOut(
  query: Query,
  op: NamedOp,
  sender: TaskSender,
  key: string,
): Promise<TaskAnswer> {
  const slice = await lockSlice(query, op);
  const { now } = slice;
  let verdict = decideTask(op, sender, slice);
  if (!verdict.ok) return refused(verdict.refused);
  if (op.op === "add" && verdict.events.length > 0) {
    // Numbers are drawn only once they are certain to be used.
    const numbers = await newNumbers(query, verdict.events.length);
    verdict = decideTask(op, sender, { ...slice, numberAt: (place) => numbers[place] ?? 0 });
    if (!verdict.ok) return refused(verdict.refused);
  }
  const tasks = new Map(slice.byId);
  const kept = verdict.events.map((draft) => keptOf(tasks, draft, sender, now));
  const seq = kept.length === 0 ? undefined : await writeTasks(query, kept, key);
  for (const task of slice.byRef.values()) if (!tasks.has(task.id)) tasks.set(task.id, task);
  return answerWith(
    verdict.about.flatMap((id) => tasks.get(id) ?? []),
    now,
    seq,
  );
}

function keptOf(
  tasks: Map<string, Task>,
  draft: EventDraft,
  sender: TaskSender,
  now: number,
): StoredChange {
  const event = eventOf(draft, sender, 0, now);
  const before = tasks.get(draft.task);
  const after = applyEvent(before, event);
  tasks.set(after.id, after);
  return { before, after, event };
}

async function observe(server: Server, owner: string, ago: number): Promise<readonly Task[]> {
  const key = generateKey();
  const renewedBefore = async (query: Query) => {
    const held = (await eventsOfKey(query, key)).map(({ task }) => ({ id: task }));
    const answer = await known(query, { op: "renew", owner, held }, key);
    return answer?.ok ? answer.tasks : [];
  };
  return server.attempt(async (query, tries) => {
    const before = tries > 0 ? await renewedBefore(query) : [];
    if (before.length > 0) return before;
    const renewed = await renewObserved(query, owner, Math.max(0, Math.floor(ago)), key);
    return renewed.length === 0 && tries > 0 ? renewedBefore(query) : renewed;
  }, false);
}
