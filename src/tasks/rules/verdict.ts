import type { TaskEventType, TaskFields, TaskRefusal } from "../model.ts";

/** An event before it has a number and a time. */
export interface EventDraft {
  readonly type: TaskEventType;
  readonly task: string;
  readonly set: TaskFields;
}

export type Verdict =
  | {
      readonly ok: true;
      readonly events: readonly EventDraft[];
      /** Ids of the tasks that the answer shows, in order. */
      readonly about: readonly string[];
    }
  | { readonly ok: false; readonly refused: TaskRefusal };

export function refuse(refused: TaskRefusal): Verdict {
  return { ok: false, refused };
}
