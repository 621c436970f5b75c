const SCHEME = "waymark://";
const URI = /^waymark:\/\/(?:([A-Za-z0-9._-]+)\/)?([a-z.]+)$/;

export const VIEW_NAMES = ["list", "list.json", "history", "history.json"] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** Which view of which list; of the client's own where none is named. */
export interface Place {
  readonly view: ViewName;
  readonly list?: string;
}

export function placeOf(uri: string): Place | undefined {
  const [, list, name] = URI.exec(uri) ?? [];
  const view = VIEW_NAMES.find((each) => each === name);
  if (!view) return undefined;
  return list === undefined ? { view } : { view, list };
}

export function uriOf({ view, list }: Place): string {
  return list === undefined ? `${SCHEME}${view}` : `${SCHEME}${list}/${view}`;
}

/** Every name of every view of a session's list; the short ones where it is the client's own. */
export function urisOf(session: string, isOwn: boolean): readonly string[] {
  return VIEW_NAMES.flatMap((view) => [
    uriOf({ view, list: session }),
    ...(isOwn ? [uriOf({ view })] : []),
  ]);
}

const TASKS = `${SCHEME}tasks`;
const TASK_URI = /^waymark:\/\/tasks(?:\/(t[1-9]\d{0,14}))?(\.json)?$/;

/** All tasks, or one of them. */
export interface TaskPlace {
  readonly id?: string;
  readonly json: boolean;
}

export function taskPlaceOf(uri: string): TaskPlace | undefined {
  const found = TASK_URI.exec(uri);
  if (!found) return undefined;
  const [, id, json] = found;
  return { ...(id !== undefined && { id }), json: json !== undefined };
}

export function taskUri({ id, json }: TaskPlace): string {
  return `${TASKS}${id === undefined ? "" : `/${id}`}${json ? ".json" : ""}`;
}

/** Every name of a task, and unless told otherwise of all of them. */
export function taskUris(id: string, all = true): readonly string[] {
  const places = [{ id }, ...(all ? [{}] : [])];
  return places.flatMap((place) => [false, true].map((json) => taskUri({ ...place, json })));
}

/** Somewhere in what a client asks for stands the name of tasks. */
export function namesTasks(asked: unknown): boolean {
  return JSON.stringify(asked ?? null).includes(`"${TASKS}`);
}
