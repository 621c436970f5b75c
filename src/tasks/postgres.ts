import { setTimeout } from "node:timers/promises";
import {
  openServer,
  type Query,
  type Server,
  type ServerOptions,
} from "../engines/postgres/server.ts";
import { together } from "../engines/postgres/together.ts";
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
  isAnyReady,
  isMadeUp,
  type Kept,
  keepTasks,
  listEvents,
  listTasks,
  lockSlice,
  madeUpKey,
  newNumbers,
  oneTask,
  readyTasks,
  renewObserved,
} from "./postgres-rows.ts";
import { answerAgain, answered, eventOf, refused, shownAgain } from "./rules/answer.ts";
import { checkOp } from "./rules/check.ts";
import { applyEvent } from "./rules/fold.ts";
import { judge, type NamedOp } from "./rules/judge.ts";
import { needsOf } from "./rules/needs.ts";
import { invalid, noneReady } from "./rules/refusals.ts";
import { standing } from "./rules/standing.ts";
import type { EventDraft } from "./rules/verdict.ts";
import type { TaskStore } from "./store.ts";

/** Options of `postgresTaskStore`. */
export interface PostgresTaskStoreOptions extends ServerOptions {
  readonly onWarning?: Warn;
}

/** How long a claim looks again while others have what is ready in their hands. */
const CLAIM_PATIENCE = 2_000;

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
    tasks.map((task) => standing(task, now));

  return {
    durable: true,

    async apply(given, sender) {
      const check = checkOp(given, sender);
      if (!check.ok) return refused(invalid(check.problem));
      await watching.started();
      const answer = await act(server, quick, check.op, sender);
      if (answer.ok && answer.seq !== undefined && !answer.duplicate) watching.tell();
      return answer;
    },

    get: async (id) => shownNow(await reading((query) => oneTask(query, id)))[0],

    ready: async ({ label, limit } = {}) =>
      shownNow(await reading((query) => readyTasks(query, limit, label))),

    list: async (filter = {}) => shownNow(await reading((query) => listTasks(query, filter))),

    counts: () => reading(countTasks),

    events: (filter = {}) => reading((query) => listEvents(query, filter)),

    async renewByObservation(owner, ago = 0) {
      const renewed = await observe(server, owner, ago);
      if (renewed.length > 0) watching.tell();
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

/** It is not known whether the call took effect. */
const UNSURE = Symbol("unsure");

/** The short way of the two calls that are made all the time; nothing for what has to go the long way. */
type Quick = (
  op: TaskOp,
  sender: TaskSender,
  key: string,
) => Promise<Changed | typeof UNSURE | undefined>;

const GROUP = { ways: 4, most: 64 };

function createQuick(server: Server): Quick {
  const once = <I>(work: (query: Query, given: readonly I[]) => Promise<(Changed | undefined)[]>) =>
    together<I, Changed | typeof UNSURE | undefined>(async (given) => {
      try {
        return await server.attempt((query, tries) => {
          // Each of them finds out for itself what became of it.
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

/** The answer of a key that is known; nothing for one that is new. */
async function known(query: Query, op: TaskOp, key: string): Promise<TaskAnswer | undefined> {
  const made = await eventsOfKey(query, key);
  if (made.length === 0) return undefined;
  const before = [];
  for (const task of shownAgain(op, made)) before.push(...(await listEvents(query, { task })));
  const answer = answerAgain(op, key, made, before);
  // Nobody but this very call can have used a key that was made up for it.
  return answer.ok && isMadeUp(key) ? { ...answer, duplicate: false } : answer;
}

/**
 * Every change has a key, made up if need be: when the connection is lost it is unknown whether the
 * change took effect, and the key is what tells.
 */
async function act(
  server: Server,
  quick: Quick,
  op: TaskOp,
  sender: TaskSender,
): Promise<TaskAnswer> {
  const key = sender.key ?? madeUpKey();
  const first = sender.key === undefined ? await quick(op, sender, key) : undefined;
  if (first && first !== UNSURE) return answered(first.tasks, 0, first.seq);
  const knownBefore = async (query: Query, tries: number) =>
    tries > 0 || first === UNSURE || sender.key !== undefined ? known(query, op, key) : undefined;

  if (op.op === "claim") {
    const lease = op.lease ?? DEFAULT_LEASE;
    const start = performance.now();
    for (;;) {
      const answer = await server.attempt(async (query, tries) => {
        const before = await knownBefore(query, tries);
        if (before) return before;
        const claimed = await claimTasks(query, op, lease, sender, key);
        if (claimed) return answered(claimed.tasks, 0, claimed.seq);
        if (op.id !== undefined) return undefined;
        // What others have locked is passed over; it may yet stay free.
        const more = await isAnyReady(query, op.label);
        const late = performance.now() - start > CLAIM_PATIENCE;
        return more && !late ? "again" : refused(noneReady(op.label));
      }, false);
      if (answer === undefined) break;
      if (answer !== "again") return answer;
      await setTimeout(Math.random() * 10);
    }
  }
  if (op.op === "finish") {
    const answer = await server.attempt(async (query, tries) => {
      const before = await knownBefore(query, tries);
      if (before) return before;
      const finished = await finishTasks(query, op, sender, key);
      return finished && answered(finished.tasks, 0, finished.seq);
    }, false);
    if (answer) return answer;
  }
  const named = op as NamedOp;
  const { names, refs } = needsOf(named);
  // A single statement needs no transaction around it.
  const alone = named.op === "add" && names.length === 0 && refs.length === 0;
  return server.attempt(async (query, tries) => {
    const before = await knownBefore(query, tries);
    return before ?? carryOut(query, named, sender, key);
  }, !alone);
}

async function carryOut(
  query: Query,
  op: NamedOp,
  sender: TaskSender,
  key: string,
): Promise<TaskAnswer> {
  const slice = await lockSlice(query, op);
  const { now } = slice;
  let verdict = judge(op, sender, slice);
  if (!verdict.ok) return refused(verdict.refused);
  if (op.op === "add" && verdict.events.length > 0) {
    // Numbers are drawn when it is certain that they are used.
    const numbers = await newNumbers(query, verdict.events.length);
    verdict = judge(op, sender, { ...slice, numberAt: (place) => numbers[place] ?? 0 });
    if (!verdict.ok) return refused(verdict.refused);
  }
  const tasks = new Map(slice.byId);
  const kept = verdict.events.map((draft) => keptOf(tasks, draft, sender, now));
  const seq = kept.length === 0 ? undefined : await keepTasks(query, kept, key);
  for (const task of slice.byRef.values()) if (!tasks.has(task.id)) tasks.set(task.id, task);
  return answered(
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
): Kept {
  const event = eventOf(draft, sender, 0, now);
  const before = tasks.get(draft.task);
  const after = applyEvent(before, event);
  tasks.set(after.id, after);
  return { before, after, event };
}

async function observe(server: Server, owner: string, ago: number): Promise<Task[]> {
  const key = madeUpKey();
  return server.attempt(async (query, tries) => {
    if (tries > 0 && (await eventsOfKey(query, key)).length > 0) return [];
    return renewObserved(query, owner, Math.max(0, Math.floor(ago)), key);
  }, false);
}
