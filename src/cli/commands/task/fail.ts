import { UsageError } from "../../../core/error.ts";
import { holderCommand } from "../../options/task-holder.ts";

export const fail = holderCommand({
  options: { reason: { type: "string", value: "TEXT", summary: "Why it did not work" } },
  examples: [
    {
      command: 'waymark task fail t2 --as ann --epoch 1 --reason "the build breaks"',
      says: "It is tried again, by whoever claims it",
    },
    {
      command: 'waymark task fail t2 --as ann --epoch 1 --reason "no disk" --json',
      says: "For a program",
    },
  ],
  op: ({ reason }, by) => {
    if (reason === undefined) throw new UsageError("--reason is missing: say why it did not work.");
    return { op: "fail", ...by, reason };
  },
  words: ({ id, status, attempts, maxAttempts }) =>
    status === "open"
      ? `${id} is open again after attempt ${attempts} of ${maxAttempts}`
      : `${id} has failed after ${attempts} of ${maxAttempts} attempts`,
});
