import type { ChecksResponse } from "../../core/checks/wire.ts";
import type { Prices } from "../../core/cost/price.ts";
import { MINUTE, SECOND } from "../../core/text/duration.ts";
import { type Board, boardOf } from "../../core/views/board.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import type { Report } from "../../core/views/report/model.ts";
import type { AgentSummary } from "../../core/wire.ts";
import type { TaskBoard } from "../../tasks/rules/board.ts";
import type { ShownCall } from "./call/output.ts";
import { shownOf } from "./find/shown.ts";
import { FRAME_MS } from "./pages/pages.ts";
import type {
  BoardData,
  BoardState,
  DemoProgress,
  HistoryStep,
  ShownRevisions,
  TaskWithEvents,
} from "./state.ts";

/** The data of the board, recomputed only when something changed. */
export interface BoardDataSource<T extends MergedTrack> {
  at(now: number, state: BoardState): BoardData;
  tracks(): readonly T[];

  setTracks(tracks: () => readonly T[]): void;
  /** Call when the first read of all sessions is complete. */
  setLoaded(): void;
  setHistoryStep(step: HistoryStep | undefined): void;
  setHasPage(): void;
  /** `isAway` if it is about the time while the board was closed. */
  setReport(report: Report, isAway: boolean): void;
  setAgents(agents: readonly AgentSummary[]): void;
  /** Call when the user first opens the tasks. */
  setTasks(tasks: (now: number) => TaskBoard): void;
  setCall(call: ShownCall | undefined): void;
  setRevisions(revisions: ShownRevisions): void;
  setDetail(detail: TaskWithEvents | undefined): void;
  setChecks(checks: ChecksResponse | undefined): void;
  invalidate(): void;
}

/** The recorded demo while it plays. */
interface Recording {
  /** In milliseconds of recorded time. */
  readonly length: number;
  overAt(): number | undefined;
  isOver(): boolean;
  /** The position at `now`, in milliseconds of recorded time. */
  position(now: number): number;
}

export interface BoardDataOptions {
  /** The command that runs this program. */
  readonly program: string;
  /** The recorded demo, if it is shown. */
  readonly demo?: Recording | undefined;
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
  /** The name of the user, as the owner of tasks. */
  readonly person?: string | undefined;
  /** Prices of models; without them, no costs are shown. */
  readonly prices?: Prices | undefined;
}

export function openBoardData<T extends MergedTrack>({
  program,
  demo,
  clearDelay,
  prices,
  person,
}: BoardDataOptions): BoardDataSource<T> {
  const since = Date.now();
  let tracks: () => readonly T[] = () => [];
  let isLoaded = false;
  let historyStep: HistoryStep | undefined;
  let hasPage = false;
  let reported: { readonly report: Report; readonly isAway: boolean } | undefined;
  let tasks: ((now: number) => TaskBoard) | undefined;
  let detail: TaskWithEvents | undefined;
  let agents: BoardData["agents"];
  let checks: ChecksResponse | undefined;
  let call: ShownCall | undefined;
  let revisions: ShownRevisions | undefined;
  let known: { readonly board: Board; readonly until: number; readonly what: string } | undefined;

  const boardAt = (now: number, { screen, older, onlyArchived }: BoardState): Board => {
    // The overview and its counts leave out old sessions; other screens may show one.
    const isRecent = screen === "tracks" && !older && !onlyArchived;
    const isOverview = screen === "tracks";
    // The pages of archived sessions can be opened; the filter leaves them out like the overview.
    const others = isOverview || screen === "search" ? "hidden" : "all";
    const archived = onlyArchived ? "only" : others;
    const what = `${isRecent ? "recent" : "everything"}/${archived}`;
    if (known?.what === what && now < known.until && now >= known.until - MINUTE)
      return known.board;
    const board = boardOf(tracks(), {
      now,
      clearDelay,
      prices,
      archived,
      ...(!isRecent && { keep: Number.POSITIVE_INFINITY }),
    });
    // Elapsed times change every second while agents work, otherwise every minute.
    const every = isBusy(board) ? SECOND : MINUTE;
    known = { board, until: now - (now % every) + every, what };
    return board;
  };
  return {
    at(clock, state) {
      // Time stops with the recording: its agents no longer work.
      const now = Math.min(clock, demo?.overAt() ?? clock);
      const board = boardAt(now, state);
      return {
        board,
        now,
        since,
        loading: !isLoaded,
        historyStep,
        hasPage,
        ...reported,
        program,
        person,
        agents,
        checks,
        call,
        revisions,
        ...(demo && { demo: progressOf(demo, now) }),
        ...(["tasks", "search"].includes(state.screen) && { tasks: tasks?.(now), detail }),
        frame: Math.floor(now / FRAME_MS),
      };
    },
    tracks: () => tracks(),
    setTracks(next) {
      tracks = next;
      known = undefined;
    },
    setLoaded() {
      isLoaded = true;
      known = undefined;
    },
    setHistoryStep(next) {
      historyStep = next;
    },
    setHasPage() {
      hasPage = true;
    },
    setReport(report, isAway) {
      reported = { report, isAway };
    },
    setAgents(next) {
      agents = next;
    },
    setTasks(next) {
      tasks = next;
    },
    setChecks(next) {
      checks = next;
    },
    setCall(next) {
      call = next;
    },
    setRevisions(next) {
      revisions = next;
    },
    setDetail(next) {
      detail = next;
    },
    invalidate() {
      known = undefined;
    },
  };
}

function progressOf(demo: Recording, now: number): DemoProgress {
  return { position: demo.position(now), length: demo.length, over: demo.isOver() };
}

function isBusy({ counts }: Board): boolean {
  return counts.working > 0 || counts["needs you"] > 0;
}

/**
 * Keeps the selected session wherever it moves. Selects the first one if it is not shown, and before the first key: while
 * sessions are loaded, the ones that come first are not known yet.
 */
export function ensureSelection(state: BoardState, { board, now }: BoardData): BoardState {
  if (state.screen !== "tracks") return state;
  const { rows } = shownOf(board, state, now);
  if (state.isUsed && rows.some(({ key }) => key === state.selected)) return state;
  return { ...state, selected: rows[0]?.key };
}
