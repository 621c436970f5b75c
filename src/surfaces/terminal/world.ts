import { MINUTE, SECOND } from "../../core/text/duration.ts";
import { type Board, boardOf } from "../../core/views/board.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import type { AgentSummary } from "../../core/wire.ts";
import type { TaskBoard } from "../../tasks/rules/board.ts";
import { TURN } from "./pages/pages.ts";
import {
  type BoardState,
  type DemoProgress,
  type Past,
  rowsOf,
  type TaskStory,
  type World,
} from "./state.ts";

/** What the board shows, made anew only as far as something changed. */
export interface BoardWorld<T extends MergedTrack> {
  at(now: number, state: BoardState): World;
  tracks(): readonly T[];
  /** Where what is shown comes from, from now on. */
  showTracks(tracks: () => readonly T[]): void;
  /** Everything that was there at the start has been read. */
  setRead(): void;
  setPast(past: Past | undefined): void;
  setHasPage(): void;
  setAgents(agents: readonly AgentSummary[]): void;
  /** The tasks, once somebody wants to see them. */
  showTasks(tasks: (now: number) => TaskBoard): void;
  setDetail(detail: TaskStory | undefined): void;
  changed(): void;
}

/** The recorded demo while it plays. */
interface Recording {
  /** Its length, in milliseconds of its own time. */
  readonly length: number;
  overAt(): number | undefined;
  isOver(): boolean;
  /** How far it is at `now`, in milliseconds of its own time. */
  position(now: number): number;
}

export interface WorldOptions {
  /** What a person types to run this program. */
  readonly program: string;
  /** The recorded demo, when that is what is shown. */
  readonly demo?: Recording | undefined;
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
}

export function openWorld<T extends MergedTrack>({
  program,
  demo,
  clearDelay,
}: WorldOptions): BoardWorld<T> {
  const since = Date.now();
  let tracks: () => readonly T[] = () => [];
  let isRead = false;
  let past: Past | undefined;
  let hasPage = false;
  let tasks: ((now: number) => TaskBoard) | undefined;
  let detail: TaskStory | undefined;
  let agents: World["agents"];
  let known: { readonly board: Board; readonly until: number; readonly what: string } | undefined;

  const boardAt = (now: number, { place, only, agentType }: BoardState): Board => {
    const isOverview = place === "tracks";
    const what = isOverview ? `${only ?? ""}/${agentType ?? ""}` : "everything";
    if (known?.what === what && now < known.until && now >= known.until - MINUTE)
      return known.board;
    const board = boardOf(tracks(), {
      now,
      clearDelay,
      ...(isOverview ? { only, agentType } : { keep: Number.POSITIVE_INFINITY }),
    });
    // While somebody works, times are counted in seconds; else in minutes.
    const every = isBusy(board) ? SECOND : MINUTE;
    known = { board, until: now - (now % every) + every, what };
    return board;
  };
  return {
    at(clock, state) {
      // When the recording is over, time stands still: nobody works any more.
      const now = Math.min(clock, demo?.overAt() ?? clock);
      const board = boardAt(now, state);
      return {
        board,
        now,
        since,
        reading: !isRead,
        past,
        hasPage,
        program,
        agents,
        ...(demo && { demo: progressOf(demo, now) }),
        ...(state.place === "tasks" && { tasks: tasks?.(now), detail }),
        frame: Math.floor(now / TURN),
      };
    },
    tracks: () => tracks(),
    showTracks(next) {
      tracks = next;
      known = undefined;
    },
    setRead() {
      isRead = true;
      known = undefined;
    },
    setPast(next) {
      past = next;
    },
    setHasPage() {
      hasPage = true;
    },
    setAgents(next) {
      agents = next;
    },
    showTasks(next) {
      tasks = next;
    },
    setDetail(next) {
      detail = next;
    },
    changed() {
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

/** Somebody is always selected; who was, stays it. */
export function selecting(state: BoardState, board: Board): BoardState {
  if (state.place !== "tracks") return state;
  const rows = rowsOf(board);
  if (rows.some(({ key }) => key === state.selected)) return state;
  return { ...state, selected: rows[0]?.key };
}
