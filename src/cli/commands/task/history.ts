import { CommandError, UsageError } from "../../../core/error.ts";
import { forJson } from "../../../core/text/escape.ts";
import { findTask } from "../../../tasks/links/detail.ts";
import type { Task, TaskEvent } from "../../../tasks/model.ts";
import {
  expiryEvent,
  type ShownEvent,
  withDerived,
  withDerivedPages,
} from "../../../tasks/rules/expired.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { parseInteger } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import type { Terminal } from "../../io/terminal.ts";
import { textOptions } from "../../io/text-options.ts";
import { refuseTask, TASK, TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskEventForm } from "../../print/task-form.ts";

/** Events without --limit: a whole history can have hundreds of thousands. */
const NEWEST = 200;

export const history = defineCommand({
  arguments: [{ ...TASK, optional: true, default: "all tasks" }],
  options: {
    limit: {
      type: "string",
      value: "N",
      summary: "Only the newest N events",
      default: "200, or all of one task",
    },
    all: { type: "boolean", summary: "All events" },
    json: { type: "boolean", summary: "Print the events as JSON", perCall: true },
    ...TASK_STORE_OPTION,
  },
  notes: [
    "An expired lease is not an event. A task that failed because its last lease expired is still listed, without a number; JSON marks it as derived.",
  ],
  examples: [
    { command: "waymark task history t2", comment: "Show the history of one task" },
    {
      command: "waymark task history --limit 20 --json",
      comment: "Print the newest events as JSON",
    },
  ],
  seeAlso: ["task show", "task watch", "history"],
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
    const derived = failed.flatMap((task) => expiryEvent(task) ?? []);
    let pages: Pages = withDerivedPages(eventPages(store, id), derived);
    if (limit !== undefined) {
      // One more than is printed, to know whether there are earlier ones.
      const kept = await store.events({ ...(id !== undefined && { task: id }), last: limit + 1 });
      const all = withDerived(kept, derived);
      const events = all.slice(-limit);
      if (values.limit === undefined && events.length < all.length) {
        const earlier = kept.at(-events.length - 1)?.seq;
        terminal.printError(
          `Events up to ${earlier} are not shown. Use --limit N or --all to see more.`,
        );
      }
      pages = [events];
    }
    if (values.json) {
      await printJson(terminal, pages);
      return EXIT.success;
    }
    const { taskHistoryPager } = await import("../../../surfaces/text/tasks/index.ts");
    const options = textOptions(terminal, await store.now());
    const render = taskHistoryPager(options, limit === undefined ? await lastId(store) : "");
    let printed = false;
    for await (const events of pages) {
      if (events.length === 0) continue;
      terminal.print(render(events));
      printed = true;
    }
    if (!printed) throw new CommandError("No tasks yet. Add one with `waymark task add SUBJECT`.");
    return EXIT.success;
  },
});

type Pages = AsyncIterable<readonly ShownEvent[]> | Iterable<readonly ShownEvent[]>;

/** Prints the same array as `terminal.printJson` of all events, page by page. */
async function printJson(terminal: Terminal, pages: Pages): Promise<void> {
  let last: string | undefined;
  for await (const events of pages) {
    if (events.length === 0) continue;
    terminal.print(last === undefined ? "[" : `${last},`);
    last = forJson(events.map(taskEventForm), 2).slice("[\n".length, -"\n]".length);
  }
  terminal.print(last === undefined ? "[]" : `${last}\n]`);
}

/** An id as long as the longest, without reading all tasks. */
async function lastId(store: TaskStore): Promise<string> {
  const { open, claimed, done, failed, cancelled } = await store.counts();
  return `t${open + claimed + done + failed + cancelled}`;
}

/** Events per read. */
const PAGE = 1_000;

async function* eventPages(
  store: TaskStore,
  task: string | undefined,
): AsyncGenerator<readonly TaskEvent[]> {
  for (let after = 0; ; ) {
    const page = await store.events({ ...(task !== undefined && { task }), after, limit: PAGE });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? after;
  }
}

function limitOf(
  { limit, all }: { readonly limit?: string | undefined; readonly all?: boolean | undefined },
  id: string | undefined,
): number | undefined {
  if (limit !== undefined && all) throw new UsageError("--limit and --all cannot be combined.");
  if (limit !== undefined) return parseInteger("--limit", limit, 1);
  return all || id !== undefined ? undefined : NEWEST;
}
