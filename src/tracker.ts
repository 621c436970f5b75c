import type { CallRef, ObservedEvent } from "./core/activity/observation.ts";
import { recordObserved, remindedChange, type StalledStep } from "./core/activity/record.ts";
import { argumentError, unknownName } from "./core/argument.ts";
import { type Awaitable, andThen } from "./core/awaitable.ts";
import { type ProofRecord, withProofs } from "./core/checks/proof.ts";
import type { Collision } from "./core/collisions/collision.ts";
import { WaymarkError } from "./core/error.ts";
import { evolve, foldEvents } from "./core/evolve.ts";
import { refusalReasons } from "./core/guidance/refusal.ts";
import { type ReminderContext, reminderFor } from "./core/guidance/rules.ts";
import type { Handoff } from "./core/handoff/handoff.ts";
import type { Intent, ListAccess, WriteRequest } from "./core/list/access.ts";
import { decide } from "./core/list/decide.ts";
import {
  type GuidancePolicy,
  guidanceFor,
  type Policy,
  PRESETS,
  policyFor,
} from "./core/list/policy.ts";
import type {
  Author,
  Change,
  Decision,
  Draft,
  Event,
  Op,
  Origin,
  Outcome,
  Rejection,
  Reminder,
  ReminderMoment,
  Todo,
  Track,
  TrackId,
} from "./core/model.ts";
import {
  type ApproveOptions,
  type CommentOptions,
  createPlanAccess,
  type DecisionOptions,
  type PlanOptions,
} from "./core/plan/api.ts";
import { decidePlan } from "./core/plan/decide.ts";
import type { Plan } from "./core/plan/plan.ts";
import { isStreamType, STREAM_TYPES } from "./core/stream/events.ts";
import { checkId, MAIN_AGENT } from "./core/text/ids.ts";
import { modelText } from "./core/text/model-text.ts";
import { type Remark, remarksOf, type Transition, transitionsOf } from "./core/views/history.ts";
import { currentOf, type Progress, progressOf } from "./core/views/view.ts";
import type { RecordedEvent, Store, TrackFilter } from "./stores/store.ts";

/** A store whose methods return their results directly. A tracker on it does the same. */
export interface SyncStore extends Store {
  read(id: TrackId): Track;
  commit(...args: Parameters<Store["commit"]>): Outcome;
  events(id: TrackId, after?: number): readonly Event[];
  tracks(filter?: TrackFilter): readonly Track[];
}

/** The return type of a method: a value on a store in memory, a promise on any other. */
export type Result<S extends Store, T> = S extends SyncStore ? T : Promise<T>;

/** Options of `createTracker`. */
export interface TrackerOptions {
  /** Limits and rules of list writes (default: `DEFAULT_POLICY`). */
  readonly policy?: Partial<Policy>;
  /** When and how the model is reminded (default: `DEFAULT_GUIDANCE`). */
  readonly guidance?: Partial<GuidancePolicy>;
  /**
   * The name of the list tool in reminders, or a function if it is known only later (default: the first
   * tool that `tools` returned, otherwise `todos`).
   */
  readonly tool?: string | (() => string | undefined);
  /**
   * The session of the tracker's own list, used by `own`, `observe`, `context` and `tools`. On a durable
   * store they throw without it (default on a store in memory: `main`).
   */
  readonly session?: string;
  /** The agent of the tracker's own list (default: `main`). */
  readonly agent?: string;
  /** The current time in milliseconds (default: `Date.now`). */
  readonly clock?: () => number;
  /** Generates idempotency keys (default: random). */
  readonly newKey?: () => string;
  /**
   * Reads the recorded runs of checks by Waymark. They are added to todos that are read, and reminders depend on
   * them; they are not part of the track (default: none).
   */
  readonly proofs?: (id: TrackId) => readonly ProofRecord[];
  /** Called for every write that is refused, in whole or in part. */
  readonly onRefused?: (rejected: readonly Rejection[], via: string) => void;
}

/** Options of a list write. */
export interface SubmitOptions {
  /** The author (default: `agent`). A write of the user is never undone silently by the agent. */
  readonly by?: Author;
  /** The tool or command that writes, for the history (default: `library`). */
  readonly via?: string;
  /** Idempotency key (default: generated). */
  readonly key?: string;
  /** Overrides the policy of the tracker. */
  readonly policy?: Partial<Policy>;
  /** Refuse the write unless the list still has this `revision`. */
  readonly revision?: number;
  /** Refuse the write with the returned rejection, given the track at the time of the write. */
  readonly refuse?: (track: Track) => Rejection | undefined;
}

/** Options of `observe`. */
export interface ObserveOptions {
  /** When it happened (default: now). */
  readonly at?: number;
  /** Set if the model can receive text now: the result may have a reminder. */
  readonly moment?: ReminderMoment;
  /** Idempotency key (default: generated). */
  readonly key?: string;
  /** The source, for the history (default: `host`). */
  readonly via?: string;
  /** The name of the list tool in reminders; undefined if the model has none. */
  readonly tool?: string | undefined;
  /** Whether the model may have to search for the tool before it can call it. */
  readonly search?: boolean;
  /** Overrides the guidance of the tracker. */
  readonly guidance?: Partial<GuidancePolicy>;
  /** A reminder that the host sends by itself at `moment`: it is recorded instead of the one that is due. */
  readonly given?: Reminder;
  /** Collisions with other agents that the host noticed. */
  readonly collisions?: readonly Collision[];
  /** A step that Waymark takes because the agent stalled or looped. */
  readonly stalled?: StalledStep;
  /** A list that the session takes over, if it has none. */
  readonly handoff?: Handoff;
  /** The session that continues the list. */
  readonly passedTo?: TrackId;
  /** The call that the host denies if there is a reminder at this moment. */
  readonly denies?: CallRef;
}

/** The result of `observe`: the outcome, and a reminder if one is due. */
export interface ObserveResult {
  readonly outcome: Outcome;
  readonly reminder?: Reminder;
}

/** Options of `context`. */
export interface ContextOptions {
  /** The input that the model is about to receive (default: `prompt` after a user message, otherwise `step`). */
  readonly moment?: ReminderMoment;
  /** The name of the list tool in reminders; undefined if the model has none. */
  readonly tool?: string | undefined;
}

/** The plan of one agent. By default, the agent drafts and proposes, and the user decides. */
export interface PlanAccess<S extends Store = Store> {
  /** The last plan that was drafted or proposed. */
  get(): Result<S, Plan | undefined>;
  /** Appends to the draft. */
  draft(delta: string, options?: PlanOptions): Result<S, Outcome>;
  /**
   * Proposes a plan and closes the list to the agent until it is approved.
   *
   * @param text the plan in Markdown (default: the draft)
   */
  propose(text?: string, options?: PlanOptions & { path?: string }): Result<S, Outcome>;
  /** Approves the proposed plan and opens the list again. */
  approve(comment?: string, options?: ApproveOptions): Result<S, Outcome>;
  /** Rejects the proposed plan. */
  reject(comment?: string, options?: DecisionOptions): Result<S, Outcome>;
  /** Comments on the plan without deciding. */
  comment(text: string, options?: CommentOptions): Result<S, Outcome>;
  /** Appends the steps of the approved plan as todos. */
  adopt(options?: PlanOptions): Result<S, Outcome>;
}

/** The list of one agent. */
export interface List<S extends Store = Store> extends ListAccess {
  readonly id: TrackId;
  /** The whole track: todos, plan, activity. */
  read(): Result<S, Track>;
  /** Writes on behalf of a tool; the request is decoded against the track at the time of the write. */
  write(request: WriteRequest): Result<S, Outcome>;
  /**
   * Applies ops.
   *
   * @param ops what to change
   * @param options author, idempotency key and preconditions
   * @returns the outcome; refusals are in `rejected`, not thrown
   * @example
   * ```ts
   * import { createTracker } from "waymark";
   *
   * const list = createTracker().own;
   * list.set([{ text: "Run the tests" }]);
   * list.submit([{ op: "finish", target: { any: "1" }, evidence: "ci/run-42.log" }]);
   * ```
   */
  submit(ops: readonly Op[], options?: SubmitOptions): Result<S, Outcome>;
  /** Writes the whole list. Todos are matched with the known ones, so they keep their ids and history. */
  set(todos: readonly Draft[], options?: SubmitOptions): Result<S, Outcome>;
  /** The todos. */
  get(): Result<S, readonly Todo[]>;
  /** The first todo in progress. */
  current(): Result<S, Todo | undefined>;
  /** The counts of the list. */
  progress(): Result<S, Progress>;
  /** Removes all todos. */
  clear(options?: SubmitOptions): Result<S, Outcome>;
  /**
   * Records events of the agent: prompts, tool calls, turns. Passing checks verify completions.
   *
   * @param seen one event or several, in order
   * @param options time, idempotency key, and the moment if the model can receive a reminder
   * @returns the outcome, and at most one reminder
   */
  observe(
    seen: ObservedEvent | readonly ObservedEvent[],
    options?: ObserveOptions,
  ): Result<S, ObserveResult>;
  /**
   * The reminder for the next model call, if one is due. It is recorded, so it is not repeated.
   *
   * @returns the text to add to the model's context
   */
  context(options?: ContextOptions): Result<S, string | undefined>;
  /** The plan of the agent. */
  readonly plan: PlanAccess<S>;
  /** Calls the listener for every new event of the list. Returns a function that ends the subscription. */
  subscribe(listener: (event: Event) => void): () => void;
  /** All events, oldest first. */
  events(): Result<S, readonly Event[]>;
  /** Every change of a todo, oldest first. */
  history(): Result<S, readonly Transition[]>;
  /** Reminders, plan decisions, refused writes and explanations, oldest first. */
  remarks(): Result<S, readonly Remark[]>;
  /** The track at an earlier time. */
  at(time: number): Result<S, Track>;
}

/** Reads and writes the todo lists of a store. All writes go through a tracker. */
export interface Tracker<S extends Store = Store> {
  /**
   * The list of an agent. Nothing is stored before the first write.
   *
   * @param id session and agent
   * @param origin directory, title and agent type for a new track
   * @returns the list
   */
  list(id: TrackId, origin?: Origin): List<S>;
  /** The tracks of the store, the last written first. */
  tracks(filter?: TrackFilter): Result<S, readonly Track[]>;
  /**
   * Subscribes to the events of all lists, of this process and others.
   *
   * @param listener called for every new event
   * @param replaced called if the underlying storage was replaced, for example by a backup: resync then
   * @returns a function that ends the subscription
   */
  watch(listener: (recorded: RecordedEvent) => void, replaced?: () => void): () => void;
  /** Copies the list of one track to another. Returns false if there was nothing to copy. */
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

/** Creates a tracker that owns the store: `close` closes it. */
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
    proofs = () => [],
    onRefused = () => undefined,
  }: TrackerOptions = {},
): Tracker {
  const mark = once(randomMark);
  const named = typeof tool === "string" ? () => tool : tool;
  const parts = { store, policy, guidance, tool: named, mark, clock, newKey, proofs, onRefused };
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
          // The todos were accepted once, so lenient limits apply.
          policy: PRESETS.external,
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
  // Not enumerable, because copying with { ...tracker } would read `own`, which throws.
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

/** The default session. On a durable store, trackers of all processes would share one list. */
function sharedSession(store: Store): string {
  if (!store.durable) return "main";
  throw new WaymarkError(
    "no_session",
    "This tracker has no session, and its store is durable: all such trackers would share one list. " +
      'Call createTracker({ store, session: "my-session" }), or use tracker.list({ session, agent }).',
  );
}

/** Todos as drafts for another track. Links use refs, because ids change. */
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

/** A unique key: time, random number, counter. */
function uniqueKey(): string {
  keys++;
  const chance = Math.random().toString(36).slice(2);
  return `${Date.now().toString(36)}-${chance}-${keys.toString(36)}`;
}

/** The mark is generated on demand: loading the random source takes longer than most commands. */
function reminderContextOf(
  { mark, clock }: Pick<ListParts, "mark" | "clock">,
  tool: string | undefined,
  search = false,
): ReminderContext {
  return {
    search,
    get now() {
      return clock();
    },
    get mark() {
      return mark();
    },
    tool,
  };
}

function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

/** A random mark around reminders that todo texts cannot imitate. */
function randomMark(): string {
  const [a = 0, b = 0] = globalThis.crypto.getRandomValues(new Uint32Array(2));
  return a.toString(36) + b.toString(36);
}

/** The events up to the first one after the time, so a clock that was set back leaves no gaps. */
function until(events: readonly Event[], time: number): readonly Event[] {
  const later = events.findIndex((event) => event.at > time);
  return later === -1 ? events : events.slice(0, later);
}

const CHANGED: Rejection = {
  code: "conflict",
  message: modelText`The list has changed since you read it, so your version was not written.`,
};

interface ListParts {
  readonly store: Store;
  readonly policy: Partial<Policy>;
  readonly guidance: Partial<GuidancePolicy>;
  readonly tool: () => string | undefined;
  readonly mark: () => string;
  readonly clock: () => number;
  readonly newKey: () => string;
  readonly proofs: (id: TrackId) => readonly ProofRecord[];
  readonly onRefused: (rejected: readonly Rejection[], via: string) => void;
  readonly id: TrackId;
  readonly origin: Origin | undefined;
}

function openList(parts: ListParts): List {
  const { store, policy, clock, newKey, id, origin } = parts;
  const proven = (track: Track) => withProofs(track, parts.proofs(id));
  const read = () => andThen(store.read(id), proven);
  /** The time of an event: as reported, but never before the last event or after now. */
  const timeOf = ({ updatedAt }: Track, at: number | undefined) =>
    at === undefined ? clock() : Math.min(clock(), Math.max(at, updatedAt));
  const commit = (
    {
      key = newKey(),
      policy: own,
      ...request
    }: Omit<WriteRequest, "key"> & { key?: string | undefined },
    by: Author,
  ) =>
    store.commit(id, key, (track) => {
      const intent = request.decode(track);
      if ("rejected" in intent) return { ok: false, rejected: intent.rejected };
      const { via, fieldNames, at, showsEdits = false } = request;
      const submission = {
        key,
        at: timeOf(track, at),
        by,
        via,
        ...intent,
        showsEdits,
        ...(fieldNames && { fieldNames }),
        ...(origin && { origin }),
      };
      const decision = decide(track, submission, policyFor(by, policy, own));
      return request.mayRemind ? withReminder(track, decision, request.via) : decision;
    });
  const withReminder = (track: Track, decision: Decision, tool: string): Decision => {
    if (!decision.ok || !decision.event.changes.some(isCompletion)) return decision;
    const { event } = decision;
    const reminderContext = reminderContextOf(parts, parts.tool() ?? tool);
    const reminder = reminderFor(
      proven(evolve(track, event)),
      "write",
      guidanceFor(parts.guidance),
      reminderContext,
    );
    if (!reminder) return decision;
    const changes: Change[] = [...event.changes, remindedChange(reminder, "write")];
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
    const written = commit({ via, showsEdits: by === "agent", ...rest, decode }, by);
    return andThen(written, (outcome) => reportRefusal(outcome, via));
  };
  const reportRefusal = (outcome: Outcome, via: string): Outcome => {
    if (outcome.rejected.length > 0 && !outcome.duplicate) parts.onRefused(outcome.rejected, via);
    return outcome;
  };
  const from = <T>(pick: (todos: readonly Todo[]) => T) =>
    andThen(read(), ({ todos }) => pick(todos));

  const observe = (
    seen: ObservedEvent | readonly ObservedEvent[],
    {
      moment,
      key = newKey(),
      via = "host",
      at,
      guidance,
      given,
      collisions = [],
      stalled,
      handoff,
      passedTo,
      denies,
      ...named
    }: ObserveOptions = {},
  ) => {
    const policy = guidanceFor(parts.guidance, guidance);
    const reminderContext = reminderContextOf(
      parts,
      "tool" in named ? named.tool : parts.tool(),
      named.search,
    );
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
            reminderContext,
            ...(origin && { origin }),
            ...(moment && { moment }),
            ...(given && { given }),
            ...(denies && { denies }),
            ...(stalled && { stalled }),
            ...(handoff && { handoff }),
            ...(passedTo && { passedTo }),
            collisions,
            withProofs: proven,
          }),
        ),
        observeResultOf,
      );
    if (events.length > 0 || given || collisions.length > 0 || stalled || handoff || passedTo)
      return commit();
    // Usually no reminder is due, and finding that out needs no write.
    return andThen(read(), (track) =>
      moment && reminderFor(track, moment, policy, reminderContext)
        ? commit()
        : observeResultOf({
            ok: true,
            duplicate: false,
            rejected: [],
            before: track,
            after: track,
          }),
    );
  };

  const plan = createPlanAccess({
    read: () => store.read(id),
    apply: (action, by, { via = "library", key = newKey(), by: author = by }) =>
      andThen(
        store.commit(id, key, (track) =>
          decidePlan(track, action, {
            key,
            at: clock(),
            by: author,
            via,
            ...(origin && { origin }),
          }),
        ),
        (outcome) => reportRefusal(outcome, via),
      ),
  });

  // Whether methods return promises depends on the store, which only the types of callers know.
  return {
    id,
    durable: store.durable,
    read,
    write: (request) =>
      andThen(commit(request, "agent"), (outcome) => ({
        ...outcome,
        before: proven(outcome.before),
        after: proven(outcome.after),
      })),
    refused: (rejected, { key, partial } = {}) => {
      parts.onRefused(rejected, "tool");
      return andThen(store.read(id), ({ guide, version }) => {
        // Recorded for the reminder if a host reports the agent's steps, and for the user if the store
        // is durable. A refusal does not create a track, and plan mode is not a failure.
        if (
          (!guide && (version === 0 || !store.durable)) ||
          rejected.some(({ code }) => code === "plan_mode" || code === "gated")
        )
          return undefined;
        const message = refusalReasons(rejected);
        const seen: ObservedEvent = {
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
    plan: plan as PlanAccess,
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

function checkObserved(event: ObservedEvent): void {
  const type: unknown = (event as ObservedEvent | undefined)?.type;
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

function observeResultOf(outcome: Outcome): ObserveResult {
  const { event, duplicate, rejected } = outcome;
  const reminded = duplicate ? undefined : event?.changes.find(({ type }) => type === "reminded");
  const seen = { ...outcome, ok: rejected.length === 0 };
  if (reminded?.type !== "reminded") return { outcome: seen };
  return { outcome: seen, reminder: { kind: reminded.kind, text: reminded.text, isMeta: true } };
}
