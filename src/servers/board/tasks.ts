import type { Context } from "../../home/open.ts";
import type { TaskStory } from "../../surfaces/terminal/state.ts";
import { findTask } from "../../tasks/links/detail.ts";
import { type TaskBoard, taskBoard } from "../../tasks/rules/board.ts";
import { doneByHand } from "../../tasks/rules/by-hand.ts";
import type { PersonTaskOp } from "../../tasks/wire.ts";
import { openTaskFeed, type TaskFeed } from "../http/tasks/feed.ts";

/** What a person reads of one task; a heartbeat leaves thousands. */
const MOST_EVENTS = 400;

/** The tasks of the team, opened when somebody first wants to see them. */
export interface BoardTasks {
  open(): Promise<void>;
  /** Reads everything of the task that is looked at. */
  look(): Promise<void>;
  /** What a person wants of a task. Answers what there is to say, and which task it is about. */
  apply(op: PersonTaskOp): Promise<{ readonly said: string; readonly id?: string }>;
  stop(): void;
}

export interface BoardTasksOptions {
  /** The id of the task whose page is shown: it is read again whenever something changes. */
  readonly looksAt: () => string | undefined;
  readonly onOpen: (tasks: (now: number) => TaskBoard) => void;
  readonly onDetail: (detail: TaskStory | undefined) => void;
  readonly onNews: () => void;
  readonly onProblem: (error: unknown) => void;
}

export function tasksOf(
  { home, env }: Pick<Context, "home" | "env">,
  { looksAt, onOpen, onDetail, onNews, onProblem }: BoardTasksOptions,
): BoardTasks {
  let opening: Promise<TaskFeed> | undefined;
  let isStopped = false;
  const feed = async (): Promise<TaskFeed> => {
    let known: { readonly second: number; readonly board: TaskBoard } | undefined;
    const store = await home.tasks("reading");
    const drawAgain = (): void => {
      known = undefined;
      onNews();
      look().catch(onProblem);
    };
    const opened = await openTaskFeed(store, {
      onNews: drawAgain,
      onReplaced: drawAgain,
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
  const look = async (): Promise<void> => {
    const id = looksAt();
    if (id === undefined) return;
    const store = await home.tasks("reading");
    const found = await findTask(store, id);
    const events = found.ok ? await store.events({ task: id }) : [];
    // Somebody may look at another one by now.
    if (looksAt() !== id) return;
    onDetail(found.ok ? { ...found.detail, events: events.slice(-MOST_EVENTS) } : undefined);
    onNews();
  };
  const open = async (): Promise<void> => {
    // Where nothing is kept yet, an empty store would stay empty for good.
    if (!env.WAYMARK_STORE && !home.isThere()) return;
    opening ??= feed();
    try {
      await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  return {
    open,
    look,
    async apply(op) {
      const store = await home.tasks("writing");
      const answer = await store.apply(op, { by: "user", via: "board" });
      await open();
      if (!answer.ok) return { said: answer.refused.message };
      // The next key may be about what this one did.
      await (await opening)?.show(answer.tasks.map(({ id }) => id));
      await look();
      const [task] = answer.tasks;
      return task ? { said: doneByHand(op, task), id: task.id } : { said: "Nothing was changed." };
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
