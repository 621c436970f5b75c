import { findTask } from "../../../hosts/task-detail.ts";
import type { Task } from "../../../tasks/model.ts";
import { parkedBySilence, toldEvents } from "../../../tasks/rules/parked.ts";
import { wholeNumber } from "../../arguments.ts";
import { defineCommand } from "../../command.ts";
import { EXIT, NoAnswer, UsageError } from "../../exit.ts";
import { refuseTask, TASK, TASK_STORE } from "../../task-change.ts";
import { textOptions } from "../../text-options.ts";

/** Enough for a look back; a team's whole history can be hundreds of thousands of events. */
const NEWEST = 200;

export const history = defineCommand({
  arguments: [{ ...TASK, optional: true }],
  options: {
    limit: {
      type: "string",
      value: "N",
      summary: "Only the newest N events (default: 200, or all of one task)",
    },
    all: { type: "boolean", summary: "Every event" },
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
    const limit = limitOf(values, id);
    const store = await home.tasks("reading", values.store);
    let failed: readonly Task[];
    if (id === undefined) failed = await store.list({ status: "failed" });
    else {
      const found = await findTask(store, id);
      if (!found.ok) return refuseTask(call, found.refused);
      failed = [found.detail.task];
    }
    // One more than is printed tells whether there are earlier ones.
    const kept = await store.events({
      ...(id !== undefined && { task: id }),
      ...(limit !== undefined && { last: limit + 1 }),
    });
    const all = toldEvents(
      kept,
      failed.flatMap((task) => parkedBySilence(task) ?? []),
    );
    const events = limit === undefined ? all : all.slice(-limit);
    if (values.limit === undefined && events.length < all.length) {
      const earlier = kept.at(-events.length - 1)?.seq;
      terminal.say(
        `waymark: events up to ${earlier} are not printed; --limit N prints the newest N, --all every one`,
      );
    }
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

function limitOf(
  { limit, all }: { readonly limit?: string | undefined; readonly all?: boolean | undefined },
  id: string | undefined,
): number | undefined {
  if (limit !== undefined && all) throw new UsageError("--limit and --all exclude each other.");
  if (limit !== undefined) return wholeNumber("--limit", limit, 1);
  return all || id !== undefined ? undefined : NEWEST;
}
