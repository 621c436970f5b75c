import { ownerCommand } from "../../options/task-owner.ts";

export const release = ownerCommand({
  name: "release",
  options: {
    reason: { type: "string", value: "TEXT", summary: "Reason, for the next owner", perCall: true },
  },
  examples: [
    { command: "waymark task release t2", comment: "Release the task that you claimed" },
    {
      command: 'waymark task release t2 --as ann --epoch 1 --reason "needs a key"',
      comment: "Release it with a reason",
    },
  ],
  seeAlso: ["task claim", "task assign"],
  op: ({ reason }, by) => ({ op: "release", ...by, ...(reason !== undefined && { reason }) }),
  summarize: ({ id }) => `Released ${id}`,
});
