import { UsageError } from "../../../core/error.ts";
import { counted } from "../../../core/text/count.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { parseDurationOption } from "../../args/time.ts";
import { EXIT } from "../../io/exit.ts";
import { requirePerson } from "../../options/person.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";

export const prune = defineCommand({
  description: "Delete tasks that were done or cancelled long ago, with their history.",
  arguments: [],
  options: {
    keep: {
      type: "string",
      value: "TIME",
      summary: "Age up to which they are kept (required)",
      perCall: true,
    },
    json: JSON_OPTION,
    ...TASK_STORE_OPTION,
  },
  notes: [
    "Failed tasks stay, and so do tasks that block others or have subtasks. Deleted tasks cannot be restored; their ids are never used again, but their idempotency keys and refs can be. `waymark task export` makes a copy first.",
  ],
  examples: [
    { command: "waymark task prune --keep 30d", comment: "Keep the last 30 days" },
    { command: "waymark task prune --keep 90d --json", comment: "Print the number as JSON" },
  ],
  seeAlso: ["task export", "task stats"],
  async run(call) {
    const { values, terminal, home } = call;
    if (values.keep === undefined)
      throw new UsageError("Missing --keep TIME. Say how long to keep closed tasks, e.g. 30d.");
    const keep = parseDurationOption("--keep", values.keep);
    requirePerson(call, "task prune");
    const removed = await (await home.tasks("writing", values.store)).prune(keep);
    if (values.json) terminal.printJson({ removed });
    else terminal.print(`Deleted ${counted(removed, "task")}.`);
    return EXIT.success;
  },
});
