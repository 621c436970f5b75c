import * as z from "zod/mini";
import { byteLength, cutBytes } from "../../../core/text/escape.ts";
import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  nameList,
  quote,
} from "../../../core/text/model-text.ts";
import type { Json, Metadata, Task, TaskEdit, TaskOp, TaskRefusal } from "../../../tasks/model.ts";
import { canonical } from "../../../tasks/rules/needs.ts";
import { notFound } from "../../../tasks/rules/refusals.ts";
import { compareUrgency, numberOf } from "../../../tasks/rules/standing.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { claimant, holdingOf, remember, send } from "../../../tools/tasks/held.ts";
import {
  defineTaskTool,
  type TaskCall,
  type TaskToolResult,
} from "../../../tools/tasks/task-tool.ts";
import { refusalWords } from "../../../tools/tasks/words.ts";

const word = z.optional(z.string());
const metadata = z.optional(z.record(z.string(), z.unknown()));
const ids = z.optional(z.array(z.string()));

/** Claude Code's words for how a task stands; it has none for one that has failed. */
const STATUS = {
  open: "pending",
  claimed: "in_progress",
  done: "completed",
  failed: "pending",
  cancelled: "deleted",
} as const;

/** Claude Code numbers its tasks, and models send the number. */
function withTexts(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const text = (value: unknown) => (typeof value === "number" ? String(value) : value);
  return Object.fromEntries(
    Object.entries(sent)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => {
        if (field === "taskId") return [field, text(value)];
        if (!/^addBlock/.test(field)) return [field, value];
        return [field, (Array.isArray(value) ? value : [value]).map(text)];
      }),
  );
}

export const taskCreate = defineTaskTool({
  id: "TaskCreate",
  title: "Add a task",
  input: z.strictObject({
    subject: z.string(),
    description: z.string(),
    activeForm: word,
    metadata,
  }),
  examples: [
    {
      subject: "Fix the time zone",
      description: "The report is a day late in the west.",
      activeForm: "Fixing the time zone",
    },
  ],
  repair: withTexts,
  async run({ subject, description, activeForm, metadata: given }, call) {
    const draft = {
      subject,
      ...(description.trim() !== "" && { description }),
      ...(activeForm?.trim() && { activeText: activeForm }),
      ...(given && { metadata: given as Metadata }),
    };
    const sent = await send(call, { op: "add", tasks: [draft] });
    if (!sent.ok) return refused(sent.refused, {});
    const [task] = sent.tasks;
    if (!task) return refused(notFound(subject), {});
    return {
      ok: true,
      text: modelText`Added ${lineOf(task)}`,
      data: { task: { id: task.id, subject: task.subject } },
      rejected: [],
    };
  },
});

const update = z.strictObject({
  taskId: z.string(),
  subject: word,
  description: word,
  activeForm: word,
  status: z.optional(z.enum(["pending", "in_progress", "completed", "deleted"])),
  addBlocks: ids,
  addBlockedBy: ids,
  owner: word,
  metadata,
});

type Update = z.infer<typeof update>;

export const taskUpdate = defineTaskTool<Update>({
  id: "TaskUpdate",
  title: "Change a task",
  input: update,
  examples: [
    { taskId: "t1", status: "in_progress" },
    { taskId: "t1", status: "completed" },
    { taskId: "t2", addBlockedBy: ["t1"], metadata: { ticket: null } },
  ],
  repair: withTexts,
  async run(given, call) {
    const { taskId } = given;
    const store = await call.desk.store("reading");
    const before = await store.get(taskId);
    if (!before) return updateRefused(taskId, notFound(taskId));
    const set = editOf(given);
    if (set) {
      const sent = await send(call, { op: "edit", id: taskId, set }, ":edit");
      if (!sent.ok) return updateRefused(taskId, sent.refused);
    }
    const moved = await move(given, before, call);
    if (moved) return updateRefused(taskId, moved);
    const after = (await (await call.desk.store("reading")).get(taskId)) ?? before;
    return updated(given, before, after);
  },
});

function editOf(given: Update): TaskEdit | undefined {
  const { subject, description, activeForm, addBlocks, addBlockedBy } = given;
  const set: TaskEdit = {
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description: description.trim() ? description : null }),
    ...(activeForm !== undefined && { activeText: activeForm.trim() ? activeForm : null }),
    ...(addBlocks && { addBlocks }),
    ...(addBlockedBy && { addBlockedBy }),
    ...(given.metadata && { metadata: given.metadata as Metadata }),
  };
  return Object.keys(set).length > 0 ? set : undefined;
}

/** What the wanted status and owner come to; why not, where they cannot be had. */
async function move(
  { status, owner: named }: Update,
  task: Task,
  call: TaskCall,
): Promise<TaskRefusal | undefined> {
  const { desk } = call;
  const { id } = task;
  const own = desk.claims.get(id)?.owner ?? desk.owner;
  const owner = named?.trim() ? named : undefined;
  const wants = status ?? (owner === undefined ? undefined : "in_progress");
  const act = async (op: TaskOp, part: string) => {
    const sent = await send(call, op, `:${part}`);
    return sent.ok ? undefined : sent.refused;
  };
  switch (wants) {
    case undefined:
      return undefined;
    case "deleted":
      return task.status === "cancelled" ? undefined : act({ op: "cancel", id }, "cancel");
    case "pending": {
      if (task.status === "open") return undefined;
      if (task.status !== "claimed") return act({ op: "reopen", id }, "reopen");
      return act({ op: "release", ...(await holdingOf(desk, id)) }, "release");
    }
    case "completed": {
      // Whoever says that it is the holder by name is believed: no agent knows another's epoch.
      if (owner !== undefined && task.owner === owner)
        remember(desk, id, { owner, epoch: task.epoch });
      return act({ op: "finish", ...(await holdingOf(desk, id)) }, "finish");
    }
    case "in_progress": {
      const holder = owner ?? own;
      if (status === undefined && task.status === "open") {
        const waits = await openBlockers(await desk.store("reading"), task);
        const assign = { op: "edit", id, set: { metadata: { [ASSIGNEE]: holder } } } as const;
        if (waits.length > 0) return act(assign, "assign");
      }
      if (task.status === "claimed" && task.owner === holder) {
        remember(desk, id, { owner: holder, epoch: task.epoch });
        return undefined;
      }
      const mine = task.status === "claimed" && task.owner === own;
      if (mine)
        return act(
          { op: "assign", id, owner: holder, from: { owner: own, epoch: task.epoch } },
          "assign",
        );
      return act({ op: "claim", ...claimant(desk, holder), id }, "claim");
    }
  }
}

const FIELDS = {
  subject: "subject",
  description: "description",
  activeForm: "activeText",
  addBlockedBy: "blockedBy",
  metadata: "metadata",
  owner: "owner",
} as const satisfies Partial<Record<keyof Update, keyof Task>>;

function updated(given: Update, before: Task, after: Task): TaskToolResult {
  const shownOf = (task: Task, field: keyof Task) =>
    JSON.stringify((field === "owner" ? ownerOf(task) : task[field]) ?? null);
  const changed = (field: keyof Task) => shownOf(before, field) !== shownOf(after, field);
  const fields = Object.entries(FIELDS).flatMap(([name, field]) =>
    name in given && changed(field) ? [name === "addBlockedBy" ? "blockedBy" : name] : [],
  );
  if (given.addBlocks && given.addBlocks.length > 0) fields.push("blocks");
  const [from, to] = [STATUS[before.status], STATUS[after.status]];
  const moved = from !== to;
  const updatedFields = to === "deleted" ? ["deleted"] : moved ? [...fields, "status"] : fields;
  const what = to === "deleted" ? "cancelled" : updatedFields.join(", ") || "nothing new";
  return {
    ok: true,
    text: modelText`Updated ${lineOf(after)}: ${line(what)}`,
    data: {
      success: true,
      taskId: after.id,
      updatedFields,
      ...(moved && to !== "deleted" && { statusChange: { from, to } }),
    },
    rejected: [],
  };
}

function updateRefused(taskId: string, refusal: TaskRefusal): TaskToolResult {
  const error = refusalWords(refusal);
  return refused(refusal, { success: false, taskId: canonical(taskId), updatedFields: [], error });
}

export const taskGet = defineTaskTool({
  id: "TaskGet",
  title: "Read a task",
  input: z.strictObject({ taskId: z.string() }),
  examples: [{ taskId: "t1" }],
  repair: withTexts,
  reads: () => true,
  async run({ taskId }, { desk }) {
    const store = await desk.store("reading");
    const task = await store.get(taskId);
    if (!task) return { ...refused(notFound(taskId), { task: null }), ok: true, rejected: [] };
    const blockedBy = await openBlockers(store, task);
    const blocks = (await store.list({ blockedBy: task.id, limit: MOST_SHOWN })).map(
      ({ id }) => id,
    );
    const { id, subject, description = "", activeText } = task;
    const owner = ownerOf(task);
    const lines = [
      modelText`${lineOf(task)}: ${standingWords(task)}`,
      ...(blockedBy.length > 0 ? [modelText`Waits for ${nameList(blockedBy)}`] : []),
      ...(blocks.length > 0 ? [modelText`Holds up ${nameList(blocks)}`] : []),
      ...(description === ""
        ? []
        : [modelText`Description: ${quote(description, MOST_QUOTED, byteLength)}`]),
    ];
    return {
      ok: true,
      text: joinText(lines, "\n"),
      data: {
        task: {
          id,
          subject,
          description: cutBytes(description, MOST_BYTES),
          status: STATUS[task.status],
          ...(activeText !== undefined && { activeForm: activeText }),
          ...(owner !== undefined && { owner }),
          blocks,
          blockedBy,
          ...metadataShown(task),
        },
      },
      rejected: [],
    };
  },
});

const MOST_SHOWN = 100;
const MOST_BYTES = 16_384;
/** With at most 200 ids around it, an answer stays within that. */
const MOST_QUOTED = 12_000;

export const taskList = defineTaskTool({
  id: "TaskList",
  title: "Read the tasks",
  input: z.strictObject({}),
  examples: [{}],
  reads: () => true,
  async run(_, { desk }) {
    const store = await desk.store("reading");
    const shown: Task[] = [];
    // What can be worked on comes first where not all of it can be shown.
    for (const status of ["claimed", "open", "failed", "done"] as const) {
      const limit = MOST_SHOWN - shown.length;
      if (limit > 0) shown.push(...(await store.list({ status, limit })));
    }
    const { ready: _ready, cancelled: _cancelled, ...counts } = await store.counts();
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    shown.sort((a, b) => numberOf(a) - numberOf(b));
    const rows: { task: Task; blockedBy: readonly string[] }[] = [];
    for (const task of shown) rows.push({ task, blockedBy: await openBlockers(store, task) });
    const more = total - shown.length;
    const lines = rows.map(({ task, blockedBy }) => {
      const some = blockedBy.slice(0, SHOWN_BLOCKERS);
      const more = blockedBy.length > some.length ? ", …" : "";
      const waits = some.length > 0 ? modelText`, waits for ${nameList(some)}${more}` : NO_TEXT;
      return modelText`${lineOf(task)}: ${standingWords(task)}${waits}`;
    });
    return {
      ok: true,
      text: joinText(
        [
          ...(lines.length > 0 ? lines : [modelText`There are no tasks.`]),
          ...(more > 0 ? [modelText`\u2026 and ${more} more`] : []),
        ],
        "\n",
      ),
      data: {
        tasks: rows.map(({ task, blockedBy }) => ({
          id: task.id,
          subject: task.subject,
          status: STATUS[task.status],
          ...(ownerOf(task) !== undefined && { owner: ownerOf(task) as string }),
          blockedBy,
        })),
        ...(more > 0 && { more }),
      },
      rejected: [],
    };
  },
});

/** Whom a blocked task is assigned to: only a task that can start can be claimed. */
const ASSIGNEE = "assignee";

/** Who has the task, or whom it is assigned to until it can start. */
function ownerOf({ owner, status, metadata }: Task): string | undefined {
  if (owner !== undefined || status !== "open") return owner;
  const assignee = metadata?.[ASSIGNEE];
  return typeof assignee === "string" ? assignee : undefined;
}

function metadataShown({ metadata = {} }: Task): Readonly<Record<string, Json>> {
  if (Object.keys(metadata).length === 0) return {};
  // Metadata this large is left out of the answer; programs can read it from the store.
  return byteLength(JSON.stringify(metadata)) > MOST_BYTES ? {} : { metadata };
}

async function openBlockers(store: TaskStore, task: Task): Promise<string[]> {
  const open: Task[] = [];
  for (const id of task.blockedBy.slice(0, MOST_SHOWN)) {
    const blocker = await store.get(id);
    if (blocker && blocker.status !== "done") open.push(blocker);
  }
  return open.sort(compareUrgency).map(({ id }) => id);
}

const SHOWN_BLOCKERS = 5;

function lineOf({ id, subject }: Task): ModelText {
  return modelText`${line(id)} ${quote(subject, 160, byteLength)}`;
}

function standingWords(task: Task): ModelText {
  const { status, reason } = task;
  const owner = ownerOf(task);
  if (status === "failed")
    return reason === undefined
      ? modelText`failed`
      : modelText`failed (${quote(reason, 80, byteLength)})`;
  const whose = owner === undefined ? undefined : quote(owner, 60, byteLength);
  if (whose === undefined) return modelText`${STATUS[status]}`;
  return status === "open"
    ? modelText`${STATUS.open}, assigned to ${whose}`
    : modelText`${STATUS[status]} by ${whose}`;
}

function refused(refusal: TaskRefusal, data: Readonly<Record<string, Json>>): TaskToolResult {
  const { code } = refusal;
  const message = refusalWords(refusal);
  return { ok: false, text: message, data, rejected: [{ code, message }] };
}
