import type { RunStatus } from "../../../core/checks/wire.ts";
import { type Prices, pricesFrom } from "../../../core/cost/price.ts";
import { listedPriceTable } from "../../../core/cost/price-list.ts";
import type { FeedChange } from "../../../core/views/changes.ts";
import type { DemoStatus, TracksResponse } from "../../../core/wire.ts";
import type { TasksUpdate } from "../../../tasks/wire.ts";
import { type Runs, runOf, runsOf, withRun } from "../checks/runs.ts";
import { fetchTracks } from "../connection/api.ts";
import { openLoader } from "../connection/loader.ts";
import { type ConnectionState, openStream } from "../connection/stream.ts";
import { NO_TASKS, openTasksSlice, type TasksSlice, type TasksState } from "../tasks/state.ts";
import { onNextFrame } from "../ui/frame.ts";
import { type Decisions, onDecisions, pendingDecisions } from "./decisions.ts";
import { NO_TRACKS, openTracksSlice, type TracksSlice, type TracksState } from "./tracks.ts";

export interface State extends TracksState {
  readonly connection: ConnectionState;
  readonly tasks: TasksState;
  /** Present while the recorded demo is shown. */
  readonly demo?: DemoStatus | undefined;
  /** Why the sessions may be out of date. */
  readonly problem?: string | undefined;
  /** Seconds until a closed todo leaves the display; absent: never. */
  readonly clearDelay?: number | undefined;
  /** Prices of models, from which costs are estimated. */
  readonly prices: Prices;
  /** Decisions on plans that the user can still undo. */
  readonly decisions: Decisions;
  /** Runs of checks; absent where none can be run. */
  readonly runs?: Runs | undefined;
}

export interface PageStore extends Pick<TracksSlice, "watch" | "unwatch"> {
  get(): State;
  /** Calls the listener at most once per frame, however many updates arrive. */
  subscribe(listener: () => void): () => void;
  readonly tasks: TasksSlice;
  /** Applies a run that this page started, before its event arrives. */
  takeRun(status: RunStatus): void;
}

interface Problem {
  readonly problem: string | null;
}

const ALL = "all";

/** The data of the page: loaded once, then updated by the event stream. */
export function openStore(): PageStore {
  let state: State = {
    connection: { state: "connecting" },
    ...NO_TRACKS,
    tasks: NO_TASKS,
    decisions: pendingDecisions(),
    prices: pricesFrom(listedPriceTable()),
  };
  const listeners = new Set<() => void>();
  /** The states of the snapshot and of the event stream. */
  let snapshot: ConnectionState = { state: "connecting" };
  let streaming: ConnectionState = snapshot;

  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };
  const set = (next: Partial<State>): void => {
    state = { ...state, ...next };
    onNextFrame(notifyListeners);
  };
  onDecisions(() => set({ decisions: pendingDecisions() }));
  const tracks = openTracksSlice(() => state, set);
  const tasks = openTasksSlice(
    () => state.tasks,
    (next) => set({ tasks: { ...state.tasks, ...next } }),
  );
  const takeRun = (status: RunStatus): void => {
    const { runs } = state;
    if (runs) set({ runs: withRun(runs, status) });
  };
  const show = (): void => set({ connection: snapshot.state === "live" ? streaming : snapshot });

  const stream = openStream({
    take(type, data) {
      if (type === "tasks") tasks.apply(data as TasksUpdate);
      else if (type === "demo") set({ demo: data as DemoStatus });
      else if (type === "verify") takeRun(data as RunStatus);
      else if (type === "problem") set({ problem: (data as Problem).problem ?? undefined });
      else tracks.apply({ type, ...(data as object) } as FeedChange);
    },
    onConnection(next) {
      streaming = next;
      show();
    },
    resync: () => all.load(ALL),
  });
  const all = openLoader<TracksResponse>({
    fetch() {
      stream.pause();
      return fetchTracks();
    },
    onLoaded(_, answer) {
      snapshot = { state: "live" };
      tracks.replace(answer.tracks);
      const { demo, problem, clearDelay, runs } = answer;
      set({ demo, problem, clearDelay, runs: runs && runsOf(runs) });
      if (answer.prices) set({ prices: pricesFrom(new Map(answer.prices), listedPriceTable()) });
      show();
      tasks.reload();
      stream.resume(answer.position);
    },
    onError(_, { message }) {
      if (snapshot.state !== "lost") snapshot = { state: "lost", since: Date.now(), why: message };
      show();
      return true;
    },
    isWanted: () => true,
  });

  all.load(ALL);
  return {
    tasks,
    takeRun(status) {
      const known = runOf(state.runs, status.id, status.todo);
      // Its events may have arrived before the response.
      if (known?.run !== status.run) takeRun(status);
    },
    watch: tracks.watch,
    unwatch: tracks.unwatch,
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
