import type { FeedChange } from "../../core/feed.ts";
import type { TracksAnswer } from "../../core/wire.ts";
import type { TasksNews } from "../../tasks/wire.ts";
import { fetchTracks } from "./api.ts";
import { openReadings } from "./readings.ts";
import { NO_TASKS, openTasksPart, type TasksPart, type TasksState } from "./tasks/state.ts";
import { NO_TRACKS, openTracksPart, type TracksPart, type TracksState } from "./tracks.ts";

/** Whether what is shown is what there is. */
export type Link =
  | { readonly state: "opening" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly since: number; readonly why: string };

export interface State extends TracksState {
  readonly link: Link;
  readonly tasks: TasksState;
}

export interface Store extends Pick<TracksPart, "look" | "forget"> {
  get(): State;
  subscribe(listener: () => void): () => void;
  readonly tasks: TasksPart;
}

const TRY_AGAIN = 1_500;
const ALL = "all";

/** What the page knows: read once, then kept true by what the server tells. */
export function openStore(): Store {
  let state: State = { link: { state: "opening" }, ...NO_TRACKS, tasks: NO_TASKS };
  const listeners = new Set<() => void>();
  let source: EventSource | undefined;

  const set = (next: Partial<State>): void => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const tracks = openTracksPart(() => state, set);
  const tasks = openTasksPart(
    () => state.tasks,
    (next) => set({ tasks: { ...state.tasks, ...next } }),
  );
  const lose = (why: string): void => {
    if (state.link.state !== "lost") set({ link: { state: "lost", since: Date.now(), why } });
  };

  const whole = openReadings<TracksAnswer>({
    read() {
      source?.close();
      return fetchTracks();
    },
    take(_, answer) {
      set({ link: { state: "live" } });
      tracks.replace(answer.tracks);
      tasks.reread();
      listen(answer.position);
    },
    refuse(_, { message }) {
      lose(message);
      return true;
    },
    isWanted: () => true,
  });

  const listen = (position: string): void => {
    const opened = new EventSource(`/api/events?after=${encodeURIComponent(position)}`);
    source = opened;
    const on = (type: string, take: (data: unknown) => void) =>
      opened.addEventListener(type, (message) =>
        take(JSON.parse((message as MessageEvent<string>).data)),
      );
    for (const type of ["event", "opened", "status", "gone"] as const)
      on(type, (data) => tracks.take({ type, ...(data as object) } as FeedChange));
    on("tasks", (data) => tasks.take(data as TasksNews));
    on("anew", () => whole.want(ALL));
    opened.addEventListener("open", () => set({ link: { state: "live" } }));
    opened.addEventListener("error", () => {
      lose("The link to the server is gone.");
      // The browser comes back by itself, unless it was refused.
      if (opened.readyState === EventSource.CLOSED && source === opened)
        setTimeout(() => whole.want(ALL), TRY_AGAIN);
    });
  };

  whole.want(ALL);
  return {
    tasks,
    look: tracks.look,
    forget: tracks.forget,
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
