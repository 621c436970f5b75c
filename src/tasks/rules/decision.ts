import type { TaskEventType, TaskFields, TaskRefusal } from "../model.ts";

/** An event without its number and time. */
export interface EventDraft {
  readonly type: TaskEventType;
  readonly task: string;
  readonly set: TaskFields;
}

export type TaskDecision =
  | {
      readonly ok: true;
      readonly events: readonly EventDraft[];
      /** Ids of the tasks in the answer, in order. */
      readonly about: readonly string[];
    }
  | { readonly ok: false; readonly refused: TaskRefusal };

export function refuse(refused: TaskRefusal): TaskDecision {
  return { ok: false, refused };
}
