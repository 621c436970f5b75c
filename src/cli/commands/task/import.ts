import { resolve } from "node:path";
import { TASK_FILES } from "../../../agents/task-files.ts";
import { CommandError, UsageError } from "../../../core/error.ts";
import { counted } from "../../../core/text/count.ts";
import { forJson, oneLine } from "../../../core/text/escape.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import { isDirectory } from "../../../home/is-directory.ts";
import { inOrder } from "../../../tasks/formats/order.ts";
import type { TaskDraft, TaskRefusal } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { parseChoice } from "../../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { AS_OPTION, refuseTask, TASK_STORE_OPTION } from "../../options/task-change.ts";
import { readSource, SOURCES } from "./sources.ts";

const AGENTS = TASK_FILES.map(({ name }) => name).join(" or ");
const FOLDERS = TASK_FILES.map(({ folder }) => folder).join(" or ");
const BATCH = 500;
const SHOWN = 5;

const options = {
  from: {
    type: "string",
    value: "KIND",
    summary: `Format: ${SOURCES.join(", ")}`,
    default: "detected",
    completions: SOURCES,
    perCall: true,
  },
  follow: {
    type: "boolean",
    summary: `Keep mirroring a task folder of ${AGENTS} until Ctrl+C`,
    perCall: true,
  },
  "dry-run": {
    type: "boolean",
    summary: "Print what would be added without adding it",
    perCall: true,
  },
  ...AS_OPTION,
  json: { type: "boolean", summary: "Print the counts and skipped entries as JSON", perCall: true },
  ...TASK_STORE_OPTION,
} as const satisfies Options;

export const importTasks = defineCommand({
  arguments: [
    {
      name: "PATH",
      summary: "File, project folder, or - for standard input",
      completions: "files",
    },
  ],
  options,
  notes: [
    `Reads beads (JSONL), Task Master (tasks.json), Backlog.md folders, task folders of ${AGENTS}, Markdown checklists, and the output of \`waymark task export\`. Tasks that were imported before are not added again, so an interrupted import can be repeated.`,
    `With --follow, PATH is a task folder of ${AGENTS} or the folder of all of them (${FOLDERS}). Tasks that are added, started, completed or deleted there change here too. Tasks that are claimed here are left alone.`,
  ],
  examples: [
    { command: "waymark task import plan.md", comment: "Import a checklist" },
    {
      command: "waymark task export | waymark task import - --from jsonl --dry-run",
      comment: "See what would be added",
    },
    ...TASK_FILES.map(({ name, folder }) => ({
      command: `waymark task import ${folder} --follow`,
      comment: `Mirror the tasks of ${name}`,
    })),
  ],
  seeAlso: ["task export", "task add"],
  async run(call) {
    const { args, values, terminal, home } = call;
    const [path = ""] = args;
    if (values.follow) return followTasks(call, path);
    const kind =
      values.from === undefined ? undefined : parseChoice("--from", values.from, SOURCES);
    const source = readSource(path, kind);
    const { drafts, skipped: unlinked } = inOrder(source.drafts, source.names);
    const skipped = [...source.skipped, ...unlinked];
    if (drafts.length === 0 && skipped.length === 0)
      throw new CommandError(`${path} has no tasks. Nothing was changed.`);
    const dry = values["dry-run"] === true;
    const addsNothing = dry || drafts.length === 0;
    const store = await home.tasks(addsNothing ? "reading" : "writing", values.store);
    const known = await countKnown(store, drafts);
    if (!addsNothing) {
      const refused = await addAll(store, drafts, values.as, terminal);
      if (refused) return refuseTask(call, refused);
    }
    const added = drafts.length - known;
    // Everything was skipped.
    const end = drafts.length === 0 ? EXIT.failure : EXIT.success;
    if (values.json) {
      terminal.printJson({
        read: drafts.length,
        added,
        known,
        skipped,
        ...(dry && { dryRun: true }),
      });
      return end;
    }
    const again = known > 0 ? `, ${known} imported before` : "";
    terminal.print(`${dry ? "Would add" : "Added"} ${counted(added, "task")}${again}`);
    for (const { where, why } of skipped.slice(0, SHOWN))
      terminal.printError(`Skipped: ${where} ${why}`);
    if (skipped.length > SHOWN)
      terminal.printError(`Skipped ${skipped.length - SHOWN} more. Use --json to list them all.`);
    return end;
  },
});

/** How many of them were imported before, by their refs. */
async function countKnown(store: TaskStore, drafts: readonly TaskDraft[]): Promise<number> {
  const refs = new Set((await store.list()).flatMap(({ ref }) => ref ?? []));
  return drafts.filter(({ ref }) => ref !== undefined && refs.has(oneLine(ref))).length;
}

/** Adds in batches, so that other processes do not wait for the whole import. */
async function addAll(
  store: TaskStore,
  drafts: readonly TaskDraft[],
  actor: string | undefined,
  terminal: Call["terminal"],
): Promise<TaskRefusal | undefined> {
  const sender = { by: "user", via: "import", ...(actor !== undefined && { actor }) } as const;
  const progress = terminal.progress("Importing tasks");
  try {
    for (let done = 0; done < drafts.length; done += BATCH) {
      const tasks = drafts.slice(done, done + BATCH);
      const answer = await store.apply({ op: "add", tasks }, sender);
      if (!answer.ok) return answer.refused;
      progress.update(Math.min(done + BATCH, drafts.length), drafts.length);
    }
    return undefined;
  } finally {
    progress.end();
  }
}

async function followTasks(call: Call<typeof options>, path: string): Promise<Exit> {
  const { values, terminal, home } = call;
  const format = TASK_FILES.find(({ kind }) => kind === values.from) ?? TASK_FILES[0];
  if (values["dry-run"] || !format || (values.from ?? format.kind) !== format.kind)
    throw new UsageError(
      `--follow needs a task folder of ${AGENTS} and cannot be combined with --dry-run.`,
    );
  const folder = resolve(path);
  if (!isDirectory(folder))
    throw new CommandError(
      `${path} is not a folder. Name a task folder of ${AGENTS}, or ${FOLDERS}.`,
    );
  const store = await home.tasks("writing", values.store);
  const { mirrorTasks } = await import("../../../tasks/mirror.ts");
  const mirror = mirrorTasks({
    store,
    format,
    folder,
    onProblem: (where, why) => terminal.printError(`waymark: ${oneLine(where)}: ${oneLine(why)}`),
  });
  const unwatch = store.watch((event) => {
    if (event.via !== format.id) return;
    if (values.json) terminal.print(forJson(event));
    else terminal.printText(`${event.task} ${event.type}`);
  });
  await new Promise<void>((finish) => {
    const stop = mirror.follow();
    const end = () => {
      stop();
      unwatch();
      interrupts.release();
      finish();
    };
    const interrupts = catchInterrupts(end);
  });
  return EXIT.success;
}
