import type { AppView } from "../../core/app-view.ts";
import type { Status, Todo } from "../../core/model.ts";
import { isObject } from "./bridge.ts";

/** The parts of a tool result that the view uses. */
export interface Answer {
  readonly view?: AppView;
  /** Shown if there is no list in the result. */
  readonly text: string;
  readonly isError: boolean;
  /** Names the list in calls of the view. */
  readonly of?: object;
  /** The same for clients whose model names it. */
  readonly list?: string;
  readonly token?: string;
  /** The message of the user to the model. */
  readonly message?: string;
}

/** Reads a tool result: of the tool that the model called, or of our own calls. */
export function answerOf(result: unknown): Answer {
  const { content, structuredContent, isError, _meta } = isObject(result)
    ? result
    : ({} as Readonly<Record<string, unknown>>);
  const data = isObject(structuredContent) ? structuredContent : {};
  const meta = isObject(_meta) ? _meta : {};
  const known = meta["waymark/view"];
  const of = isObject(known) ? known : undefined;
  const view = viewIn(of?.view) ?? viewOfTodos(data);
  const { "waymark/list": list = data.list, "waymark/token": token } = meta;
  return {
    text: textOf(content) || stringIn(data.text) || "",
    isError: isError === true,
    ...(view && { view }),
    ...(of && { of: { session: of.session, agent: of.agent, proof: of.proof } }),
    ...(typeof list === "string" && { list }),
    ...(typeof token === "string" && { token }),
    ...(typeof data.message === "string" && { message: data.message }),
  };
}

function stringIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []))
    .join("\n\n");
}

function viewIn(value: unknown): AppView | undefined {
  if (!isObject(value) || !Array.isArray(value.todos) || !value.todos.every(isTodo))
    return undefined;
  return value as unknown as AppView;
}

/** Hosts that drop metadata keep the todos of a list that was just written. */
function viewOfTodos(data: Readonly<Record<string, unknown>>): AppView | undefined {
  const { todos } = data;
  if (!Array.isArray(todos) || !todos.every(isTodo)) return undefined;
  const now = Date.now();
  return {
    session: "",
    agent: "",
    version: 0,
    title: "Todo list",
    todos: todos.map((todo) => ({ ...todo, createdAt: now, movedBy: "agent" })),
    now,
  };
}

const STATUSES: ReadonlySet<unknown> = new Set<Status>([
  "pending",
  "in_progress",
  "completed",
  "cancelled",
  "blocked",
]);

function isTodo(value: unknown): value is Todo {
  return (
    isObject(value) &&
    typeof value.id === "string" &&
    typeof value.text === "string" &&
    STATUSES.has(value.status)
  );
}
