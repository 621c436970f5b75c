import { resolve } from "node:path";
import { TASK_FILES } from "../../../agents/index.ts";
import { NoAnswer, UsageError } from "../../../core/error.ts";
import { counted } from "../../../core/text/count.ts";
import { forJson, oneLine } from "../../../core/text/escape.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import { isFolder } from "../../../home/is-folder.ts";
import { inOrder } from "../../../tasks/formats/order.ts";
import type { TaskDraft, TaskRefusal } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { oneOf } from "../../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { AS, refuseTask, TASK_STORE } from "../../options/task-change.ts";
import { readSource, SOURCES } from "./sources.ts";

const AGENTS = TASK_FILES.map(({ name }) => name).join(" or ");
const FOLDERS = TASK_FILES.map(({ folder }) => folder).join(" or ");
const PORTION = 500;
const SAID = 5;

const options = {
  from: {
    type: "string",
    value: "KIND",
    summary: `What it is, where that is not plain: ${SOURCES.join(", ")}`,
    words: SOURCES,
  },
  follow: {
    type: "boolean",
    summary: `Keep the tasks as they are in the task folders of ${AGENTS}; Ctrl+C ends it`,
  },
  "dry-run": { type: "boolean", summary: "Say what would come in, and change nothing" },
  ...AS,
  json: { type: "boolean", summary: "Print JSON: read, added, known and what was skipped" },
  ...TASK_STORE,
} as const satisfies Options;

export const importTasks = defineCommand({
  arguments: [
    {
      name: "PATH",
      summary: 'a file, the folder of a project, or "-" for the standard input',
      words: "files",
    },
  ],
  options,
  notes: [
    `Known are the JSONL of beads, tasks.json of Task Master, folders of Backlog.md, task folders of ${AGENTS}, checklists in markdown, and what waymark task export prints. What came in before is not added again, so an import that was interrupted can be repeated.`,
    `With --follow PATH is a task folder of ${AGENTS}, or the folder of all of them (${FOLDERS}). What is added, begun, completed or deleted there is so here, once, also when it is followed twice or again; what the team holds itself is left alone.`,
  ],
  examples: [
    { command: "waymark task import plan.md", says: "A checklist" },
    {
      command: "waymark task export | waymark task import - --from jsonl --dry-run",
      says: "See what would come in",
    },
    ...TASK_FILES.map(({ name, folder }) => ({
      command: `waymark task import ${folder} --follow`,
      says: `Mirror the tasks of ${name}`,
    })),
  ],
  async run(call) {
    const { args, values, terminal, home } = call;
    const [path = ""] = args;
    if (values.follow) return followTasks(call, path);
    const kind = values.from === undefined ? undefined : oneOf("--from", values.from, SOURCES);
    const source = readSource(path, kind);
    const { drafts, skipped: ties } = inOrder(source.drafts, source.names);
    const skipped = [...source.skipped, ...ties];
    if (drafts.length === 0 && skipped.length === 0)
      throw new NoAnswer(`${path} has no tasks. Nothing was changed.`);
    const dry = values["dry-run"] === true;
    const makesNothing = dry || drafts.length === 0;
    const store = await home.tasks(makesNothing ? "reading" : "writing", values.store);
    const known = await countKnown(store, drafts);
    if (!makesNothing) {
      const refused = await addAll(store, drafts, values.as, terminal);
      if (refused) return refuseTask(call, refused);
    }
    const added = drafts.length - known;
    // Something was skipped then, and nothing else is there.
    const end = drafts.length === 0 ? EXIT.no : EXIT.fine;
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
    const again = known > 0 ? `, ${known} came in before` : "";
    terminal.print(`${counted(added, "task")} ${dry ? "would be " : ""}added${again}`);
    for (const { where, why } of skipped.slice(0, SAID)) terminal.say(`skipped: ${where} ${why}`);
    if (skipped.length > SAID)
      terminal.say(`and ${skipped.length - SAID} more; --json has them all.`);
    return end;
  },
});

/** How many are there already, by the refs that they come with. */
async function countKnown(store: TaskStore, drafts: readonly TaskDraft[]): Promise<number> {
  const refs = new Set((await store.list()).flatMap(({ ref }) => ref ?? []));
  return drafts.filter(({ ref }) => ref !== undefined && refs.has(oneLine(ref))).length;
}

/** In portions: nobody else has to wait for all of it. */
async function addAll(
  store: TaskStore,
  drafts: readonly TaskDraft[],
  actor: string | undefined,
  terminal: Call["terminal"],
): Promise<TaskRefusal | undefined> {
  const sender = { by: "user", via: "import", ...(actor !== undefined && { actor }) } as const;
  const progress = terminal.progress("Importing tasks");
  try {
    for (let done = 0; done < drafts.length; done += PORTION) {
      const tasks = drafts.slice(done, done + PORTION);
      const answer = await store.apply({ op: "add", tasks }, sender);
      if (!answer.ok) return answer.refused;
      progress.update(Math.min(done + PORTION, drafts.length), drafts.length);
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
    throw new UsageError(`--follow is for the task folders of ${AGENTS}, and changes things.`);
  const folder = resolve(path);
  if (!isFolder(folder))
    throw new NoAnswer(`${path} is no folder. Name a task folder of ${AGENTS}, or ${FOLDERS}.`);
  const store = await home.tasks("writing", values.store);
  const { mirrorTasks } = await import("../../../tasks/mirror.ts");
  const mirror = mirrorTasks({
    store,
    format,
    folder,
    onProblem: (where, why) => terminal.say(`waymark: ${oneLine(where)}: ${oneLine(why)}`),
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
  return EXIT.fine;
}
