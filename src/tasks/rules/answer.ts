import type { Task, TaskAnswer, TaskEvent, TaskOp, TaskRefusal, TaskSender } from "../model.ts";
import type { EventDraft } from "./decision.ts";
import { applyEvent } from "./fold.ts";
import { canonical } from "./needs.ts";
import { keyUsed } from "./refusals.ts";
import { taskAt } from "./task-at.ts";

export function refused(refusal: TaskRefusal): TaskAnswer {
  return { ok: false, refused: refusal };
}

export function answerWith(tasks: readonly Task[], now: number, seq?: number): TaskAnswer {
  return {
    ok: true,
    duplicate: false,
    tasks: tasks.map((task) => taskAt(task, now)),
    ...(seq !== undefined && { seq }),
  };
}

export function eventOf(
  { type, task, set }: EventDraft,
  { by, via, actor, key }: TaskSender,
  seq: number,
  at: number,
): TaskEvent {
  return {
    seq,
    at,
    type,
    task,
    by,
    via,
    ...(actor !== undefined && { actor }),
    ...(key !== undefined && { key }),
    set,
  };
}

const MADE: Readonly<Record<TaskOp["op"], readonly TaskEvent["type"][]>> = {
  add: ["added"],
  claim: ["claimed"],
  renew: ["renewed"],
  release: ["released"],
  finish: ["done"],
  fail: ["retried", "failed"],
  edit: ["edited"],
  cancel: ["cancelled"],
  reopen: ["reopened"],
  assign: ["assigned"],
};

function idsOf(op: TaskOp): readonly string[] | undefined {
  switch (op.op) {
    case "add":
      return undefined;
    case "claim":
      return op.id === undefined ? undefined : [canonical(op.id)];
    case "renew":
    case "release":
    case "finish":
    case "fail":
      return op.held.map(({ id }) => canonical(id));
    default:
      return [canonical(op.id)];
  }
}

/** The tasks whose events are needed to replay the answer for a known key. */
export function replayedTasks(op: TaskOp, made: readonly TaskEvent[]): readonly string[] {
  return idsOf(op) ?? [...new Set(made.map(({ task }) => task))];
}

/**
 * Replays the answer for a key that was used before, from the events recorded then. `before` has
 * the events of the affected tasks, so that the answer shows them as that operation left them.
 */
export function replayAnswer(
  op: TaskOp,
  key: string,
  made: readonly TaskEvent[],
  before: readonly TaskEvent[],
): TaskAnswer {
  const [first] = made;
  const ids = idsOf(op);
  const fits =
    first !== undefined &&
    MADE[op.op].includes(first.type) &&
    (ids === undefined || made.some(({ task }) => ids.includes(task)));
  if (!first || !fits) return refused(keyUsed(key, first));
  const seq = made.at(-1)?.seq ?? first.seq;
  const shown = replayedTasks(op, made);
  const wanted = new Set(shown);
  const tasks = new Map<string, Task>();
  for (const event of before)
    if (event.seq <= seq && wanted.has(event.task))
      tasks.set(event.task, applyEvent(tasks.get(event.task), event));
  return { ok: true, duplicate: true, tasks: shown.flatMap((id) => tasks.get(id) ?? []), seq };
}
