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
