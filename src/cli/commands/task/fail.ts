import { UsageError } from "../../../core/error.ts";
import { ownerCommand } from "../../options/task-owner.ts";

export const fail = ownerCommand({
  name: "fail",
  options: { reason: { type: "string", value: "TEXT", summary: "Why it failed (required)" } },
  examples: [
    {
      command: 'waymark task fail t2 --reason "the build breaks"',
      comment: "Report a failed attempt of the task that you claimed",
    },
    {
      command: 'waymark task fail t2 --as ann --epoch 1 --reason "no disk" --json',
      comment: "Print the task as JSON",
    },
  ],
  seeAlso: ["task done", "task release", "task reopen"],
  op: ({ reason }, by) => {
    if (reason === undefined)
      throw new UsageError("Missing --reason TEXT. Say why the attempt failed.");
    return { op: "fail", ...by, reason };
  },
  summarize: ({ id, status, attempts, maxAttempts }) =>
    status === "open"
      ? `${id} is ready to retry (attempt ${attempts} of ${maxAttempts} failed)`
      : `${id} failed after ${attempts} of ${maxAttempts} attempts`,
});
