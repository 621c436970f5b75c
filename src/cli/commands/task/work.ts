import { hostname } from "node:os";
import { UsageError } from "../../../core/error.ts";
import { DAY, HOUR } from "../../../core/text/duration.ts";
import { forJson } from "../../../core/text/escape.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import { retryDelay } from "../../../tasks/rules/queue/retry.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { type WorkEvent, type WorkOptions, work as workOn } from "../../../tasks/work/index.ts";
import { parseInteger } from "../../args/arguments.ts";
import { type Call, defineCommand } from "../../args/command.ts";
import { parseDurationOption } from "../../args/time.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import type { Terminal } from "../../io/terminal.ts";
import { parseLease } from "../../options/lease.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskForm } from "../../print/task-form.ts";
import { commandHandler } from "../../work/handler.ts";
import { summaryLine, type WorkReport, workReport } from "../../work/report.ts";
import { openWorktrees, type Worktree } from "../../work/worktree.ts";

const options = {
  concurrency: {
    type: "string",
    value: "N",
    summary: "Tasks that run at the same time",
    default: "1",
  },
  label: {
    type: "string",
    value: "LABEL",
    summary: "Only tasks with this label; repeat for several",
    repeatable: true,
  },
  worktree: {
    type: "boolean",
    summary: "Run each task in a git worktree and branch of its own, wm/TASK",
  },
  once: { type: "boolean", summary: "End after one task of each worker", perCall: true },
  drain: { type: "boolean", summary: "End when no task is ready or delayed" },
  timeout: {
    type: "string",
    value: "TIME",
    summary: "Time limit of an attempt, e.g. 10m",
    default: "none",
  },
  "retry-delay": {
    type: "string",
    value: "TIME",
    summary: "Delay before the first retry; each further one doubles it",
    default: "30s",
  },
  keep: {
    type: "string",
    value: "TIME",
    summary: "Delete tasks closed longer ago than this, every hour, e.g. 30d",
  },
  lease: {
    type: "string",
    value: "TIME",
    summary: "Lease duration; it is renewed while the command runs",
    default: "1m",
  },
  as: {
    type: "string",
    value: "OWNER",
    summary: "Owner name",
    default: "the name of this machine",
  },
  json: { type: "boolean", summary: "Print each change as a JSON line", perCall: true },
  ...TASK_STORE_OPTION,
} as const;

type WorkCall = Call<typeof options>;

export const work = defineCommand({
  description: "Run a command for each task, and finish or fail the task by its exit code.",
  usage: ["[options] -- COMMAND [ARGUMENT...]"],
  arguments: [
    {
      name: "COMMAND",
      summary: "Program and its arguments; started without a shell",
      repeatable: true,
    },
  ],
  options,
  notes: [
    "The command gets the task as JSON on standard input, and its fields in WAYMARK_TASK_ID, WAYMARK_TASK_SUBJECT and other variables (see `waymark help environment`). Exit code 0 finishes the task, any other fails the attempt. The last lines of the output become the evidence or the reason. A task with a check is finished only after the check has passed.",
    "With --worktree, the worktrees are in a directory beside the repository, NAME.worktrees. They are kept, and a retry continues in the same one.",
    "Ctrl+C waits for the running tasks; the second one ends them and releases the tasks. If the machine or the worker dies, the lease expires and another worker claims the task.",
  ],
  exitCodes: {
    0: "Stopped, or no task is left",
    1: "A task used up its attempts; with --once, none was done",
  },
  examples: [
    {
      command: `waymark task work --concurrency 4 --drain -- sh -c 'cat > "$WAYMARK_TASK_ID"'`,
      comment: "Four workers, until no task is left",
    },
    {
      command: `waymark task work --once -- sh -c 'echo "$WAYMARK_TASK_SUBJECT"'`,
      comment: "One task, with a line of the shell",
    },
  ],
  seeAlso: ["task claim", "task retry", "task pause", "task stats"],
  run,
});

async function run(call: WorkCall): Promise<Exit> {
  const { args, values, terminal, home } = call;
  if (values.once && values.drain) throw new UsageError("--once and --drain cannot be combined.");
  const settings = workOptions(values);
  const keep = values.keep === undefined ? undefined : parseDurationOption("--keep", values.keep);
  const cwd = requireCurrentDirectory();
  const worktrees = values.worktree ? await openWorktrees(cwd) : undefined;
  const store = await home.tasks("writing", values.store);
  const opened = new Map<string, Worktree>();
  const handler = commandHandler(call, { command: args, cwd, worktrees, opened });
  const started = performance.now();
  const report = values.json ? undefined : workReport(terminal, settings.concurrency ?? 1);
  report?.note(`${heading(settings)}\n`);
  const finished: string[] = [];
  const show = (event: WorkEvent): void => {
    const worktree = opened.get(event.task.id);
    if (!report) terminal.print(forJson(eventForm(event, worktree)));
    report?.show(event, worktree);
    if (event.type === "done") finished.push(event.task.id);
  };
  let problem = "";
  const workers = workOn(
    store,
    {
      ...settings,
      onEvent: show,
      onError(error) {
        // A store that cannot be reached is asked again and again: say so once.
        const message = (error as Error).message;
        if (message !== problem) terminal.printError(`waymark: ${message}`);
        problem = message;
      },
    },
    handler,
  );
  const interrupts = catchInterrupts(
    () => {
      const running = report?.running() ?? 0;
      if (running > 0) report?.note(stoppingText(running));
      void workers.stop();
    },
    () => void workers.abort(),
  );
  const pruning = keep === undefined ? undefined : pruneHourly(store, keep, terminal);
  const counting = report && terminal.isTty ? countReady(store, report) : undefined;
  const summary = await workers.ended;
  clearInterval(counting);
  clearInterval(pruning);
  report?.end();
  const { ready, delayed, open } = await store.counts();
  if (!report) terminal.print(forJson({ type: "ended", ...summary, ready, delayed }));
  report?.note(`\n${summaryLine(summary, performance.now() - started, open)}`);
  for (const id of report && worktrees ? finished : []) {
    const worktree = opened.get(id);
    const changes = worktree && (await worktrees?.changes(worktree));
    if (worktree) report?.note(`  ${id}  ${worktree.branch}  ${changes}`.trimEnd());
  }
  if (report && finished.length > 0 && worktrees)
    report.note("Branches are kept. `git worktree list` shows them.");
  // After the second signal, the parent process sees that a signal ended the program.
  if (summary.released > 0) interrupts.release();
  if (summary.failed > 0 || (values.once && summary.done === 0)) return EXIT.failure;
  return EXIT.success;
}

function workOptions(values: WorkCall["values"]): WorkOptions {
  const { concurrency, label, timeout, lease, once, drain } = values;
  const first =
    values["retry-delay"] === undefined
      ? undefined
      : parseDurationOption("--retry-delay", values["retry-delay"]);
  return {
    owner: values.as ?? hostname(),
    concurrency: concurrency === undefined ? 1 : parseWorkers(concurrency),
    ...(label !== undefined && { labels: label }),
    ...(timeout !== undefined && { timeout: parseTimeout(timeout) }),
    ...(lease !== undefined && { lease: parseLease(lease) }),
    ...(once && { until: "first" as const }),
    ...(drain && { until: "left" as const }),
    retryIn: ({ attempts }) => retryDelay(attempts, Math.random(), first),
  };
}

const MOST_WORKERS = 1_000;
const LONGEST_TIMEOUT = 24 * DAY;

function parseWorkers(given: string): number {
  const workers = parseInteger("--concurrency", given, 1);
  if (workers <= MOST_WORKERS) return workers;
  throw new UsageError(
    `Invalid --concurrency "${given.slice(0, 40)}". Use at most ${MOST_WORKERS}.`,
  );
}

function parseTimeout(given: string): number {
  const timeout = parseDurationOption("--timeout", given);
  if (timeout <= LONGEST_TIMEOUT) return timeout;
  throw new UsageError(`Invalid --timeout "${given.slice(0, 40)}". Use at most 24d.`);
}

function heading({ owner, concurrency = 1, labels = [] }: WorkOptions): string {
  return [
    owner,
    `${concurrency} ${concurrency === 1 ? "worker" : "workers"}`,
    ...labels.map((label) => `label ${label}`),
    "Ctrl+C finishes running tasks, twice stops",
  ].join(" · ");
}

function stoppingText(running: number): string {
  const what = running === 1 ? "1 task is running" : `${running} tasks are running`;
  return `Stopping: ${what}. Press Ctrl+C again to stop ${running === 1 ? "it" : "them"} now.`;
}

function pruneHourly(store: TaskStore, keep: number, terminal: Terminal): NodeJS.Timeout {
  const prune = async () => {
    try {
      await store.prune(keep);
    } catch (error) {
      terminal.printError(`waymark: Old tasks could not be deleted: ${(error as Error).message}`);
    }
  };
  void prune();
  return setInterval(prune, HOUR);
}

/** Refreshes the number of ready tasks on the last line. */
function countReady(store: TaskStore, report: WorkReport): NodeJS.Timeout {
  const look = async () => {
    try {
      const [{ ready }, { paused }] = await Promise.all([store.counts(), store.queue()]);
      report.ready(ready, paused !== undefined);
    } catch {
      // The workers report that the store cannot be reached.
    }
  };
  void look();
  return setInterval(look, 2_000);
}

function eventForm(event: WorkEvent, worktree: Worktree | undefined) {
  return {
    ...event,
    task: taskForm(event.task),
    ...(worktree && { branch: worktree.branch, worktree: worktree.path }),
  };
}
