import { holderCommand } from "../../options/task-holder.ts";

export const release = holderCommand({
  options: { reason: { type: "string", value: "TEXT", summary: "What the next one should know" } },
  examples: [
    { command: "waymark task release t2 --as ann --epoch 1", says: "Others can take it" },
    {
      command: 'waymark task release t2 --as ann --epoch 1 --reason "needs a key"',
      says: "With a word to the next one",
    },
  ],
  op: ({ reason }, by) => ({ op: "release", ...by, ...(reason !== undefined && { reason }) }),
  words: ({ id }) => `released ${id}`,
});
