import { findTask } from "../../../hosts/task-detail.ts";
import type { Task } from "../../../tasks/model.ts";
import { parkedBySilence, toldEvents } from "../../../tasks/rules/parked.ts";
import { wholeNumber } from "../../arguments.ts";
import { defineCommand } from "../../command.ts";
import { EXIT, NoAnswer } from "../../exit.ts";
import { refuseTask, TASK, TASK_STORE } from "../../task-change.ts";
import { textOptions } from "../../text-options.ts";

export const history = defineCommand({
  arguments: [{ ...TASK, optional: true }],
  options: {
    limit: { type: "string", value: "N", summary: "Only the last N" },
    json: { type: "boolean", summary: "Print JSON: the events with their numbers" },
    ...TASK_STORE,
  },
  notes: [
    "A lease that runs out makes no event. Where a task is parked because its last holder fell silent, that is told all the same: without a number, and as derived in JSON.",
  ],
  examples: [
    { command: "waymark task history t2", says: "What happened to one task" },
    { command: "waymark task history --limit 20 --json", says: "The end of it all" },
  ],
  async run(call) {
    const { args, values, terminal, home } = call;
    const [id] = args;
    const limit = values.limit === undefined ? undefined : wholeNumber("--limit", values.limit, 1);
    const store = await home.tasks("reading", values.store);
    let failed: readonly Task[];
    if (id === undefined) failed = await store.list({ status: "failed" });
    else {
      const found = await findTask(store, id);
      if (!found.ok) return refuseTask(call, found.refused);
      failed = [found.detail.task];
    }
    const kept = await store.events(id === undefined ? {} : { task: id });
    const all = toldEvents(
      kept,
      failed.flatMap((task) => parkedBySilence(task) ?? []),
    );
    const events = limit === undefined ? all : all.slice(-limit);
    if (values.json) {
      terminal.printJson(events);
      return EXIT.fine;
    }
    if (events.length === 0)
      throw new NoAnswer("No task has a history yet: waymark task add SUBJECT");
    const { renderTaskHistory } = await import("../../../surfaces/text/tasks/index.ts");
    terminal.print(renderTaskHistory(events, textOptions(terminal, await store.now())));
    return EXIT.fine;
  },
});
