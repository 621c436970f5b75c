const SCHEME = "waymark://";
const URI = /^waymark:\/\/(?:([A-Za-z0-9._-]+)\/)?([a-z.]+)$/;

export const VIEW_NAMES = ["list", "list.json", "history", "history.json"] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** A view of a list (default: the client's own list). */
export interface ListUri {
  readonly view: ViewName;
  readonly list?: string;
}

export function parseListUri(uri: string): ListUri | undefined {
  const [, list, name] = URI.exec(uri) ?? [];
  const view = VIEW_NAMES.find((each) => each === name);
  if (!view) return undefined;
  return list === undefined ? { view } : { view, list };
}

export function listUri({ view, list }: ListUri): string {
  return list === undefined ? `${SCHEME}${view}` : `${SCHEME}${list}/${view}`;
}

/** Every URI of a session's list, with the short ones if it is the client's own. */
export function listUris(session: string, isOwn: boolean): readonly string[] {
  return VIEW_NAMES.flatMap((view) => [
    listUri({ view, list: session }),
    ...(isOwn ? [listUri({ view })] : []),
  ]);
}

const TASKS = `${SCHEME}tasks`;
const TASK_URI = /^waymark:\/\/tasks(?:\/(t[1-9]\d{0,14}))?(\.json)?$/;

/** One task, or all of them. */
export interface TaskUri {
  readonly id?: string;
  readonly json: boolean;
}

export function parseTaskUri(uri: string): TaskUri | undefined {
  const found = TASK_URI.exec(uri);
  if (!found) return undefined;
  const [, id, json] = found;
  return { ...(id !== undefined && { id }), json: json !== undefined };
}

export function taskUri({ id, json }: TaskUri): string {
  return `${TASKS}${id === undefined ? "" : `/${id}`}${json ? ".json" : ""}`;
}

/** Every URI of a task, and by default those of the whole board. */
export function taskUris(id: string, all = true): readonly string[] {
  const targets = [{ id }, ...(all ? [{}] : [])];
  return targets.flatMap((target) => [false, true].map((json) => taskUri({ ...target, json })));
}

/** Whether the parameters of a subscription name a URI of tasks. */
export function namesTasks(params: unknown): boolean {
  return JSON.stringify(params ?? null).includes(`"${TASKS}`);
}
