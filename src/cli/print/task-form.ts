import { withIsoTimes } from "../../core/views/json.ts";
import type { Task } from "../../tasks/model.ts";
import type { ShownEvent } from "../../tasks/rules/expired.ts";

/** The JSON form of a task. */
export function taskForm<T extends Task>({ lapsed, ...task }: T) {
  return { ...withIsoTimes(task), ...(lapsed && { lapsed: withIsoTimes(lapsed) }) };
}

/** The JSON form of a change to a task. */
export function taskEventForm(event: ShownEvent) {
  return { ...withIsoTimes(event), set: withIsoTimes(event.set) };
}
