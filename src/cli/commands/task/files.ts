import { join } from "node:path";
import { UsageError } from "../../../core/error.ts";
import { counted } from "../../../core/text/count.ts";
import { forJson, oneLine } from "../../../core/text/escape.ts";
import { redactedMessage } from "../../../engines/storage/warn.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import { sharedStore } from "../../../home/shared-store.ts";
import { isInStep, type SyncReport } from "../../../tasks/folder/report.ts";
import type { SyncOptions } from "../../../tasks/folder/sync.ts";
import { parseChoice } from "../../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";

const SIDES = ["files", "store"] as const;

const options = {
  watch: { type: "boolean", summary: "Keep both sides in step until Ctrl+C" },
  all: { type: "boolean", summary: "Write a file for every open task of the store" },
  label: {
    type: "string",
    value: "LABEL",
    summary: "Write a file for every open task with this label; repeat for several",
    repeatable: true,
  },
  task: {
    type: "string",
    value: "TASK",
    summary: "Write a file for this task; repeat for several",
    repeatable: true,
    completions: "tasks",
    perCall: true,
  },
  prefer: {
    type: "string",
    value: "SIDE",
    summary: "Side that decides conflicts: files or store",
    default: "neither; conflicts are reported",
    completions: SIDES,
    perCall: true,
  },
  "allow-deletions": {
    type: "boolean",
    summary: "Cancel the tasks of deleted files even if most files are missing",
    perCall: true,
  },
  "dry-run": {
    type: "boolean",
    summary: "Print what would change without changing it",
    perCall: true,
  },
  json: {
    type: "boolean",
    summary: "Print the changes, conflicts and problems as JSON",
    perCall: true,
  },
  ...TASK_STORE_OPTION,
} as const satisfies Options;

type FilesCall = Call<typeof options>;

export const taskFiles = defineCommand({
  arguments: [
    {
      name: "DIR",
      summary: "Folder of Backlog.md, or the project that contains it",
      optional: true,
      default: "backlog or .backlog in this directory",
      completions: "files",
    },
  ],
  options,
  notes: [
    "Every file of the folder becomes a task. Tasks of the store get a file if they are subtasks of a task with a file, or with --all, --label or --task. A folder that does not exist is created with one of these options.",
    "Each field is merged by the last version that both sides had. If both sides changed a field, neither is overwritten, and the exit code is 1: edit one side, or pass --prefer.",
  ],
  examples: [
    { command: "waymark task files", comment: "Sync the folder backlog of this project" },
    {
      command: "waymark task files --label api --watch",
      comment: "Keep files for the tasks with a label",
    },
  ],
  seeAlso: ["task import", "task export", "task watch"],
  async run(call) {
    const { args, values, terminal, home, env } = call;
    const [dir] = args;
    const prefer =
      values.prefer === undefined ? undefined : parseChoice("--prefer", values.prefer, SIDES);
    const dryRun = values["dry-run"] === true;
    if (dryRun && values.watch) throw new UsageError("--dry-run and --watch cannot be combined.");
    const { all, label: labels, task: tasks } = values;
    const selected = all === true || labels !== undefined || tasks !== undefined;
    const { locateFolder } = await import("../../../tasks/folder/locate.ts");
    const folder = locateFolder(requireCurrentDirectory(), dir, { selected, dryRun });
    const store = await home.tasks(dryRun ? "reading" : "writing", values.store);
    const sync: SyncOptions = {
      store,
      storeName: nameOfStore(sharedStore(values.store, env)),
      folder,
      stateDirectory: join(home.path, "task-files"),
      selection: {
        ...(all && { all }),
        ...(labels && { labels }),
        ...(tasks && { tasks }),
      },
      prefer,
      dryRun,
      ...(values["allow-deletions"] && { allowDeletions: true }),
    };
    if (values.watch) return watchUntilInterrupt(call, sync);
    const { syncFolder } = await import("../../../tasks/folder/sync.ts");
    const report = await syncFolder(sync);
    if (values.json) terminal.printJson(jsonOf(report, dryRun));
    else {
      for (const line of problemsOf(report)) terminal.printError(oneLine(line));
      terminal.printText(summaryOf(report, dryRun));
    }
    return isInStep(report) ? EXIT.success : EXIT.failure;
  },
});

/** Host, port and database: the login may change. */
function nameOfStore(url: string | undefined): string {
  if (url === undefined) return "";
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return url;
  }
}

function jsonOf(report: SyncReport, dryRun: boolean) {
  return { ...report, ...(dryRun && { dryRun }) };
}

const KINDS = [
  ["added task", "task", "added"],
  ["changed task", "task", "changed"],
  ["cancelled task", "task", "cancelled"],
  ["created file", "file", "created"],
  ["changed file", "file", "changed"],
  ["restored file", "file", "restored"],
] as const;

function summaryOf(
  { changes, conflicts, refused, problems, linked }: SyncReport,
  dryRun: boolean,
): string {
  const parts = KINDS.flatMap(([kind, noun, verb]) => {
    const count = changes.filter(({ change }) => change === kind).length;
    return count === 0 ? [] : [`${counted(count, noun)} ${verb}`];
  });
  if (conflicts.length > 0) parts.push(counted(conflicts.length, "conflict"));
  if (refused.length > 0) parts.push(`${counted(refused.length, "change")} refused`);
  if (problems.length > 0) parts.push(`${counted(problems.length, "file")} left alone`);
  if (parts.length === 0) return `In step: ${counted(linked, "task")}`;
  return `${dryRun ? "Would be: " : ""}${parts.join(", ")}`;
}

const MAX_VALUE = 60;

function short(value: string): string {
  const text = oneLine(value);
  return text === ""
    ? "nothing"
    : `"${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}"`;
}

function problemsOf({ conflicts, refused, problems }: SyncReport): readonly string[] {
  return [
    ...problems.map(
      ({ path, line, why }) =>
        `${path}${line === undefined ? "" : `:${line}`} ${why}. It was left alone.`,
    ),
    ...refused.map(({ file, message }) => `${file}: refused. ${message}`),
    ...conflicts.map(
      ({ file, task, field, fileValue, taskValue }) =>
        `${file}: conflict in ${field}. The file has ${short(fileValue)}, ${task} has ${short(taskValue)}. Edit one of them, or pass --prefer.`,
    ),
  ];
}

async function watchUntilInterrupt(call: FilesCall, sync: SyncOptions): Promise<Exit> {
  const { terminal, values } = call;
  const { watchFolder } = await import("../../../tasks/folder/watch.ts");
  let shown = new Set<string>();
  const tellOnce = (lines: readonly string[]) => {
    for (const line of lines) if (!shown.has(line)) terminal.printError(oneLine(line));
    shown = new Set(lines);
  };
  let isFirst = true;
  const stop = watchFolder(sync, {
    onSync(report) {
      const hasNews = report.changes.length > 0 || isFirst;
      if (values.json && (hasNews || !isInStep(report)))
        terminal.print(forJson(jsonOf(report, false)));
      if (values.json) return;
      tellOnce(problemsOf(report));
      if (hasNews) terminal.printText(summaryOf(report, false));
      isFirst = false;
    },
    onProblem: (error) => tellOnce([`waymark: ${redactedMessage(error)}`]),
  });
  await new Promise<void>((finish) => {
    const interrupts = catchInterrupts(() => {
      void stop().then(() => {
        interrupts.release();
        finish();
      });
    });
  });
  return EXIT.success;
}
