import { afterChange, type FeedChange } from "../../core/feed.ts";
import { type JoinedTrack, trackKey } from "../../core/joined.ts";
import type { Event, TrackId } from "../../core/model.ts";
import type { Story } from "../../core/story.ts";
import type { TasksNews } from "../../tasks/wire.ts";
import { fetchTrack, fetchTracks, Refused } from "./api.ts";
import { NO_TASKS, openTasksPart, type TasksPart, type TasksState } from "./tasks/state.ts";

/** Whether what is shown is what there is. */
export type Link =
  | { readonly state: "opening" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly since: number; readonly why: string };

/** All that happened to one track, kept while somebody looks at it. */
export interface Past {
  readonly events: readonly Event[];
  readonly story: Story;
}

export interface State {
  readonly link: Link;
  readonly tracks: ReadonlyMap<string, JoinedTrack>;
  readonly pasts: ReadonlyMap<string, Past>;
  readonly tasks: TasksState;
}

export interface Store {
  get(): State;
  subscribe(listener: () => void): () => void;
  /** Reads the past of a track and keeps it true until `forget`. */
  look(id: TrackId): void;
  forget(id: TrackId): void;
  readonly tasks: TasksPart;
}

const TRY_AGAIN = 1_500;

/** What the page knows: read once, then kept true by what the server tells. */
export function openStore(): Store {
  let state: State = {
    link: { state: "opening" },
    tracks: new Map(),
    pasts: new Map(),
    tasks: NO_TASKS,
  };
  const listeners = new Set<() => void>();
  const looked = new Set<string>();
  let source: EventSource | undefined;

  const set = (next: Partial<State>): void => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const tasks = openTasksPart(
    () => state.tasks,
    (next) => set({ tasks: { ...state.tasks, ...next } }),
  );
  const lose = (why: string): void => {
    if (state.link.state !== "lost") set({ link: { state: "lost", since: Date.now(), why } });
  };

  const load = async (): Promise<void> => {
    source?.close();
    try {
      const { position, tracks } = await fetchTracks();
      set({
        tracks: new Map(tracks.map((each) => [trackKey(each.track), each])),
        link: { state: "live" },
      });
      listen(position);
      for (const key of looked) readPast(idOf(key));
      tasks.reread();
    } catch (error) {
      lose(error instanceof Refused ? error.message : "The server cannot be understood.");
      setTimeout(load, TRY_AGAIN);
    }
  };

  const listen = (position: string): void => {
    const opened = new EventSource(`/api/events?after=${encodeURIComponent(position)}`);
    source = opened;
    const on = (type: string, take: (data: unknown) => void) =>
      opened.addEventListener(type, (message) =>
        take(JSON.parse((message as MessageEvent<string>).data)),
      );
    for (const type of ["event", "opened", "status", "gone"] as const)
      on(type, (data) => take({ type, ...(data as object) } as FeedChange));
    on("tasks", (data) => tasks.take(data as TasksNews));
    on("anew", () => void load());
    opened.addEventListener("open", () => set({ link: { state: "live" } }));
    opened.addEventListener("error", () => {
      lose("The link to the server is gone.");
      // The browser comes back by itself, unless it was refused.
      if (opened.readyState === EventSource.CLOSED && source === opened)
        setTimeout(load, TRY_AGAIN);
    });
  };

  const take = (change: FeedChange): void => {
    const tracks = afterChange(state.tracks, change);
    set({ tracks, ...(change.type === "event" && { pasts: pastsAfter(change.id, change.event) }) });
    if (change.type === "opened") {
      const key = trackKey(change.track.track);
      if (looked.has(key)) readPast(idOf(key));
    }
    if (change.type === "event" && isAhead(tracks, change.id, change.event)) reread(change.id);
  };

  /** Something in between was lost; the rest would lead to another list. */
  const reread = (id: TrackId): void => {
    fetchTrack(id)
      .then(({ events, story, position: _, ...track }) => {
        const key = trackKey(id);
        const tracks = new Map(state.tracks).set(key, track);
        const pasts = new Map(state.pasts);
        if (looked.has(key)) pasts.set(key, { events, story });
        set({ tracks, pasts });
      })
      .catch((error: unknown) => lose(String(error)));
  };
  const readPast = (id: TrackId): void => {
    const key = trackKey(id);
    fetchTrack(id)
      .then(({ events, story }) => {
        if (looked.has(key)) set({ pasts: new Map(state.pasts).set(key, { events, story }) });
      })
      .catch((error: unknown) => {
        // Not there any more: what is shown says so.
        if (!(error instanceof Refused)) throw error;
      });
  };
  const pastsAfter = (id: TrackId, event: Event): State["pasts"] => {
    const key = trackKey(id);
    const past = state.pasts.get(key);
    if (past?.events.at(-1)?.seq !== event.seq - 1) return state.pasts;
    return new Map(state.pasts).set(key, { ...past, events: [...past.events, event] });
  };

  void load();
  return {
    tasks,
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    look(id) {
      const key = trackKey(id);
      if (looked.has(key)) return;
      looked.add(key);
      readPast(id);
    },
    forget(id) {
      const key = trackKey(id);
      looked.delete(key);
      const pasts = new Map(state.pasts);
      pasts.delete(key);
      set({ pasts });
    },
  };
}

function idOf(key: string): TrackId {
  const [session, agent] = JSON.parse(key) as [string, string];
  return { session, agent };
}

function isAhead(tracks: State["tracks"], id: TrackId, { seq }: Event): boolean {
  const known = tracks.get(trackKey(id));
  return known !== undefined && seq > known.track.version;
}
