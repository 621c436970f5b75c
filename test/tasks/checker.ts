import type { Task, TaskEvent } from "../../src/tasks/model.ts";
import { applyEvent } from "../../src/tasks/rules/fold.ts";
import { findCycle } from "../../src/tasks/rules/graph.ts";
import type { Call } from "./worker.ts";

/**
 * Replays a history by event numbers and returns its violations: two owners, an epoch that did not
 * grow by one, a claim of a blocked or claimed task, a cycle.
 */
export function faultsOf(events: readonly TaskEvent[], calls: readonly Call[]): string[] {
  const faults: string[] = [];
  const tasks = new Map<string, Task>();
  const waits = new Map<string, readonly string[]>();
  let last = 0;
  for (const event of events) {
    const { seq, task: id, type, set } = event;
    if (seq <= last) faults.push(`${seq} comes after ${last}`);
    last = seq;
    const before = tasks.get(id);
    if (type === "added" ? before : !before) faults.push(`${seq}: ${id} ${type} out of nowhere`);
    if (before && type === "claimed") {
      const free =
        before.status === "open" ||
        (before.status === "claimed" && (before.leaseUntil ?? 0) <= event.at);
      if (!free) faults.push(`${seq}: ${id} claimed while ${before.status} by ${before.owner}`);
      if (set.epoch !== before.epoch + 1)
        faults.push(`${seq}: epoch ${before.epoch} -> ${set.epoch}`);
      for (const blocker of before.blockedBy)
        if (tasks.get(blocker)?.status !== "done")
          faults.push(`${seq}: ${id} claimed before ${blocker}`);
    }
    if (before && type === "done" && before.status !== "claimed" && event.actor !== undefined)
      faults.push(`${seq}: ${id} done while ${before.status}`);
    const after = applyEvent(before, event);
    tasks.set(id, after);
    if (set.blockedBy && type === "edited") {
      waits.set(id, after.blockedBy);
      const cycle = findCycle(waits, [id]);
      if (cycle) faults.push(`${seq}: ${cycle.join(" waits for ")}`);
    } else if (set.blockedBy) waits.set(id, after.blockedBy);
  }
  faults.push(...outOfTime(calls));
  return faults;
}

/** A call that was answered before another began must have the lower number. */
function outOfTime(calls: readonly Call[]): string[] {
  const made = calls.filter(({ seq }) => seq !== undefined).toSorted((a, b) => a.from - b.from);
  const ended = made.toSorted((a, b) => a.to - b.to);
  const faults: string[] = [];
  let highest = 0;
  let place = 0;
  for (const call of made) {
    for (let done = ended[place]; done && done.to < call.from; done = ended[++place])
      highest = Math.max(highest, done.seq ?? 0);
    if ((call.seq ?? 0) < highest)
      faults.push(`${call.op} of ${call.id} has ${call.seq}, but ${highest} was answered before`);
  }
  return faults;
}
