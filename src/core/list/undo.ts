import type { Op, Todo, TodoTarget } from "../model.ts";

/** The ops that restore the status of a todo after the user finished, reopened or dropped it. */
export function restoreOps(
  { status, blocker }: Pick<Todo, "status" | "blocker">,
  target: TodoTarget,
): readonly Op[] {
  switch (status) {
    case "pending":
      return [{ op: "reopen", target }];
    case "in_progress":
      return [
        { op: "reopen", target },
        { op: "start", target },
      ];
    case "blocked":
      return [
        { op: "reopen", target },
        { op: "block", target, ...(blocker !== undefined && { reason: blocker }) },
      ];
    case "completed":
      return [{ op: "finish", target }];
    case "cancelled":
      return [{ op: "drop", target }];
  }
}
