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
import { taskLine, taskLines } from "../../../tools/tasks/words.ts";
import { iso } from "../resources/resources.ts";
import { type TaskPlace, taskUri } from "../resources/uris.ts";

const MARKDOWN = "text/markdown";
const JSON_TYPE = "application/json";

export const TASK_RESOURCES: Resource[] = [
  {
    uri: taskUri({ json: false }),
    name: "tasks",
    title: "Tasks of the team",
    description: "What can be claimed, who holds what, what waits and what failed",
    mimeType: MARKDOWN,
  },
  {
    uri: taskUri({ json: true }),
    name: "tasks.json",
    title: "Tasks of the team (JSON)",
    description: "The same for programs",
    mimeType: JSON_TYPE,
  },
];

export const TASK_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: "waymark://tasks/{task}",
    name: "task-by-id",
    title: "A task by its id",
    description: "Everything of one task, such as t3; t3.json is the same as JSON",
  },
];

/** What a place shows; nothing for a task that is not there. */
export async function readTasks(
  store: TaskStore,
  { id, json }: TaskPlace,
): Promise<{ readonly mimeType: string; readonly text: ModelText } | undefined> {
  const mimeType = json ? JSON_TYPE : MARKDOWN;
  if (id === undefined) {
    const groups = await groupsOf(store);
    const text = json ? jsonOf(await boardForm(store, groups)) : await boardText(store, groups);
    return { mimeType, text };
  }
  const found = await findTask(store, id);
  if (!found.ok) return undefined;
  const { task, ...ties } = found.detail;
  const events = (await store.events({ task: task.id })).filter(isToldOf).slice(-MOST_EVENTS);
  const text = json
    ? jsonOf({ ...taskForm(task), ...ties, events: events.map(eventForm) })
    : taskText(task, ties, events);
  return { mimeType, text };
}

/** A lease is renewed all the time: that is no news, and none of it is shown. */
export function isToldOf({ type }: Pick<TaskEvent, "type">): boolean {
  return type !== "renewed";
}

/** Of each group the first; whoever wants more asks the program. */
const MOST = 100;
const MOST_EVENTS = 50;
const MOST_TEXT = 20_000;

interface Groups {
  readonly ready: readonly TaskRow[];
  readonly claimed: readonly TaskRow[];
  readonly waiting: readonly TaskRow[];
  readonly failed: readonly TaskRow[];
}

async function groupsOf(store: TaskStore): Promise<Groups> {
  const rows = async (tasks: readonly Task[]) => taskRows(store, tasks);
  // Among the open ones are those that are ready: enough are read to have some that wait.
  const open = await rows(await store.list({ status: "open", limit: 3 * MOST }));
  return {
    ready: await rows(await store.ready({ limit: MOST })),
    claimed: await rows(await store.list({ status: "claimed", limit: MOST })),
    waiting: open.filter(({ waitsFor }) => waitsFor.length > 0).slice(0, MOST),
    failed: await rows(await store.list({ status: "failed", limit: MOST })),
  };
}

const TITLES = {
  ready: "## Ready",
  claimed: "## Claimed",
  waiting: "## Waiting",
  failed: "## Failed",
} as const satisfies Readonly<Record<keyof Groups, string>>;

export async function boardText(store: TaskStore, groups: Groups): Promise<ModelText> {
  const { ready, claimed, open, failed, done } = await store.counts();
  const totals = { ready, claimed, waiting: open - ready, failed };
  const facts = modelText`${ready} ready, ${claimed} claimed, ${totals.waiting} waiting, ${failed} failed, ${done} done`;
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

async function boardForm(store: TaskStore, groups: Groups) {
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

interface TaskTies {
  readonly blocks: readonly string[];
  readonly children: readonly string[];
}

export function taskText(
  task: TaskRow,
  { blocks, children }: TaskTies,
  events: readonly TaskEvent[],
): ModelText {
  const holder = task.owner === undefined ? NO_TEXT : modelText` by ${quoted(task.owner)}`;
  const ids = (all: readonly string[]) =>
    joinText(
      all.map((id) => line(id)),
      ", ",
    );
  const facts = [
    modelText`- status: ${task.status}${holder}`,
    modelText`- priority: ${task.priority}`,
    ...fact("labels", joinText(task.labels.map(quoted), ", ")),
    ...fact("waits for", ids(task.waitsFor)),
    ...fact("blocks", ids(blocks)),
    ...fact("part of", line(task.parent ?? "")),
    ...fact("parts", ids(children)),
    ...fact("reason", task.reason === undefined ? NO_TEXT : quoted(task.reason)),
    ...task.evidence.map((proof) => modelText`- evidence: ${quoted(proof)}`),
    ...fact(
      "description",
      task.description === undefined ? NO_TEXT : quote(task.description, MOST_TEXT),
    ),
  ];
  const told = events.map(
    ({ at, type, by, actor }) =>
      modelText`- ${line(iso(at))} ${actor === undefined ? by : quoted(actor)} ${type}`,
  );
  const lines = [
    modelText`# ${line(task.id)}: ${quoted(task.subject)}`,
    NO_TEXT,
    ...facts,
    NO_TEXT,
    modelText`## History`,
    ...told,
  ];
  return modelText`${joinText(lines, "\n")}\n`;
}

type Fact = "labels" | "waits for" | "blocks" | "part of" | "parts" | "reason" | "description";

function fact(name: Fact, text: ModelText): readonly ModelText[] {
  return text === "" ? [] : [modelText`- ${name}: ${text}`];
}

function quoted(text: string): ModelText {
  return quote(text, 500);
}
