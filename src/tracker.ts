import { type Awaitable, andThen } from "./core/awaitable.ts";
import { decide } from "./core/decide.ts";
import type { Door, Intent, WriteRequest } from "./core/door.ts";
import { foldEvents } from "./core/evolve.ts";
import { type Transition, transitionsOf } from "./core/history.ts";
import type {
  By,
  Draft,
  Event,
  Op,
  Origin,
  Outcome,
  Rejection,
  Todo,
  Track,
  TrackId,
} from "./core/model.ts";
import { type Policy, PRESETS, policyFor } from "./core/policy.ts";
import { currentOf, type Progress, progressOf } from "./core/view.ts";
import type { Recorded, Store, TrackFilter } from "./stores/store.ts";

/** A store that answers at once makes a tracker that answers at once. */
export interface SyncStore extends Store {
  read(id: TrackId): Track;
  commit(...args: Parameters<Store["commit"]>): Outcome;
  events(id: TrackId, after?: number): readonly Event[];
  tracks(filter?: TrackFilter): readonly Track[];
}

export type Result<S extends Store, T> = S extends SyncStore ? T : Promise<T>;

export interface TrackerOptions {
  readonly policy?: Partial<Policy>;
  readonly clock?: () => number;
  readonly newKey?: () => string;
}

export interface SubmitOptions {
  readonly by?: By;
  readonly via?: string;
  readonly key?: string;
  readonly policy?: Partial<Policy>;
  /** Refused unless the list is still as it was at this revision. */
  readonly revision?: number;
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
  subscribe(listener: (event: Event) => void): () => void;
  history(): Result<S, readonly Transition[]>;
  /** The track as it was at a time. */
  at(time: number): Result<S, Track>;
}

/** The only writer of tracks. */
export interface Tracker<S extends Store = Store> {
  list(id: TrackId, origin?: Origin): List<S>;
  tracks(filter?: TrackFilter): Result<S, readonly Track[]>;
  watch(listener: (recorded: Recorded) => void): () => void;
  /** Copies the list of one track to another; false when there was nothing to copy. */
  copy(from: TrackId, to: TrackId): Result<S, boolean>;
  close(): Awaitable<void>;
}

export function trackerOn<S extends Store>(store: S, options?: TrackerOptions): Tracker<S>;
export function trackerOn(
  store: Store,
  { policy = {}, clock = Date.now, newKey = uniqueKey }: TrackerOptions = {},
): Tracker {
  const list = (id: TrackId, origin?: Origin) =>
    openList({ store, policy, clock, newKey, id, origin });
  const tracker: Tracker = {
    list,
    tracks: (filter) => store.tracks(filter) as Promise<readonly Track[]>,
    watch: (listener) => store.watch(listener),
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
    close: () => store.close(),
  };
  return tracker;
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

/** Up to the first event after the time: a clock that was set back must leave no gaps. */
function until(events: readonly Event[], time: number): readonly Event[] {
  const later = events.findIndex((event) => event.at > time);
  return later === -1 ? events : events.slice(0, later);
}

const CHANGED: Rejection = {
  code: "conflict",
  message: "The list was changed in the meantime; yours was not written over it.",
};

interface ListParts {
  readonly store: Store;
  readonly policy: Partial<Policy>;
  readonly clock: () => number;
  readonly newKey: () => string;
  readonly id: TrackId;
  readonly origin: Origin | undefined;
}

function openList({ store, policy, clock, newKey, id, origin }: ListParts): List {
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
      const { via, words, informs = false } = request;
      const submission = {
        key,
        at: clock(),
        by,
        via,
        ...intent,
        informs,
        ...(words && { words }),
        ...(origin && { origin }),
      };
      return decide(track, submission, policyFor(by, policy, own));
    });
  const submit = (
    ops: readonly Op[],
    { by = "agent", via = "library", revision, ...rest }: SubmitOptions = {},
  ) => {
    const decode = (track: Track): Intent =>
      revision === undefined || track.revision === revision ? { ops } : { rejected: [CHANGED] };
    return commit({ via, informs: by === "agent", ...rest, decode }, by);
  };
  const from = <T>(pick: (todos: readonly Todo[]) => T) =>
    andThen(store.read(id), ({ todos }) => pick(todos));

  // The types promise what the store keeps: at once from a store that answers at once.
  return {
    id,
    durable: store.durable,
    read: () => store.read(id),
    write: (request) => commit(request, "agent"),
    submit,
    set: (todos, options) => submit([{ op: "replace", todos }], options),
    get: () => from((todos) => [...todos]),
    current: () => from(currentOf),
    progress: () => from(progressOf),
    clear: (options) => submit([{ op: "clear" }], options),
    subscribe: (listener) =>
      store.watch(({ track, event }) => {
        if (track.session === id.session && track.agent === id.agent) listener(event);
      }),
    history: () => andThen(store.events(id), transitionsOf),
    at: (time) => andThen(store.events(id), (events) => foldEvents(id, until(events, time))),
  } as List;
}
