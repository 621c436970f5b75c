import type { Observed } from "./core/activity/observation.ts";
import { recordObserved } from "./core/activity/record.ts";
import { argumentError, unknownName } from "./core/argument.ts";
import { type Awaitable, andThen } from "./core/awaitable.ts";
import { WaymarkError } from "./core/error.ts";
import { evolve, foldEvents } from "./core/evolve.ts";
import { refusalLine } from "./core/guidance/refusal.ts";
import { type ReminderWords, reminderFor } from "./core/guidance/rules.ts";
import { decide } from "./core/list/decide.ts";
import type { Door, Intent, WriteRequest } from "./core/list/intent.ts";
import {
  type GuidancePolicy,
  guidanceFor,
  type Policy,
  PRESETS,
  policyFor,
} from "./core/list/policy.ts";
import type {
  By,
  Change,
  Decision,
  Draft,
  Event,
  Moment,
  Op,
  Origin,
  Outcome,
  Rejection,
  Reminder,
  Todo,
  Track,
  TrackId,
} from "./core/model.ts";
import {
  type ApproveOptions,
  type CommentOptions,
  type DecisionOptions,
  type PlanOptions,
  planDoor,
} from "./core/plan/api.ts";
import { decidePlan } from "./core/plan/decide.ts";
import type { Plan } from "./core/plan/plan.ts";
import { isStreamType, STREAM_TYPES } from "./core/stream/events.ts";
import { checkId, MAIN_AGENT } from "./core/text/ids.ts";
import { modelText } from "./core/text/model-text.ts";
import { type Remark, remarksOf, type Transition, transitionsOf } from "./core/views/history.ts";
import { currentOf, type Progress, progressOf } from "./core/views/view.ts";
import type { Recorded, Store, TrackFilter } from "./stores/store.ts";

/** A store that answers at once makes a tracker that answers at once. */
export interface SyncStore extends Store {
  read(id: TrackId): Track;
  commit(...args: Parameters<Store["commit"]>): Outcome;
  events(id: TrackId, after?: number): readonly Event[];
  tracks(filter?: TrackFilter): readonly Track[];
}

/** What a method returns: a value at once on a store in memory, a promise on any other. */
export type Result<S extends Store, T> = S extends SyncStore ? T : Promise<T>;

/** Options of `createTracker`. */
export interface TrackerOptions {
  readonly policy?: Partial<Policy>;
  /** When and how the model is reminded. */
  readonly guidance?: Partial<GuidancePolicy>;
  /** What the model calls the list tool; a function where that is only known later. */
  readonly tool?: string | (() => string | undefined);
  /**
   * The session of the tracker's own list: `own`, `observe`, `context`, `tools`. On a durable store
   * these throw without it (default on a store in memory: `main`).
   */
  readonly session?: string;
  /** The agent of the tracker's own list (default: `main`). */
  readonly agent?: string;
  readonly clock?: () => number;
  readonly newKey?: () => string;
  /** Called for every write that was refused, in whole or in part. */
  readonly onRefused?: (rejected: readonly Rejection[], via: string) => void;
}

/** Options of every write of a list. */
export interface SubmitOptions {
  readonly by?: By;
  readonly via?: string;
  readonly key?: string;
  readonly policy?: Partial<Policy>;
  /** Refused unless the list is still as it was at this revision. */
  readonly revision?: number;
  /** Refused with this, judged by the track as it is at the moment of the write. */
  readonly refuse?: (track: Track) => Rejection | undefined;
}

/** Options of `observe`. */
export interface ObserveOptions {
  /** When it was seen, where that was earlier (default: now). */
  readonly at?: number;
  /** The model can be told something now: the answer may have a reminder. */
  readonly moment?: Moment;
  /** The same key never acts twice. */
  readonly key?: string;
  readonly via?: string;
  /** What the model calls the list tool; undefined where it has none. */
  readonly tool?: string | undefined;
  /** The model may have to search for the tool before it can call it. */
  readonly search?: boolean;
  readonly guidance?: Partial<GuidancePolicy>;
}

/** The result of `observe`: the outcome, and a reminder if one is due. */
export interface Observance {
  readonly outcome: Outcome;
  readonly reminder?: Reminder;
}

/** Options of `context`. */
export interface ContextOptions {
  readonly moment?: Moment;
  /** What the model calls the list tool; undefined where it has none. */
  readonly tool?: string | undefined;
}

/** The plan of one agent. Drafts and proposals are the agent's, decisions a person's. */
export interface PlanDoor<S extends Store = Store> {
  get(): Result<S, Plan | undefined>;
  draft(delta: string, options?: PlanOptions): Result<S, Outcome>;
  /** Without a text, what was drafted is proposed. */
  propose(text?: string, options?: PlanOptions & { path?: string }): Result<S, Outcome>;
  approve(comment?: string, options?: ApproveOptions): Result<S, Outcome>;
  reject(comment?: string, options?: DecisionOptions): Result<S, Outcome>;
  comment(text: string, options?: CommentOptions): Result<S, Outcome>;
  adopt(options?: PlanOptions): Result<S, Outcome>;
}

/** One agent's list. */
export interface List<S extends Store = Store> extends Door {
  readonly id: TrackId;
  read(): Result<S, Track>;
  write(request: WriteRequest): Result<S, Outcome>;
  submit(ops: readonly Op[], options?: SubmitOptions): Result<S, Outcome>;
  /** Writes the whole list. */
  set(todos: readonly Draft[], options?: SubmitOptions): Result<S, Outcome>;
  get(): Result<S, readonly Todo[]>;
  current(): Result<S, Todo | undefined>;
  progress(): Result<S, Progress>;
  clear(options?: SubmitOptions): Result<S, Outcome>;
  /** Records what a host saw; with a moment, answers with at most one reminder. */
  observe(seen: Observed | readonly Observed[], options?: ObserveOptions): Result<S, Observance>;
  /** What to put before the next model call, if anything; recorded as told. */
  context(options?: ContextOptions): Result<S, string | undefined>;
  readonly plan: PlanDoor<S>;
  subscribe(listener: (event: Event) => void): () => void;
  /** Everything that happened, oldest first. */
  events(): Result<S, readonly Event[]>;
  history(): Result<S, readonly Transition[]>;
  /** What the model was told, and what happened to plans. */
  remarks(): Result<S, readonly Remark[]>;
  /** The track as it was at a time. */
  at(time: number): Result<S, Track>;
}

/** The only writer of tracks. */
export interface Tracker<S extends Store = Store> {
  list(id: TrackId, origin?: Origin): List<S>;
  tracks(filter?: TrackFilter): Result<S, readonly Track[]>;
  /** Calls `replaced` when another store took the place of this one: read everything again then. */
  watch(listener: (recorded: Recorded) => void, replaced?: () => void): () => void;
  /** Copies the list of one track to another; false when there was nothing to copy. */
  copy(from: TrackId, to: TrackId): Result<S, boolean>;
  /** The list of the session and agent that the tracker was created for. */
  readonly own: List<S>;
  /** `observe` of the own list. */
  observe: List<S>["observe"];
  /** `context` of the own list. */
  context: List<S>["context"];
  /** Ends all subscriptions, and closes the store if the tracker created it. */
  close(): Awaitable<void>;
}

/** A tracker that owns the store: `close` closes it. */
export function trackerOn<S extends Store>(store: S, options?: TrackerOptions): Tracker<S>;
export function trackerOn(
  store: Store,
  {
    policy = {},
    guidance = {},
    tool = "todos",
    session,
    agent = MAIN_AGENT,
    clock = Date.now,
    newKey = uniqueKey,
    onRefused = () => undefined,
  }: TrackerOptions = {},
): Tracker {
  const mark = once(randomMark);
  const named = typeof tool === "string" ? () => tool : tool;
  const parts = { store, policy, guidance, tool: named, mark, clock, newKey, onRefused };
  const list = (id: TrackId, origin?: Origin) => {
    checkTrackId(id);
    return openList({ ...parts, id, origin });
  };
  const own = once(() => list({ session: session ?? sharedSession(store), agent }));
  checkOwn("session", session);
  checkOwn("agent", agent);
  const tracker: Tracker = {
    list,
    tracks: (filter) => store.tracks(filter) as Promise<readonly Track[]>,
    watch: (listener, replaced) => store.watch(listener, replaced),
    copy: (from, to) =>
      andThen(store.read(from), ({ todos, cwd }) => {
        if (todos.length === 0) return false;
        const drafts = draftsOf(todos);
        const copied = list(to, cwd === undefined ? {} : { cwd }).set(drafts, {
          by: "system",
          via: `copy of ${from.session}`,
          // What was good enough there is good enough here.
          policy: PRESETS.foreign,
        });
        return andThen(copied as Awaitable<Outcome>, (outcome) => outcome.ok);
      }) as Promise<boolean>,
    get own() {
      return own();
    },
    observe: (...args) => own().observe(...args),
    context: (...args) => own().context(...args),
    close: () => store.close(),
  };
  // A copy such as { ...tracker } reads every enumerable property.
  if (session === undefined && store.durable)
    Object.defineProperty(tracker, "own", { enumerable: false });
  return tracker;
}

function checkTrackId(id: TrackId): void {
  const given: Partial<TrackId> | undefined = id;
  const isName = (name: unknown) => typeof name === "string" && name !== "";
  if (isName(given?.session) && isName(given?.agent)) return;
  throw argumentError(
    "list(id)",
    "{ session, agent } with two non-empty strings",
    id,
    'Call tracker.list({ session: "demo", agent: "main" }), or use tracker.own.',
  );
}

function checkOwn(kind: "session" | "agent", id: string | undefined): void {
  const problem = id === undefined ? undefined : checkId(kind, id);
  if (problem !== undefined) throw new TypeError(`createTracker({ ${kind} }): ${problem}`);
}

/** Trackers without a session would write to one list, also those of other processes. */
function sharedSession(store: Store): string {
  if (!store.durable) return "main";
  throw new WaymarkError(
    "no_session",
    "This tracker has no session, and its store is durable: all such trackers would share one list. " +
      'Call createTracker({ store, session: "my-session" }), or use tracker.list({ session, agent }).',
  );
}

/** Todos without what only holds in their own track; links are by foreign id, ours change. */
function draftsOf(todos: readonly Todo[]): readonly Draft[] {
  const linked = new Set(todos.flatMap(({ parent, blockedBy = [] }) => [parent, ...blockedBy]));
  const refs = new Map(todos.map(({ id, ref = id }) => [id, ref]));
  const refOf = (id: string) => refs.get(id) ?? id;
  return todos.map((todo) => {
    const {
      id,
      createdAt: _,
      startedAt: __,
      finishedAt: ___,
      movedBy: ____,
      check: _____,
      addedBy: ______,
      parent,
      blockedBy,
      ...draft
    } = todo;
    return {
      ...draft,
      ...(linked.has(id) && { ref: refOf(id) }),
      ...(parent !== undefined && { parent: refOf(parent) }),
      ...(blockedBy && { blockedBy: blockedBy.map(refOf) }),
    };
  });
}

let keys = 0;

/** Unique in the whole world of one track: the time, chance, and how many there were before. */
function uniqueKey(): string {
  keys++;
  const chance = Math.random().toString(36).slice(2);
  return `${Date.now().toString(36)}-${chance}-${keys.toString(36)}`;
}

/** Made when something is said: what chance is taken from takes longer to load than most commands. */
function wordsOf(mark: () => string, tool: string | undefined, search = false): ReminderWords {
  return {
    search,
    get mark() {
      return mark();
    },
    tool,
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Nobody who writes a todo can know it. */
function randomMark(): string {
  const [a = 0, b = 0] = globalThis.crypto.getRandomValues(new Uint32Array(2));
  return a.toString(36) + b.toString(36);
}

/** Up to the first event after the time: a clock that was set back must leave no gaps. */
function until(events: readonly Event[], time: number): readonly Event[] {
  const later = events.findIndex((event) => event.at > time);
  return later === -1 ? events : events.slice(0, later);
}

const CHANGED: Rejection = {
  code: "conflict",
  message: modelText`The list was changed in the meantime; yours was not written over it.`,
};

interface ListParts {
  readonly store: Store;
  readonly policy: Partial<Policy>;
  readonly guidance: Partial<GuidancePolicy>;
  readonly tool: () => string | undefined;
  readonly mark: () => string;
  readonly clock: () => number;
  readonly newKey: () => string;
  readonly onRefused: (rejected: readonly Rejection[], via: string) => void;
  readonly id: TrackId;
  readonly origin: Origin | undefined;
}

function openList(parts: ListParts): List {
  const { store, policy, clock, newKey, id, origin } = parts;
  /** Reported late, it happened when it happened; the events of a list stay in the order of time. */
  const timeOf = ({ updatedAt }: Track, at: number | undefined) =>
    at === undefined ? clock() : Math.min(clock(), Math.max(at, updatedAt));
  const commit = (
    {
      key = newKey(),
      policy: own,
      ...request
    }: Omit<WriteRequest, "key"> & { key?: string | undefined },
    by: By,
  ) =>
    store.commit(id, key, (track) => {
      const intent = request.decode(track);
      if ("rejected" in intent) return { ok: false, rejected: intent.rejected };
      const { via, words, at, informs = false } = request;
      const submission = {
        key,
        at: timeOf(track, at),
        by,
        via,
        ...intent,
        informs,
        ...(words && { words }),
        ...(origin && { origin }),
      };
      const decision = decide(track, submission, policyFor(by, policy, own));
      return request.nudge ? nudged(track, decision, request.via) : decision;
    });
  const nudged = (track: Track, decision: Decision, tool: string): Decision => {
    if (!decision.ok || !decision.event.changes.some(isCompletion)) return decision;
    const { event } = decision;
    const words = wordsOf(parts.mark, parts.tool() ?? tool);
    const reminder = reminderFor(evolve(track, event), "write", guidanceFor(parts.guidance), words);
    if (!reminder) return decision;
    const { kind, text } = reminder;
    const changes: Change[] = [...event.changes, { type: "reminded", kind, moment: "write", text }];
    return { ok: true, event: { ...event, changes } };
  };
  const submit = (
    ops: readonly Op[],
    { by = "agent", via = "library", revision, refuse, ...rest }: SubmitOptions = {},
  ) => {
    if (!Array.isArray(ops))
      throw argumentError(
        "submit(ops)",
        "an array of operations",
        ops,
        'Call list.submit([{ op: "clear" }]).',
      );
    const decode = (track: Track): Intent => {
      const isChanged = revision !== undefined && track.revision !== revision;
      const refused = isChanged ? CHANGED : refuse?.(track);
      return refused ? { rejected: [refused] } : { ops };
    };
    const written = commit({ via, informs: by === "agent", ...rest, decode }, by);
    return andThen(written, (outcome) => heard(outcome, via));
  };
  const heard = (outcome: Outcome, via: string): Outcome => {
    if (outcome.rejected.length > 0 && !outcome.duplicate) parts.onRefused(outcome.rejected, via);
    return outcome;
  };
  const from = <T>(pick: (todos: readonly Todo[]) => T) =>
    andThen(store.read(id), ({ todos }) => pick(todos));

  const observe = (
    seen: Observed | readonly Observed[],
    { moment, key = newKey(), via = "host", at, guidance, ...named }: ObserveOptions = {},
  ) => {
    const policy = guidanceFor(parts.guidance, guidance);
    const words = wordsOf(parts.mark, "tool" in named ? named.tool : parts.tool(), named.search);
    const events = [seen].flat();
    for (const event of events) checkObserved(event);
    const commit = () =>
      andThen(
        store.commit(id, key, (track) =>
          recordObserved(track, events, {
            key,
            at: timeOf(track, at),
            via,
            guidance: policy,
            words,
            ...(origin && { origin }),
            ...(moment && { moment }),
          }),
        ),
        observanceOf,
      );
    if (events.length > 0) return commit();
    // Most of the time there is nothing to say, and finding that out needs no writer.
    return andThen(store.read(id), (track) =>
      moment && reminderFor(track, moment, policy, words)
        ? commit()
        : observanceOf({ ok: true, duplicate: false, rejected: [], before: track, after: track }),
    );
  };

  const plan = planDoor({
    read: () => store.read(id),
    act: (wanted, by, { via = "library", key = newKey(), by: given = by }) =>
      andThen(
        store.commit(id, key, (track) =>
          decidePlan(track, wanted, {
            key,
            at: clock(),
            by: given,
            via,
            ...(origin && { origin }),
          }),
        ),
        (outcome) => heard(outcome, via),
      ),
  });

  // The types promise what the store keeps: at once from a store that answers at once.
  return {
    id,
    durable: store.durable,
    read: () => store.read(id),
    write: (request) => commit(request, "agent"),
    refused: (rejected, { key, partial } = {}) => {
      parts.onRefused(rejected, "tool");
      return andThen(store.read(id), ({ guide, version }) => {
        // Recorded for the reminder where a host reports the agent's steps, and for the user where
        // others read the store. A track that does not exist is not created, plan mode is no failure.
        if (
          (!guide && (version === 0 || !store.durable)) ||
          rejected.some(({ code }) => code === "plan_mode" || code === "gated")
        )
          return undefined;
        const message = refusalLine(rejected);
        const seen: Observed = {
          type: "warning",
          code: "list_rejected",
          message,
          ...(partial && { partial }),
        };
        const options = key === undefined ? {} : { key: `${key} refused` };
        return andThen(observe(seen, options), () => undefined);
      }) as Promise<void>;
    },
    submit,
    set: (todos, options) => {
      if (!Array.isArray(todos))
        throw argumentError(
          "set(todos)",
          "an array of todos",
          todos,
          'Call list.set([{ text: "Run the tests" }]).',
        );
      return submit([{ op: "replace", todos }], options);
    },
    get: () => from((todos) => [...todos]),
    current: () => from(currentOf),
    progress: () => from(progressOf),
    clear: (options) => submit([{ op: "clear" }], options),
    observe,
    plan: plan as PlanDoor,
    context: ({ moment, ...rest } = {}) =>
      andThen(store.read(id), ({ guide }) => {
        const next = (guide?.prompted ?? true) ? "prompt" : "step";
        return andThen(
          observe([], { moment: moment ?? next, ...rest }),
          ({ reminder }) => reminder?.text,
        );
      }),
    subscribe: (listener) =>
      store.watch(({ track, event }) => {
        if (track.session === id.session && track.agent === id.agent) listener(event);
      }),
    events: () => store.events(id),
    history: () => andThen(store.events(id), transitionsOf),
    remarks: () => andThen(store.events(id), remarksOf),
    at: (time) => andThen(store.events(id), (events) => foldEvents(id, until(events, time))),
  } as List;
}

function checkObserved(event: Observed): void {
  const type: unknown = (event as Observed | undefined)?.type;
  if (typeof type !== "string")
    throw argumentError(
      "observe(seen)",
      "an event or an array of events, each with a type",
      event,
      'Call list.observe({ type: "turn.completed" }).',
    );
  if (!isStreamType(type)) throw unknownName("observation type", type, STREAM_TYPES);
}

function isCompletion(change: Change): boolean {
  return change.type === "todo.moved" && change.to === "completed";
}

function observanceOf(outcome: Outcome): Observance {
  const { event, duplicate, rejected } = outcome;
  const told = duplicate ? undefined : event?.changes.find(({ type }) => type === "reminded");
  const seen = { ...outcome, ok: rejected.length === 0 };
  if (told?.type !== "reminded") return { outcome: seen };
  return { outcome: seen, reminder: { kind: told.kind, text: told.text, isMeta: true } };
}
