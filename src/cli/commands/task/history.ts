import { NoAnswer, UsageError } from "../../../core/error.ts";
import { forJson } from "../../../core/text/escape.ts";
import { findTask } from "../../../tasks/links/detail.ts";
import type { Task, TaskEvent } from "../../../tasks/model.ts";
import {
  parkedBySilence,
  type ToldEvent,
  toldEvents,
  toldPages,
} from "../../../tasks/rules/parked.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { wholeNumber } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import type { Terminal } from "../../io/terminal.ts";
import { textOptions } from "../../io/text-options.ts";
import { refuseTask, TASK, TASK_STORE } from "../../options/task-change.ts";

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
    const derived = failed.flatMap((task) => parkedBySilence(task) ?? []);
    let parts: Parts = toldPages(eventPages(store, id), derived);
    if (limit !== undefined) {
      // One more than is printed tells whether there are earlier ones.
      const kept = await store.events({ ...(id !== undefined && { task: id }), last: limit + 1 });
      const all = toldEvents(kept, derived);
      const events = all.slice(-limit);
      if (values.limit === undefined && events.length < all.length) {
        const earlier = kept.at(-events.length - 1)?.seq;
        terminal.say(
          `waymark: events up to ${earlier} are not printed; --limit N prints the newest N, --all every one`,
        );
      }
      parts = [events];
    }
    if (values.json) {
      await printJson(terminal, parts);
      return EXIT.fine;
    }
    const { taskHistoryInParts } = await import("../../../surfaces/text/tasks/index.ts");
    const options = textOptions(terminal, await store.now());
    const render = taskHistoryInParts(options, limit === undefined ? await lastId(store) : "");
    let printed = false;
    for await (const events of parts) {
      if (events.length === 0) continue;
      terminal.print(render(events));
      printed = true;
    }
    if (!printed) throw new NoAnswer("No task has a history yet: waymark task add SUBJECT");
    return EXIT.fine;
  },
});

type Parts = AsyncIterable<readonly ToldEvent[]> | Iterable<readonly ToldEvent[]>;

/** The array that `terminal.printJson` would print of all events, in parts. */
async function printJson(terminal: Terminal, parts: Parts): Promise<void> {
  let last: string | undefined;
  for await (const events of parts) {
    if (events.length === 0) continue;
    terminal.print(last === undefined ? "[" : `${last},`);
    last = forJson(events, 2).slice("[\n".length, -"\n]".length);
  }
  terminal.print(last === undefined ? "[]" : `${last}\n]`);
}

/** An id of the length of the longest, without reading them all. */
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
  if (limit !== undefined && all) throw new UsageError("--limit and --all exclude each other.");
  if (limit !== undefined) return wholeNumber("--limit", limit, 1);
  return all || id !== undefined ? undefined : NEWEST;
}
