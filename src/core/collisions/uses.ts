import type { Activity } from "../activity/activity.ts";
import { absolutePath } from "../files/paths.ts";
import type { Track } from "../model.ts";
import { MINUTE, parseDuration } from "../text/duration.ts";
import { currentOf } from "../views/view.ts";
import type { UseKind } from "./collision.ts";

/** A file that an agent uses now. */
export interface FileUse {
  /** Absolute, unless the agent's directory is unknown. */
  readonly path: string;
  readonly how: UseKind;
  readonly at: number;
}

/** Which files count as the same. */
export type CollisionScope = "worktree" | "repository" | "off";

/** When two agents collide. */
export interface CollisionPolicy {
  readonly scope: CollisionScope;
  /** Milliseconds for which an edit counts. */
  readonly window: number;
}

export const COLLISION_POLICY: CollisionPolicy = { scope: "worktree", window: 15 * MINUTE };

/** `WAYMARK_COLLISIONS` and `WAYMARK_COLLISION_WINDOW`. Unknown values are ignored. */
export function collisionsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): CollisionPolicy {
  const scope = (["worktree", "repository", "off"] as const).find(
    (each) => each === env.WAYMARK_COLLISIONS,
  );
  const window = parseDuration(env.WAYMARK_COLLISION_WINDOW ?? "");
  return {
    scope: scope ?? COLLISION_POLICY.scope,
    window: window ?? COLLISION_POLICY.window,
  };
}

type Using = Pick<Track, "todos" | "cwd"> & { readonly activity?: Activity };

/** The files that an agent uses, each once: an edit counts before an announced one, and that before a todo. */
export function fileUses(track: Using, now: number, window: number): readonly FileUse[] {
  const { activity } = track;
  const cwd = activity?.cwd ?? track.cwd;
  const found = new Map<string, FileUse>();
  const add = (path: string, how: UseKind, at: number) => {
    const whole = absolutePath(path, cwd);
    if (!found.has(whole)) found.set(whole, { path: whole, how, at });
  };
  if (activity?.ended) return [];
  for (const { path, at } of (activity?.touched ?? []).toReversed())
    if (now - at < window) add(path, "edited", at);
  // After a later call has ended, the announced edit was probably refused.
  for (const { paths = [], startedAt, overtaken } of activity?.open ?? [])
    for (const path of overtaken ? [] : paths) add(path, "editing", startedAt);
  const current = currentOf(track.todos);
  for (const path of current ? pathsIn(current.text) : [])
    add(path, "listed", current?.startedAt ?? current?.createdAt ?? 0);
  return [...found.values()];
}

const MAX_LISTED = 8;
const MAX_TEXT = 2_000;
/** A path has a slash or a file extension. */
const PATH_LIKE = /^(?:~?\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@.+-]*\.[A-Za-z]\w{0,9}$/;

/** The paths of files in the text of a todo. */
export function pathsIn(text: string): readonly string[] {
  const words = text.slice(0, MAX_TEXT).split(/[\s"'`()[\]{}<>,;]+/);
  const paths = words
    .map((word) => word.replace(/(?::\d+(?:[-:]\d+)?)?[.:!?]*$/, ""))
    .filter((word) => PATH_LIKE.test(word) && !/^\d|^~|^v\d|^[a-z]\.[a-z]$/i.test(word));
  return [...new Set(paths)].slice(0, MAX_LISTED);
}
