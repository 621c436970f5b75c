import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { WaymarkError } from "../../../core/error.ts";
import { modelChecklist } from "../../../core/list/markdown.ts";
import { formatTime } from "../../../core/text/clock.ts";
import {
  joinText,
  json,
  line as lineOf,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../../core/text/model-text.ts";
import { changeLabel, type Transition } from "../../../core/views/history.ts";
import { listForm } from "../../../core/views/json.ts";
import type { Session } from "../../../sessions/caller/session.ts";
import type { List } from "../../../tracker.ts";
import { showsViews, VIEW_URI } from "../app/extension.ts";
import { VIEW_RESOURCE, viewContents } from "../app/html.ts";
import { listOf } from "../lists.ts";
import { ResourceNotFoundError } from "../sdk.ts";
import type { Client } from "../server.ts";
import { readTasks, TASK_RESOURCES, TASK_TEMPLATES } from "../tasks/resources.ts";
import type { ResourceUpdates } from "./updates.ts";
import {
  type ListUri,
  listUri,
  parseListUri,
  parseTaskUri,
  type TaskUri,
  VIEW_NAMES,
  type ViewName,
} from "./uris.ts";

interface View {
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  render(list: List): Promise<ModelText>;
}

const VIEWS: Readonly<Record<ViewName, View>> = {
  list: {
    title: "Todo list",
    description: "The todo list of this session as a Markdown checklist",
    mimeType: "text/markdown",
    render: async (list) => {
      const { todos } = await list.read();
      return todos.length === 0 ? modelText`No todos.\n` : modelChecklist(todos);
    },
  },
  "list.json": {
    title: "Todo list (JSON)",
    description: "The todo list with progress, current and next todo",
    mimeType: "application/json",
    render: async (list) => json(listForm(await list.read())),
  },
  history: {
    title: "Todo history",
    description: "Every change to the todos, oldest first",
    mimeType: "text/markdown",
    render: async (list) => historyText(await newest(list), Date.now()),
  },
  "history.json": {
    title: "Todo history (JSON)",
    description: "Every change to the todos, oldest first",
    mimeType: "application/json",
    render: async (list) => json((await newest(list)).map((row) => ({ ...row, at: iso(row.at) }))),
  },
};

/** Only the end of a long history is sent; `waymark history` prints all of it. */
const MAX_TRANSITIONS = 500;

async function newest(list: List): Promise<readonly Transition[]> {
  return (await list.history()).slice(-MAX_TRANSITIONS);
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function historyText(rows: readonly Transition[], now: number): ModelText {
  if (rows.length === 0) return modelText`No changes yet.\n`;
  return modelText`${joinText(
    rows.map((row) => line(row, now)),
    "\n",
  )}\n`;
}

/** A time on the clock of this machine, with the date if it is not today's. */
export function timeText(at: number, now: number): ModelText {
  return lineOf(formatTime(at, now, undefined) ?? iso(at));
}

function line({ at, by, text, from, to, change, detail }: Transition, now: number): ModelText {
  const moved = change === "added" || change === "moved" || change === "removed";
  const what = moved
    ? modelText`${from ?? "new"} -> ${to ?? "removed"}`
    : modelText`${changeLabel(change)}`;
  const more = detail === undefined ? NO_TEXT : modelText`: ${quote(detail, 200)}`;
  return modelText`- ${timeText(at, now)} ${by} ${what}: ${quote(text, 200)}${more}`;
}

const RESOURCES: Resource[] = VIEW_NAMES.map((view) => {
  const { title, description, mimeType } = VIEWS[view];
  return { uri: listUri({ view }), name: view, title, description, mimeType };
});

const TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: "waymark://{list}/{view}",
    name: "list-by-id",
    title: "A todo list by its id",
    description: `The view is ${VIEW_NAMES.join(", ")}`,
  },
];

export interface UpdateSources {
  readonly lists: ResourceUpdates;
  /** Absent if there are no tasks. */
  readonly tasks?: ResourceUpdates | undefined;
}

export function unknownResource(uri: string): ResourceNotFoundError {
  return new ResourceNotFoundError(uri, modelText`Resource not found: ${quote(uri)}.`);
}

export function serveResources(
  client: Client,
  subscribed: Set<string>,
  updates: UpdateSources,
): void {
  const { server, parts } = client;
  const { tasks } = parts;
  const resources = tasks ? [...RESOURCES, ...TASK_RESOURCES] : RESOURCES;
  const resourceTemplates = tasks ? [...TEMPLATES, ...TASK_TEMPLATES] : TEMPLATES;
  const tasksAt = async (uri: string, target: TaskUri) => {
    const found = tasks && (await readTasks(await tasks("reading"), target));
    if (!found) throw unknownResource(uri);
    return found;
  };
  const find = (uri: string): ListUri => {
    const found = parseListUri(uri);
    if (!found) throw unknownResource(uri);
    return found;
  };
  const sessionOf = async (
    uri: string,
    { list }: ListUri,
    context: Parameters<Client["resolveList"]>[1],
  ): Promise<Session> => {
    try {
      return await client.resolveList(list, context);
    } catch (error) {
      if (error instanceof WaymarkError && error.code === "unknown_list")
        throw unknownResource(uri);
      throw error;
    }
  };

  server.setRequestHandler("resources/list", (_, context) => ({
    resources: showsViews(client, context) ? [...resources, VIEW_RESOURCE] : resources,
  }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) =>
    client.enqueue(async () => {
      const page = uri === VIEW_URI ? viewContents() : undefined;
      if (page) return { contents: [page] };
      const task = parseTaskUri(uri);
      if (task) return { contents: [{ uri, ...(await tasksAt(uri, task)) }] };
      const target = find(uri);
      const list = await listOf(parts.lists, await sessionOf(uri, target, context));
      const { mimeType, render } = VIEWS[target.view];
      return { contents: [{ uri, mimeType, text: await render(list) }] };
    }),
  );
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
    const task = parseTaskUri(uri);
    if (task) await tasksAt(uri, task);
    else await sessionOf(uri, find(uri), context);
    subscribed.add(uri);
    await (task ? updates.tasks : updates.lists)?.start();
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}
