import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import {
  joinText,
  json as jsonOf,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../../core/text/model-text.ts";
import { findTask, taskRows } from "../../../tasks/links/detail.ts";
import type { Task, TaskEvent, TaskRow } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { taskLine, taskLines } from "../../../tools/tasks/text.ts";
import { iso, timeText } from "../resources/resources.ts";
import { type TaskUri, taskUri } from "../resources/uris.ts";

const MARKDOWN = "text/markdown";
const JSON_TYPE = "application/json";

export const TASK_RESOURCES: Resource[] = [
  {
    uri: taskUri({ json: false }),
    name: "tasks",
    title: "Shared tasks",
    description: "Tasks that are ready, claimed, blocked or failed",
    mimeType: MARKDOWN,
  },
  {
    uri: taskUri({ json: true }),
    name: "tasks.json",
    title: "Shared tasks (JSON)",
    description: "Tasks that are ready, claimed, blocked or failed",
    mimeType: JSON_TYPE,
  },
];

export const TASK_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: "waymark://tasks/{task}",
    name: "task-by-id",
    title: "A task by its id",
    description: "One task with its dependencies and history, such as t3, or t3.json for JSON",
  },
];

/** The text of a task resource; undefined for an unknown task. */
export async function readTasks(
  store: TaskStore,
  { id, json }: TaskUri,
): Promise<{ readonly mimeType: string; readonly text: ModelText } | undefined> {
  const mimeType = json ? JSON_TYPE : MARKDOWN;
  if (id === undefined) {
    const groups = await taskGroups(store);
    const text = json ? jsonOf(await boardForm(store, groups)) : await boardText(store, groups);
    return { mimeType, text };
  }
  const found = await findTask(store, id);
  if (!found.ok) return undefined;
  const { task, ...related } = found.detail;
  const events = (await store.events({ task: task.id })).filter(isShown).slice(-MAX_EVENTS);
  const text = json
    ? jsonOf({ ...taskForm(task), ...related, events: events.map(eventForm) })
    : taskText(task, related, events, Date.now());
  return { mimeType, text };
}

/** Renewals of leases are left out: they happen all the time. */
export function isShown({ type }: Pick<TaskEvent, "type">): boolean {
  return type !== "renewed";
}

/** Only the first tasks of each group are sent; `waymark task list` prints all of them. */
const MAX_TASKS = 100;
const MAX_EVENTS = 50;
const MAX_TEXT = 20_000;

interface TaskGroups {
  readonly ready: readonly TaskRow[];
  readonly claimed: readonly TaskRow[];
  readonly waiting: readonly TaskRow[];
  readonly failed: readonly TaskRow[];
}

/** The tasks that need attention, at most 100 of each state. */
export async function taskGroups(store: TaskStore): Promise<TaskGroups> {
  const rows = async (tasks: readonly Task[]) => taskRows(store, tasks);
  // Open tasks include the ready ones, so more of them are read to find blocked ones.
  const open = await rows(await store.list({ status: "open", limit: 3 * MAX_TASKS }));
  return {
    ready: await rows(await store.ready({ limit: MAX_TASKS })),
    claimed: await rows(await store.list({ status: "claimed", limit: MAX_TASKS })),
    waiting: open.filter(({ waitsFor }) => waitsFor.length > 0).slice(0, MAX_TASKS),
    failed: await rows(await store.list({ status: "failed", limit: MAX_TASKS })),
  };
}

const TITLES = {
  ready: "## Ready",
  claimed: "## Claimed",
  waiting: "## Blocked",
  failed: "## Failed",
} as const satisfies Readonly<Record<keyof TaskGroups, string>>;

export async function boardText(store: TaskStore, groups: TaskGroups): Promise<ModelText> {
  const { ready, claimed, open, failed, done } = await store.counts();
  const totals = { ready, claimed, waiting: open - ready, failed };
  const facts = modelText`${ready} ready, ${claimed} claimed, ${totals.waiting} blocked, ${failed} failed, ${done} done`;
  const parts = (["ready", "claimed", "waiting", "failed"] as const).flatMap((name) =>
    groups[name].length === 0
      ? []
      : [
          NO_TEXT,
          modelText`${TITLES[name]}`,
          ...taskLines(
            groups[name].map((task) => taskLine(task, task.waitsFor)),
            Math.max(totals[name], groups[name].length),
          ).map((each) => modelText`- ${each}`),
        ],
  );
  return modelText`${joinText([modelText`# Tasks`, NO_TEXT, modelText`${facts}.`, ...parts], "\n")}\n`;
}

async function boardForm(store: TaskStore, groups: TaskGroups) {
  const { ready, claimed, waiting, failed } = groups;
  return {
    counts: await store.counts(),
    ready: ready.map(taskForm),
    claimed: claimed.map(taskForm),
    waiting: waiting.map(taskForm),
    failed: failed.map(taskForm),
  };
}

function taskForm({ lease: _lease, leaseUntil: _until, updatedAt: _updated, ...task }: TaskRow) {
  return {
    ...task,
    createdAt: iso(task.createdAt),
    ...(task.claimedAt !== undefined && { claimedAt: iso(task.claimedAt) }),
    ...(task.finishedAt !== undefined && { finishedAt: iso(task.finishedAt) }),
  };
}

function eventForm({ at, type, by, via, actor }: TaskEvent) {
  return { at: iso(at), type, by, via, ...(actor !== undefined && { actor }) };
}

interface RelatedTasks {
  readonly blocks: readonly string[];
  readonly children: readonly string[];
}

export function taskText(
  task: TaskRow,
  { blocks, children }: RelatedTasks,
  events: readonly TaskEvent[],
  now: number,
): ModelText {
  const owner = task.owner === undefined ? NO_TEXT : modelText` by ${quoted(task.owner)}`;
  const ids = (all: readonly string[]) =>
    joinText(
      all.map((id) => line(id)),
      ", ",
    );
  const facts = [
    modelText`- status: ${task.status}${owner}`,
    modelText`- priority: ${task.priority}`,
    ...fact("labels", joinText(task.labels.map(quoted), ", ")),
    ...fact("blocked by", ids(task.waitsFor)),
    ...fact("blocks", ids(blocks)),
    ...fact("parent", line(task.parent ?? "")),
    ...fact("subtasks", ids(children)),
    ...fact("reason", task.reason === undefined ? NO_TEXT : quoted(task.reason)),
    ...task.evidence.map((proof) => modelText`- evidence: ${quoted(proof)}`),
    ...fact(
      "description",
      task.description === undefined ? NO_TEXT : quote(task.description, MAX_TEXT),
    ),
  ];
  const history = events.map(
    ({ at, type, by, actor }) =>
      modelText`- ${timeText(at, now)} ${actor === undefined ? by : quoted(actor)} ${type}`,
  );
  const lines = [
    modelText`# ${line(task.id)}: ${quoted(task.subject)}`,
    NO_TEXT,
    ...facts,
    NO_TEXT,
    modelText`## History`,
    ...history,
  ];
  return modelText`${joinText(lines, "\n")}\n`;
}

type Fact = "labels" | "blocked by" | "blocks" | "parent" | "subtasks" | "reason" | "description";

function fact(name: Fact, text: ModelText): readonly ModelText[] {
  return text === "" ? [] : [modelText`- ${name}: ${text}`];
}

function quoted(text: string): ModelText {
  return quote(text, 500);
}
