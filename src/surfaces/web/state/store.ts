import type { FeedChange } from "../../../core/views/changes.ts";
import type { DemoStatus, TracksAnswer } from "../../../core/wire.ts";
import type { TasksNews } from "../../../tasks/wire.ts";
import { fetchTracks } from "../connection/api.ts";
import { openReadings } from "../connection/readings.ts";
import { type Link, openStream } from "../connection/stream.ts";
import { NO_TASKS, openTasksPart, type TasksPart, type TasksState } from "../tasks/state.ts";
import { NO_TRACKS, openTracksPart, type TracksPart, type TracksState } from "./tracks.ts";

export interface State extends TracksState {
  readonly link: Link;
  readonly tasks: TasksState;
  /** Present while the recorded demo is shown. */
  readonly demo?: DemoStatus | undefined;
  /** Why the lists may be out of date. */
  readonly problem?: string | undefined;
  /** Seconds until a closed todo leaves the display; absent: never. */
  readonly clearDelay?: number | undefined;
}

export interface PageStore extends Pick<TracksPart, "look" | "forget"> {
  get(): State;
  subscribe(listener: () => void): () => void;
  readonly tasks: TasksPart;
}

interface Problem {
  readonly problem: string | null;
}

const ALL = "all";

/** What the page knows: read once, then kept true by what the server tells. */
export function openStore(): PageStore {
  let state: State = { link: { state: "opening" }, ...NO_TRACKS, tasks: NO_TASKS };
  const listeners = new Set<() => void>();
  /** How what there is was read, and how what happens since is told. */
  let read: Link = { state: "opening" };
  let told: Link = read;

  const set = (next: Partial<State>): void => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const tracks = openTracksPart(() => state, set);
  const tasks = openTasksPart(
    () => state.tasks,
    (next) => set({ tasks: { ...state.tasks, ...next } }),
  );
  const show = (): void => set({ link: read.state === "live" ? told : read });

  const stream = openStream({
    take(type, data) {
      if (type === "tasks") tasks.take(data as TasksNews);
      else if (type === "demo") set({ demo: data as DemoStatus });
      else if (type === "problem") set({ problem: (data as Problem).problem ?? undefined });
      else tracks.take({ type, ...(data as object) } as FeedChange);
    },
    onLink(link) {
      told = link;
      show();
    },
    readAnew: () => whole.want(ALL),
  });
  const whole = openReadings<TracksAnswer>({
    read() {
      stream.wait();
      return fetchTracks();
    },
    take(_, answer) {
      read = { state: "live" };
      tracks.replace(answer.tracks);
      set({ demo: answer.demo, problem: answer.problem, clearDelay: answer.clearDelay });
      show();
      tasks.reread();
      stream.goOn(answer.position);
    },
    refuse(_, { message }) {
      if (read.state !== "lost") read = { state: "lost", since: Date.now(), why: message };
      show();
      return true;
    },
    isWanted: () => true,
  });

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
