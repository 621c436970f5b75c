import { type Board, boardOf } from "../../core/board.ts";
import { TURN } from "../../surfaces/board/pages.ts";
import {
  type BoardState,
  type Past,
  rowsOf,
  type TaskStory,
  type World,
} from "../../surfaces/board/state.ts";
import type { TaskBoard } from "../../tasks/rules/board.ts";
import type { AnyTrack } from "../any-track.ts";
import { agentsFound } from "./agents-found.ts";

/** What the board shows, made anew only as far as something changed. */
export interface BoardWorld {
  at(now: number, state: BoardState): World;
  tracks(): readonly AnyTrack[];
  /** Where what is shown comes from, from now on. */
  showTracks(tracks: () => readonly AnyTrack[]): void;
  /** Everything that was there at the start has been read. */
  setRead(): void;
  setPast(past: Past | undefined): void;
  setAddress(address: string | undefined): void;
  /** The tasks, once somebody wants to see them. */
  showTasks(tasks: (now: number) => TaskBoard): void;
  setDetail(detail: TaskStory | undefined): void;
  changed(): void;
}

const SECOND = 1_000;
const MINUTE = 60_000;

export function openWorld(env: NodeJS.ProcessEnv): BoardWorld {
  const since = Date.now();
  let tracks: () => readonly AnyTrack[] = () => [];
  let isRead = false;
  let past: Past | undefined;
  let address: string | undefined;
  let tasks: ((now: number) => TaskBoard) | undefined;
  let detail: TaskStory | undefined;
  let found: World["agents"];
  let known: { readonly board: Board; readonly until: number; readonly what: string } | undefined;

  const boardAt = (now: number, { place, only, agentType }: BoardState): Board => {
    const isOverview = place === "tracks";
    const what = isOverview ? `${only ?? ""}/${agentType ?? ""}` : "everything";
    if (known?.what === what && now < known.until && now >= known.until - MINUTE)
      return known.board;
    const board = boardOf(tracks(), {
      now,
      ...(isOverview ? { only, agentType } : { keep: Number.POSITIVE_INFINITY }),
    });
    // While somebody works, times are counted in seconds; else in minutes.
    const every = isBusy(board) ? SECOND : MINUTE;
    known = { board, until: now - (now % every) + every, what };
    return board;
  };
  return {
    at(now, state) {
      const board = boardAt(now, state);
      const isEmpty = board.groups.length === 0 && isRead;
      if (isEmpty) found ??= agentsFound(env);
      return {
        board,
        now,
        since,
        reading: !isRead,
        past,
        address,
        ...(state.place === "tasks" && { tasks: tasks?.(now), detail }),
        frame: Math.floor(now / TURN),
        ...(isEmpty && found && { agents: found }),
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
    setAddress(next) {
      address = next;
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
