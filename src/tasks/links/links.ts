import type { Awaitable } from "../../core/awaitable.ts";
import { type TaskLink, taskLinkOf } from "../../core/list/task-link.ts";
import type { By, Op, Todo, Track, TrackId } from "../../core/model.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import { isOpen } from "../../core/views/view.ts";
import { ownerOf, trackOfOwner } from "../../sessions/caller/session.ts";
import type { Tracker } from "../../tracker.ts";
import type { Task, TaskAnswer, TaskOp } from "../model.ts";
import type { TaskStore } from "../store.ts";

/**
 * Todos that stand for tasks of the team, kept true on both sides: a task that an agent claims is a
 * todo of its list, a todo can be made a task, and whichever is finished finishes the other. Every
 * step looks at how things stand, so that what is true already causes nothing more.
 */
export interface TaskLinks {
  /** An owner is this agent. Its list is begun when it claims something. */
  meet(owner: string, id: TrackId): void;
  /** Something was done to tasks: the lists of those who have to do with it show it. */
  taskChanged(op: TaskOp, answer: TaskAnswer, by: By): Promise<void>;
  /** A list was written: what its todos say of tasks is carried over, soon. */
  listChanged(track: Track): void;
  settled(): Promise<void>;
}

export interface TaskLinksOptions {
  /** `reading` creates no store: a missing one reads as empty. */
  readonly lists: (purpose: "reading" | "writing") => Awaitable<Tracker>;
  readonly tasks: () => Awaitable<TaskStore>;
  readonly onProblem: (error: unknown) => void;
}

const VIA = "tasks";
const MOST_MET = 1_000;

/** What a todo was made a task from, as the `ref` of that task. */
export function refOfTodo({ session, agent }: TrackId, todo: string): string {
  return `todo:${session}${agent === MAIN_AGENT ? "" : `/${agent}`}#${todo}`;
}

function trackOfRef(ref: string | undefined): TrackId | undefined {
  const [, owner] = /^todo:(.+)#\d+$/.exec(ref ?? "") ?? [];
  return owner === undefined ? undefined : trackOfOwner(owner);
}

export function linkTo({ id, epoch }: Pick<Task, "id" | "epoch">): string {
  return `${id}#${epoch}`;
}

interface Link extends TaskLink {
  readonly todo: Todo;
}

function linkOf(todo: Todo): Link | undefined {
  const link = taskLinkOf(todo);
  return link && { todo, ...link };
}

const CHANGES_HANDS: readonly TaskOp["op"][] = [
  "claim",
  "assign",
  "release",
  "finish",
  "fail",
  "cancel",
  "reopen",
];

export function createTaskLinks({ lists, tasks, onProblem }: TaskLinksOptions): TaskLinks {
  const met = new Map<string, TrackId>();
  const waiting = new Map<string, TrackId>();
  let settling: Promise<void> | undefined;

  const trackOf = (owner: string) => met.get(owner) ?? trackOfOwner(owner);

  /** The claimed task becomes, or is again, an open todo of the holder. */
  async function show(task: Task): Promise<void> {
    const { owner = "", subject, activeText } = task;
    const id = trackOf(owner);
    if (!id) return;
    const { todos, version } = await (await lists("reading")).list(id).read();
    if (version === 0 && !met.has(owner)) return;
    const known = todos.find((todo) => linkOf(todo)?.task === task.id);
    if (known && isOpen(known) && known.task === linkTo(task)) return;
    const isFree = !todos.some(({ status }) => status === "in_progress");
    const target = { any: known?.id ?? "" };
    const ops: Op[] = known
      ? [
          { op: "edit", target, set: { task: linkTo(task) } },
          ...(isOpen(known) ? [] : [{ op: "reopen" as const, target }]),
          ...(isFree ? [{ op: "start" as const, target }] : []),
        ]
      : [
          {
            op: "add",
            todos: [
              {
                text: subject,
                ...(activeText !== undefined && { activeText }),
                status: isFree ? "in_progress" : "pending",
                task: linkTo(task),
              },
            ],
          },
        ];
    // Where the list takes no more, the task is held all the same.
    await (await lists("writing")).list(id).submit(ops, { by: "system", via: VIA });
  }

  /** Brings the linked todos of a list and their tasks together. */
  async function settle(id: TrackId, by: By): Promise<void> {
    const { todos } = await (await lists("reading")).list(id).read();
    const links = todos.flatMap((todo) => linkOf(todo) ?? []);
    if (links.length === 0) return;
    const store = await tasks();
    const owner = ownerOf(id);
    const ops: Op[] = [];
    for (const link of links) {
      const task = await store.get(link.task);
      if (!task) continue;
      const wanted = taskOpFor(link, task, owner, id);
      if (wanted) await store.apply(wanted, { by: "agent", via: "todos", actor: owner });
      else ops.push(...todoOpsFor(link, task, owner, id));
    }
    // An agent is told what a person did to its list, also by way of a task.
    const who = by === "user" ? by : "system";
    if (ops.length > 0) await (await lists("writing")).list(id).submit(ops, { by: who, via: VIA });
  }

  async function work(): Promise<void> {
    for (const [key, id] of waiting) {
      waiting.delete(key);
      try {
        await settle(id, "system");
      } catch (error) {
        // The write of the list is done; the tasks are looked at again with the next.
        onProblem(error);
      }
    }
  }
  function begin(): void {
    settling ??= Promise.resolve()
      .then(work)
      .finally(() => {
        settling = undefined;
        if (waiting.size > 0) begin();
      });
  }

  return {
    meet(owner, id) {
      met.delete(owner);
      met.set(owner, id);
      const [oldest] = met.keys();
      if (met.size > MOST_MET && oldest !== undefined) met.delete(oldest);
    },
    async taskChanged(op, answer, by) {
      if (!answer.ok || answer.duplicate || !CHANGES_HANDS.includes(op.op)) return;
      try {
        for (const task of answer.tasks) {
          if (task.status === "claimed") await show(task);
          for (const id of await concerned(op, task)) await settle(id, by);
        }
      } catch (error) {
        // What was done to the task is done.
        onProblem(error);
      }
    },
    listChanged({ session, agent, todos }) {
      if (!todos.some(({ task }) => task !== undefined)) return;
      waiting.set(trackKey({ session, agent }), { session, agent });
      begin();
    },
    async settled() {
      // What is settled may have something to settle itself, once.
      for (let round = 0; round < 3 && settling; round++) await settling;
    },
  };

  /** Whose lists may say something else of the task by now. */
  async function concerned(op: TaskOp, task: Task): Promise<readonly TrackId[]> {
    const owners = new Set<string>();
    if (task.status !== "claimed" && "owner" in op) owners.add(op.owner);
    if (task.status !== "claimed" && task.owner !== undefined) owners.add(task.owner);
    if (task.status === "claimed" && task.epoch > 1) {
      const former = (await (await tasks()).events({ task: task.id })).findLast(
        ({ set }) => set.epoch === task.epoch - 1,
      )?.set.owner;
      if (former && former !== task.owner) owners.add(former);
    }
    return [...[...owners].map(trackOf), trackOfRef(task.ref)].flatMap((each) => each ?? []);
  }
}

/** What the todo says that the task does not say yet. */
function taskOpFor(
  { todo, epoch }: Link,
  task: Task,
  owner: string,
  id: TrackId,
): TaskOp | undefined {
  const isHeld =
    epoch !== undefined &&
    task.epoch === epoch &&
    ((task.status === "claimed" && task.owner === owner) || task.lapsed?.owner === owner);
  const isFree = task.status === "open" && task.ref === refOfTodo(id, todo.id);
  if (!isHeld && !isFree) return undefined;
  const held = [{ id: task.id, ...(isHeld && { epoch }) }];
  if (todo.status === "completed") {
    const evidence = todo.evidence ?? (todo.check ? [todo.check.command] : undefined);
    return { op: "finish", owner, held, ...(evidence && { evidence }) };
  }
  if (todo.status === "cancelled" && isHeld && task.status === "claimed")
    return { op: "release", owner, held, reason: "It was dropped from the holder's list." };
  return undefined;
}

/** What the task says that the todo does not say yet. */
function todoOpsFor({ todo, epoch }: Link, task: Task, owner: string, id: TrackId): readonly Op[] {
  if (!isOpen(todo)) return [];
  const target = { any: todo.id };
  const [evidence] = task.evidence;
  if (task.status === "done")
    return [{ op: "finish", target, ...(evidence !== undefined && { evidence }) }];
  if (task.status === "cancelled") return [{ op: "drop", target }];
  const isOwn = task.ref === refOfTodo(id, todo.id);
  const isHeld = task.status === "claimed" && task.owner === owner && task.epoch === epoch;
  const mayBe = task.lapsed?.owner === owner && task.epoch === epoch;
  // Given back, or another's by now; what was a todo first stays one.
  return isOwn || isHeld || mayBe ? [] : [{ op: "drop", target }];
}
