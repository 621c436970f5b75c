import { openTaskFeed, type TaskFeed } from "../../hosts/http/task-feed.ts";
import { type TaskBoard, taskBoard } from "../../tasks/rules/board.ts";
import type { Call } from "../command.ts";

/** The tasks of the team, opened when somebody first wants to see them. */
export interface BoardTasks {
  /** Answers what there is to say. */
  open(): Promise<string | undefined>;
  stop(): void;
}

export interface BoardTasksOptions {
  readonly onOpen: (tasks: (now: number) => TaskBoard) => void;
  readonly onNews: () => void;
  readonly onProblem: (error: unknown) => void;
}

export function tasksOf(
  { home, env }: Pick<Call, "home" | "env">,
  { onOpen, onNews, onProblem }: BoardTasksOptions,
): BoardTasks {
  let opening: Promise<TaskFeed> | undefined;
  let isStopped = false;
  const feed = async (): Promise<TaskFeed> => {
    let known: { readonly second: number; readonly board: TaskBoard } | undefined;
    const store = await home.tasks("reading");
    const opened = await openTaskFeed(store, {
      onNews() {
        known = undefined;
        onNews();
      },
      onProblem,
    });
    if (isStopped) opened.stop();
    // Leases are judged by the clock of whoever keeps the tasks.
    const ahead = (await store.now()) - Date.now();
    onOpen((now) => {
      const second = Math.floor(now / 1_000);
      if (known?.second !== second)
        known = { second, board: taskBoard(opened.tasks(), now + ahead) };
      return known.board;
    });
    return opened;
  };
  return {
    async open() {
      // Where nothing is kept yet, an empty store would stay empty for good.
      if (!env.WAYMARK_STORE && !home.isThere()) return undefined;
      opening ??= feed();
      try {
        await opening;
      } catch (error) {
        opening = undefined;
        throw error;
      }
      return undefined;
    },
    stop() {
      isStopped = true;
      opening?.then(
        ({ stop }) => stop(),
        () => undefined,
      );
    },
  };
}
