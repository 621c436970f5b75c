import { ownerCommand } from "../../options/task-owner.ts";

export const done = ownerCommand({
  allowsUnclaimed: true,
  options: {
    evidence: {
      type: "string",
      value: "TEXT",
      summary: "Proof that it is done: a command, a path or a URL",
      repeatable: true,
    },
  },
  notes: ["A claimed task needs --epoch; a task that is not claimed can be completed without it."],
  examples: [
    {
      command: 'waymark task done t2 --as ann --epoch 1 --evidence "npm test"',
      comment: "Complete a claimed task with evidence",
    },
    { command: "waymark task done t1 --as pat", comment: "Complete a task that is not claimed" },
  ],
  seeAlso: ["task claim", "task fail"],
  op: ({ evidence }, by) => ({ op: "finish", ...by, ...(evidence !== undefined && { evidence }) }),
  summarize: ({ id, evidence }) =>
    `Completed ${id}${evidence.length > 0 ? "" : " without evidence"}`,
});
