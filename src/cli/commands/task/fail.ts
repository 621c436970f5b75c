import { UsageError } from "../../../core/error.ts";
import { formatDuration } from "../../../core/text/duration.ts";
import { parseDurationOption } from "../../args/time.ts";
import { ownerCommand } from "../../options/task-owner.ts";

export const fail = ownerCommand({
  name: "fail",
  options: {
    reason: { type: "string", value: "TEXT", summary: "Why it failed (required)", perCall: true },
    "retry-in": {
      type: "string",
      value: "TIME",
      summary: "Delay before it can be claimed again, e.g. 5m",
      default: "none",
      perCall: true,
    },
  },
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
  seeAlso: ["task done", "task release", "task retry"],
  op: ({ reason, "retry-in": retryIn }, by) => {
    if (reason === undefined)
      throw new UsageError("Missing --reason TEXT. Say why the attempt failed.");
    return {
      op: "fail",
      ...by,
      reason,
      ...(retryIn !== undefined && { retryIn: parseDurationOption("--retry-in", retryIn) }),
    };
  },
  summarize: ({ id, status, attempts, maxAttempts, notBefore, updatedAt }) =>
    status === "open"
      ? `${id} is ready to retry${inText((notBefore ?? 0) - updatedAt)} (attempt ${attempts} of ${maxAttempts} failed)`
      : `${id} failed after ${attempts} of ${maxAttempts} attempts`,
});

function inText(wait: number): string {
  return wait > 0 ? ` in ${formatDuration(wait)}` : "";
}
