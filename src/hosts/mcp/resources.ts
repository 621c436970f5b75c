import type {
  Resource,
  ResourceTemplateType,
  TextResourceContents,
} from "@modelcontextprotocol/server";
import { listForm, transitionForm } from "../../core/forms.ts";
import type { Transition } from "../../core/history.ts";
import { printMarkdown } from "../../core/markdown.ts";
import { cutBytes, oneLine } from "../../core/safe-text.ts";
import type { List } from "../../tracker.ts";

interface View {
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  render(list: List): Promise<string>;
}

/** The newest of a long history: whoever wants more asks the program. */
const MAX_TRANSITIONS = 500;

const VIEWS: Readonly<Record<string, View>> = {
  list: {
    title: "Todo list",
    description: "The list of this session as a checklist",
    mimeType: "text/markdown",
    render: async (list) => {
      const { todos } = await list.read();
      return todos.length === 0 ? "No todos.\n" : printMarkdown(todos);
    },
  },
  "list.json": {
    title: "Todo list (JSON)",
    description: "The same with progress, current and next todo",
    mimeType: "application/json",
    render: async (list) => JSON.stringify(listForm(await list.read())),
  },
  history: {
    title: "History of the list",
    description: "What happened to the todos, oldest first",
    mimeType: "text/markdown",
    render: async (list) => {
      const rows = await newest(list);
      return rows.length === 0 ? "Nothing happened yet.\n" : `${rows.map(line).join("\n")}\n`;
    },
  },
  "history.json": {
    title: "History of the list (JSON)",
    description: "The same for programs",
    mimeType: "application/json",
    render: async (list) => JSON.stringify((await newest(list)).map(transitionForm)),
  },
};

async function newest(list: List): Promise<readonly Transition[]> {
  return (await list.history()).slice(-MAX_TRANSITIONS);
}

function line({ at, by, text, from, to, change, detail }: Transition): string {
  const moved = change === "added" || change === "moved" || change === "removed";
  const what = moved ? `${from ?? "new"} -> ${to ?? "removed"}` : change;
  const more = detail === undefined ? "" : `: ${cutBytes(oneLine(detail), 200)}`;
  return `- ${new Date(at).toISOString()} ${by} ${what}: ${cutBytes(oneLine(text), 200)}${more}`;
}

const SCHEME = "waymark://";
const URI = /^waymark:\/\/(?:([A-Za-z0-9._-]+)\/)?([a-z.]+)$/;

export const RESOURCES: Resource[] = Object.entries(VIEWS).map(
  ([name, { title, description, mimeType }]) => ({
    uri: `${SCHEME}${name}`,
    name,
    title,
    description,
    mimeType,
  }),
);

export const TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: `${SCHEME}{list}/{view}`,
    name: "list-by-id",
    title: "A list by its id",
    description: `The view is ${Object.keys(VIEWS).join(", ")}`,
  },
];

/** Which view of which list; of the connection's own where none is named. */
export interface Place {
  readonly view: string;
  readonly list?: string;
}

export function placeOf(uri: string): Place | undefined {
  const [, list, view = ""] = URI.exec(uri) ?? [];
  if (!Object.hasOwn(VIEWS, view)) return undefined;
  return list === undefined ? { view } : { view, list };
}

/** Every name of every view of a session's list; its short names where it is the connection's own. */
export function urisOf(session: string, isOwn: boolean): readonly string[] {
  return Object.keys(VIEWS).flatMap((view) => [
    `${SCHEME}${session}/${view}`,
    ...(isOwn ? [`${SCHEME}${view}`] : []),
  ]);
}

export async function readPlace(
  uri: string,
  { view }: Place,
  list: List,
): Promise<TextResourceContents> {
  const found = VIEWS[view];
  if (!found) throw new Error(`There is no view ${view}.`);
  return { uri, mimeType: found.mimeType, text: await found.render(list) };
}
