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
import type { Json, Metadata, Task, TaskEdit, TaskOp } from "../../../tasks/model.ts";
import { canonical } from "../../../tasks/rules/needs.ts";
import { notFound } from "../../../tasks/rules/refusals.ts";
import { compareUrgency, numberOf } from "../../../tasks/rules/task-at.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import {
  claimFieldsOf,
  claimOf,
  type RefusedOp,
  rememberClaim,
  send as sendOp,
} from "../../../tools/tasks/claims.ts";
import { type TaskHints, unknownTask } from "../../../tools/tasks/refusals.ts";
import {
  defineTaskTool,
  type TaskCall,
  type TaskToolResult,
} from "../../../tools/tasks/task-tool.ts";

const text = z.optional(z.string());
const metadata = z.optional(z.record(z.string(), z.unknown()));
const ids = z.optional(z.array(z.string()));

/** Claude Code's statuses. It has none for a failed task. */
const STATUS = {
  open: "pending",
  claimed: "in_progress",
  done: "completed",
  failed: "pending",
  cancelled: "deleted",
} as const;

/** Claude Code numbers its tasks, so models send numbers as ids. */
function withStringIds(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const id = (value: unknown) => (typeof value === "number" ? String(value) : value);
  return Object.fromEntries(
    Object.entries(sent)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => {
        if (field === "taskId") return [field, id(value)];
        if (!/^addBlock/.test(field)) return [field, value];
        return [field, (Array.isArray(value) ? value : [value]).map(id)];
      }),
  );
}

export const taskCreate = defineTaskTool({
  id: "TaskCreate",
  title: "Add a task",
  input: z.strictObject({
    subject: z.string(),
    description: z.string(),
    activeForm: text,
    metadata,
  }),
  examples: [
    {
      subject: "Fix the time zone",
      description: "The report is a day late in the west.",
      activeForm: "Fixing the time zone",
    },
  ],
  repair: withStringIds,
  async run({ subject, description, activeForm, metadata: given }, call) {
    const draft = {
      subject,
      ...(description.trim() !== "" && { description }),
      ...(activeForm?.trim() && { activeText: activeForm }),
      ...(given && { metadata: given as Metadata }),
    };
    const sent = await send(call, { op: "add", tasks: [draft] });
    if (!sent.ok) return refused(sent, {});
    const [task] = sent.tasks;
    if (!task) return refused(missing(subject), {});
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
  subject: text,
  description: text,
  activeForm: text,
  status: z.optional(z.enum(["pending", "in_progress", "completed", "deleted"])),
  addBlocks: ids,
  addBlockedBy: ids,
  owner: text,
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
  repair: withStringIds,
  async run(given, call) {
    const { taskId } = given;
    const store = await call.agent.store("reading");
    const before = await store.get(taskId);
    if (!before) return updateRefused(taskId, missing(taskId));
    const set = editOf(given);
    if (set) {
      const sent = await send(call, { op: "edit", id: taskId, set }, ":edit");
      if (!sent.ok) return updateRefused(taskId, sent);
    }
    const refusal = await move(given, before, call);
    if (refusal) return updateRefused(taskId, refusal);
    const after = (await (await call.agent.store("reading")).get(taskId)) ?? before;
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

/** Applies the new status and owner. Returns a refusal, if any. */
async function move(
  { status, owner: named }: Update,
  task: Task,
  call: TaskCall,
): Promise<RefusedOp | undefined> {
  const { agent } = call;
  const { id } = task;
  const own = agent.claims.get(id)?.owner ?? agent.owner;
  const owner = named?.trim() ? named : undefined;
  const wants = status ?? (owner === undefined ? undefined : "in_progress");
  const act = async (op: TaskOp, part: string) => {
    const sent = await send(call, op, `:${part}`);
    return sent.ok ? undefined : sent;
  };
  switch (wants) {
    case undefined:
      return undefined;
    case "deleted":
      return task.status === "cancelled" ? undefined : act({ op: "cancel", id }, "cancel");
    case "pending": {
      if (task.status === "open") return undefined;
      if (task.status !== "claimed") return act({ op: "reopen", id }, "reopen");
      return act({ op: "release", ...(await claimOf(agent, id)) }, "release");
    }
    case "completed": {
      // An agent that names the owner acts for it; models do not know the epochs of others.
      if (owner !== undefined && task.owner === owner)
        rememberClaim(agent, id, { owner, epoch: task.epoch });
      const claimed = await claimOf(agent, id);
      // The agent's own tool completes pending tasks, too.
      if (task.status === "open" && claimed.held[0].epoch === undefined) {
        const refusal = await act({ op: "claim", ...claimFieldsOf(agent), id }, "claim");
        return refusal ?? act({ op: "finish", ...(await claimOf(agent, id)) }, "finish");
      }
      return act({ op: "finish", ...claimed }, "finish");
    }
    case "in_progress": {
      const newOwner = owner ?? own;
      if (status === undefined && task.status === "open") {
        const blockers = await openBlockers(await agent.store("reading"), task);
        const assign = { op: "edit", id, set: { metadata: { [ASSIGNEE]: newOwner } } } as const;
        if (blockers.length > 0) return act(assign, "assign");
      }
      if (task.status === "claimed" && task.owner === newOwner) {
        rememberClaim(agent, id, { owner: newOwner, epoch: task.epoch });
        return undefined;
      }
      const isMine = task.status === "claimed" && task.owner === own;
      if (isMine)
        return act(
          { op: "assign", id, owner: newOwner, from: { owner: own, epoch: task.epoch } },
          "assign",
        );
      return act({ op: "claim", ...claimFieldsOf(agent, newOwner), id }, "claim");
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
  const what = to === "deleted" ? "cancelled" : updatedFields.join(", ") || "no change";
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

function updateRefused(taskId: string, refusal: RefusedOp): TaskToolResult {
  const error = refusal.text;
  return refused(refusal, { success: false, taskId: canonical(taskId), updatedFields: [], error });
}

export const taskGet = defineTaskTool({
  id: "TaskGet",
  title: "Read a task",
  input: z.strictObject({ taskId: z.string() }),
  examples: [{ taskId: "t1" }],
  repair: withStringIds,
  reads: () => true,
  async run({ taskId }, { agent }) {
    const store = await agent.store("reading");
    const task = await store.get(taskId);
    if (!task) return { ...refused(missing(taskId), { task: null }), ok: true, rejected: [] };
    const blockedBy = await openBlockers(store, task);
    const blocks = (await store.list({ blockedBy: task.id, limit: MAX_SHOWN })).map(({ id }) => id);
    const { id, subject, description = "", activeText } = task;
    const owner = ownerOf(task);
    const lines = [
      modelText`${lineOf(task)}: ${stateOf(task)}`,
      ...(blockedBy.length > 0 ? [modelText`Blocked by ${nameList(blockedBy)}`] : []),
      ...(blocks.length > 0 ? [modelText`Blocks ${nameList(blocks)}`] : []),
      ...(description === ""
        ? []
        : [modelText`Description: ${quote(description, MAX_QUOTED, byteLength)}`]),
    ];
    return {
      ok: true,
      text: joinText(lines, "\n"),
      data: {
        task: {
          id,
          subject,
          description: cutBytes(description, MAX_BYTES),
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

const MAX_SHOWN = 100;
/** Limit on the description and on the metadata in an answer. */
const MAX_BYTES = 16_384;
/** Limit on the description in the text, which has up to 200 ids beside it. */
const MAX_QUOTED = 12_000;

export const taskList = defineTaskTool({
  id: "TaskList",
  title: "Read the tasks",
  input: z.strictObject({}),
  examples: [{}],
  reads: () => true,
  async run(_, { agent }) {
    const store = await agent.store("reading");
    const shown: Task[] = [];
    // If not all of them can be shown, those that can be worked on come first.
    for (const status of ["claimed", "open", "failed", "done"] as const) {
      const limit = MAX_SHOWN - shown.length;
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
      const blocked = some.length > 0 ? modelText`, blocked by ${nameList(some)}${more}` : NO_TEXT;
      return modelText`${lineOf(task)}: ${stateOf(task)}${blocked}`;
    });
    return {
      ok: true,
      text: joinText(
        [
          ...(lines.length > 0 ? lines : [modelText`There are no tasks.`]),
          ...(more > 0 ? [modelText`\u2026 and ${more} more.`] : []),
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

/** Metadata key for the owner of a blocked task, which cannot be claimed yet. */
const ASSIGNEE = "assignee";

/** The owner of a task, or the agent it is assigned to while it is blocked. */
function ownerOf({ owner, status, metadata }: Task): string | undefined {
  if (owner !== undefined || status !== "open") return owner;
  const assignee = metadata?.[ASSIGNEE];
  return typeof assignee === "string" ? assignee : undefined;
}

function metadataShown({ metadata = {} }: Task): Readonly<Record<string, Json>> {
  if (Object.keys(metadata).length === 0) return {};
  // Large metadata is left out; programs can read it from the store.
  return byteLength(JSON.stringify(metadata)) > MAX_BYTES ? {} : { metadata };
}

async function openBlockers(store: TaskStore, task: Task): Promise<string[]> {
  const open: Task[] = [];
  for (const id of task.blockedBy.slice(0, MAX_SHOWN)) {
    const blocker = await store.get(id);
    if (blocker && blocker.status !== "done") open.push(blocker);
  }
  return open.sort(compareUrgency).map(({ id }) => id);
}

const SHOWN_BLOCKERS = 5;

function lineOf({ id, subject }: Task): ModelText {
  return modelText`${line(id)} ${quote(subject, 160, byteLength)}`;
}

function stateOf(task: Task): ModelText {
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

const HINTS: TaskHints = {
  list: modelText`Call TaskList to see the tasks.`,
  claimNext: modelText`Work on a different task.`,
  claim: () => modelText`Claim it first: set status to in_progress.`,
};

function send(call: TaskCall, op: TaskOp, part = "") {
  return sendOp(call, op, HINTS, part);
}

function missing(id: string): RefusedOp {
  return { ok: false, refused: notFound(id), text: unknownTask(id, HINTS) };
}

function refused(
  { refused: { code }, text: message }: RefusedOp,
  data: Readonly<Record<string, Json>>,
): TaskToolResult {
  return { ok: false, text: message, data, rejected: [{ code, message }] };
}
