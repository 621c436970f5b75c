import type { Context } from "../../home/open.ts";
import type { TaskWithEvents } from "../../surfaces/terminal/state.ts";
import { findTask } from "../../tasks/links/detail.ts";
import { applyWithProofs, type ProveTask } from "../../tasks/prove.ts";
import { type TaskBoard, taskBoard } from "../../tasks/rules/board.ts";
import { undoTaskOps } from "../../tasks/rules/user/undo-ops.ts";
import { userOpResult } from "../../tasks/rules/user-ops.ts";
import type { QueueRequest, UserTaskOp } from "../../tasks/wire.ts";
import { openTaskFeed, type TaskFeed } from "../http/tasks/feed.ts";

/** The newest events of one task that are shown: heartbeats may add thousands. */
const MAX_EVENTS = 400;

/** The team's tasks on the board, opened when they are first needed. */
export interface BoardTasks {
  open(): Promise<void>;
  /** Reads the selected task with its events. */
  readSelected(): Promise<void>;
  /** Applies a user's change. Returns a message for the board and the id of the changed task. */
  apply(op: UserTaskOp): Promise<AppliedTask>;
  /** Pauses or resumes the queue. Returns a message for the board. */
  setPaused(change: QueueRequest): Promise<string>;
  stop(): void;
}

export interface AppliedTask {
  readonly message: string;
  readonly id?: string;
  /** The ops that take the change back. */
  readonly undo?: readonly UserTaskOp[];
}

export interface BoardTasksOptions {
  /** The id of the task whose page is shown. It is read again after every change. */
  readonly selectedId: () => string | undefined;
  /** Finds the proof of a task that has a check, when the user finishes it. */
  readonly prove: ProveTask;
  readonly onOpen: (tasks: (now: number) => TaskBoard) => void;
  readonly onDetail: (detail: TaskWithEvents | undefined) => void;
  readonly onChange: () => void;
  readonly onProblem: (error: unknown) => void;
}

export function openBoardTasks(
  { home, env }: Pick<Context, "home" | "env">,
  { selectedId, prove, onOpen, onDetail, onChange, onProblem }: BoardTasksOptions,
): BoardTasks {
  let opening: Promise<TaskFeed> | undefined;
  let isStopped = false;
  const feed = async (): Promise<TaskFeed> => {
    let known: { readonly second: number; readonly board: TaskBoard } | undefined;
    const store = await home.tasks("reading");
    const refresh = (): void => {
      known = undefined;
      onChange();
      readSelected().catch(onProblem);
    };
    const opened = await openTaskFeed(store, {
      onUpdate: refresh,
      onReplaced: refresh,
      onError: onProblem,
    });
    if (isStopped) opened.stop();
    // Leases expire by the clock of the task store.
    const ahead = (await store.now()) - Date.now();
    const boardAt = (now: number) =>
      taskBoard(opened.tasks(), now + ahead, { paused: opened.queue().paused });
    onOpen((now) => {
      const second = Math.floor(now / 1_000);
      if (known?.second !== second) known = { second, board: boardAt(now) };
      return known.board;
    });
    return opened;
  };
  const readSelected = async (): Promise<void> => {
    const id = selectedId();
    if (id === undefined) return;
    const store = await home.tasks("reading");
    const found = await findTask(store, id);
    const events = found.ok ? await store.events({ task: id }) : [];
    // The selection may have changed while the task was read.
    if (selectedId() !== id) return;
    onDetail(found.ok ? { ...found.detail, events: events.slice(-MAX_EVENTS) } : undefined);
    onChange();
  };
  const open = async (): Promise<void> => {
    // Reading must not create a store: before the first write there are no tasks to show.
    if (!env.WAYMARK_STORE && !home.exists()) return;
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
    readSelected,
    async apply(op) {
      const store = await home.tasks("writing");
      const sender = { by: "user", via: "board" } as const;
      const [id] = idsOf(op);
      const found = id === undefined ? undefined : await findTask(store, id);
      const before = found?.ok ? found.detail.task : undefined;
      const { answer } = await applyWithProofs(store, op, sender, prove);
      await open();
      if (!answer.ok) return { message: answer.refused.message };
      // The user's next key may act on the result.
      await (await opening)?.show(answer.tasks.map(({ id }) => id));
      await readSelected();
      const [task] = answer.tasks;
      return task
        ? {
            message: userOpResult(op, task),
            id: task.id,
            undo: undoTaskOps(op, before, task),
          }
        : { message: "Nothing was changed." };
    },
    async setPaused({ paused, reason }) {
      const store = await home.tasks("writing");
      const actor = env.USER || env.USERNAME;
      await store.setQueue(
        { paused: paused ? { ...(reason !== undefined && { reason }) } : null },
        { by: "user", via: "board", ...(actor && { actor }) },
      );
      await open();
      await (await opening)?.showQueue();
      return paused ? "Paused the queue." : "Resumed the queue.";
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

/** The tasks that an op changes. */
function idsOf(op: UserTaskOp): readonly string[] {
  if ("id" in op) return [op.id];
  return "held" in op ? op.held.map(({ id }) => id) : [];
}
