import { formatShortDuration } from "../../../core/text/duration.ts";
import { parseLease } from "../../options/lease.ts";
import { ownerCommand } from "../../options/task-owner.ts";

export const renew = ownerCommand({
  name: "renew",
  options: {
    lease: {
      type: "string",
      value: "TIME",
      summary: "Lease duration from now, e.g. 90s, 5m, 1h",
      default: "the lease of the claim",
    },
  },
  examples: [
    {
      command: "waymark task renew t2",
      comment: "Renew the lease of the task that you claimed",
    },
    {
      command: "waymark task renew t2 --as ann --epoch 1 --lease 1h",
      comment: "Extend it to one hour from now",
    },
  ],
  seeAlso: ["task claim", "task release"],
  op: ({ lease }, by) => ({
    op: "renew",
    ...by,
    ...(lease !== undefined && { lease: parseLease(lease) }),
  }),
  summarize: ({ id, lease = 0 }) => `Renewed ${id} for ${formatShortDuration(lease)}`,
});
