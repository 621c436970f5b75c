import type { Awaitable } from "../../core/awaitable.ts";
import { type TaskLink, taskLinkOf } from "../../core/list/task-link.ts";
import type { Author, Op, Todo, Track, TrackId } from "../../core/model.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import { isOpen } from "../../core/views/view.ts";
import { ownerOf, trackOfOwner } from "../../sessions/caller/session.ts";
import type { Tracker } from "../../tracker.ts";
import type { Task, TaskAnswer, TaskOp } from "../model.ts";
import { isClosed } from "../rules/task-at.ts";
import type { TaskStore } from "../store.ts";

/**
 * Keeps todos and their linked tasks in sync. A claimed task becomes a todo of its owner, a todo
 * can become a task, and finishing one finishes the other. Each step compares the current state of
 * both, so a step that is already done changes nothing.
 */
export interface TaskLinks {
  /** Connects an owner with its agent. The agent's list is created with the first claim. */
  meet(owner: string, id: TrackId): void;
  /** Tasks changed: updates the lists of the agents involved. */
  taskChanged(op: TaskOp, answer: TaskAnswer, by: Author): Promise<void>;
  /** A list was written: soon applies the state of its linked todos to the tasks. */
  listChanged(track: Track, before: Track): void;
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

/** The `ref` of a task that was promoted from a todo. */
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
  const waiting = new Map<string, { readonly id: TrackId; readonly reopened: Set<string> }>();
  let settling: Promise<void> | undefined;

  const trackOf = (owner: string) => met.get(owner) ?? trackOfOwner(owner);

  /** Adds the claimed task to its owner's list, or reopens its todo. */
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
    // If the list is full, the claim stays valid without a todo.
    await (await lists("writing")).list(id).submit(ops, { by: "system", via: VIA });
  }

  /** Syncs the linked todos of a list with their tasks. `reopened` has what was just reopened: todos, or tasks. */
  async function settle(
    id: TrackId,
    by: Author,
    reopened: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    const { todos } = await (await lists("reading")).list(id).read();
    const links = todos.flatMap((todo) => linkOf(todo) ?? []);
    if (links.length === 0) return;
    const store = await tasks();
    const owner = ownerOf(id);
    const ops: Op[] = [];
    for (const link of links) {
      const task = await store.get(link.task);
      if (!task) continue;
      const isOwn = task.ref === refOfTodo(id, link.todo.id);
      if (isOwn && isClosed(task) && reopened.has(link.todo.id)) {
        await store.apply({ op: "reopen", id: task.id }, { by, via: "todos", actor: owner });
        continue;
      }
      if (isOwn && task.status === "open" && reopened.has(task.id)) {
        if (!isOpen(link.todo)) ops.push({ op: "reopen", target: { any: link.todo.id } });
        continue;
      }
      const wanted = taskOpFor(link, task, owner, id);
      // The agent closed its own todo: the task that it became is closed even if it was never claimed.
      const sender = wanted?.op === "finish" && wanted.force ? "system" : "agent";
      if (wanted) await store.apply(wanted, { by: sender, via: "todos", actor: owner });
      else ops.push(...todoOpsFor(link, task, owner, id));
    }
    // The agent is notified of user edits to its list, also of those made through a task.
    const who = by === "user" ? by : "system";
    if (ops.length > 0) await (await lists("writing")).list(id).submit(ops, { by: who, via: VIA });
  }

  async function work(): Promise<void> {
    for (const [key, { id, reopened }] of waiting) {
      waiting.delete(key);
      try {
        await settle(id, "system", reopened);
      } catch (error) {
        // The list is written; the next write syncs the tasks again.
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
          const reopened = new Set(op.op === "reopen" ? [task.id] : []);
          for (const id of await concerned(op, task)) await settle(id, by, reopened);
        }
      } catch (error) {
        // The task is already changed.
        onProblem(error);
      }
    },
    listChanged({ session, agent, todos }, before) {
      if (!todos.some(({ task }) => task !== undefined)) return;
      const key = trackKey({ session, agent });
      const closed = new Set(before.todos.filter((todo) => !isOpen(todo)).map((todo) => todo.id));
      const reopened = todos.filter((todo) => isOpen(todo) && closed.has(todo.id));
      const known = waiting.get(key)?.reopened ?? [];
      waiting.set(key, {
        id: { session, agent },
        reopened: new Set([...known, ...reopened.map((todo) => todo.id)]),
      });
      begin();
    },
    async settled() {
      // Applying a change may cause one more; it is applied once.
      for (let round = 0; round < 3 && settling; round++) await settling;
    },
  };

  /** The agents whose lists may disagree with the task now. */
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

/** The op that brings the task up to date with the todo. */
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
    return {
      op: "finish",
      owner,
      held,
      ...(evidence && { evidence }),
      ...(isFree && { force: true }),
    };
  }
  if (todo.status === "cancelled" && isHeld && task.status === "claimed")
    return { op: "release", owner, held, reason: "It was dropped from the holder's list." };
  return undefined;
}

/** The op that brings the todo up to date with the task. */
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
  // Released, or claimed by another owner. A todo that existed before its task stays.
  return isOwn || isHeld || mayBe ? [] : [{ op: "drop", target }];
}
