import type { Prices } from "../../core/cost/price.ts";
import type { BoardSource, PageDemo } from "../../servers/board/source.ts";
import type { BoardTasks } from "../../servers/board/tasks.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { BoardDataSource } from "../../surfaces/terminal/board-data.ts";
import type { BoardAction, BoardState } from "../../surfaces/terminal/state.ts";
import type { Call } from "../args/command.ts";
import type { BoardTerminal } from "./terminal-mode.ts";

/** The demo that the board shows. */
export interface BoardDemo extends PageDemo {
  /** Called at the end if the user wants to see it again. */
  onReplay(): void;
}

/** A running board, as the actions of the user see it. */
export interface RunningBoard {
  readonly call: Call;
  readonly demo: BoardDemo | undefined;
  readonly prices: Prices;
  readonly data: BoardDataSource<AnyTrack>;
  readonly screen: BoardTerminal;
  readonly tasks: BoardTasks;
  /** Undefined until the sessions are read. */
  readonly source: BoardSource | undefined;
  state: BoardState;
  /** The board draws; false before the first frame and after the last. */
  readonly isDrawing: boolean;
  requestFrame(): void;
  showMessage(message: string | undefined): void;
  showError(error: unknown): void;
  /** Offers to undo the last change with this action. */
  remember(undo: BoardAction): void;
  /** Gives the terminal to another program. The board waits meanwhile; its data keeps up. */
  whileAway<T>(run: () => Promise<T>): Promise<T>;
  /** Ends the board, to start the demo or to show it again if asked. */
  finish(next?: "demo" | "replay"): void;
}
