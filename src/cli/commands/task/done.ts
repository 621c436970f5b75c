import { holderCommand } from "../../options/task-holder.ts";

export const done = holderCommand({
  free: true,
  options: {
    evidence: {
      type: "string",
      value: "TEXT",
      summary: "What shows it: a command, a path, a URL",
      many: true,
    },
  },
  notes: ["Without --epoch only a task that nobody holds can be finished."],
  examples: [
    {
      command: 'waymark task done t2 --as ann --epoch 1 --evidence "npm test"',
      says: "With what shows it",
    },
    { command: "waymark task done t1 --as pat", says: "One that nobody had claimed" },
  ],
  op: ({ evidence }, by) => ({ op: "finish", ...by, ...(evidence !== undefined && { evidence }) }),
  words: ({ id, evidence }) => `${id} is done${evidence.length > 0 ? "" : ", without evidence"}`,
});
