/**
 * core/collisions: which agents use the same files. `uses` lists the files that an agent edits, has edited or names in
 * its current todo; a collision is such a use by another agent of a file that an agent is about to edit.
 */
import type { TrackId } from "../model.ts";

/** How the other agent uses the file. */
export type UseKind =
  /** It edited the file a short time ago. */
  | "edited"
  /** It is about to edit the file: the call is announced and has no result yet. */
  | "editing"
  /** Its current todo names the file. */
  | "listed";

/** Another agent uses a file that this one edits. Recorded with both. */
export interface Collision {
  /** This agent's file, as an absolute path. */
  readonly path: string;
  readonly other: OtherAgent;
  readonly how: UseKind;
  /** When the collision was noticed. */
  readonly at: number;
  /** When the other agent edited the file or announced its edit. */
  readonly usedAt?: number;
  /** The two files are in different worktrees of one repository. */
  readonly isElsewhere?: true;
}

/** The agent on the other side of a collision. */
export interface OtherAgent extends TrackId {
  /** Id of the agent program. */
  readonly agentType?: string;
  /** The name of the agent program. */
  readonly name?: string;
  /** The text of its current todo. */
  readonly todo?: string;
}

/** A collision of a track, and when its agent received the notice. */
export interface KnownCollision extends Collision {
  readonly notifiedAt?: number;
}

const MAX_COLLISIONS = 40;

/** Identifies a collision of a track: one file and the session of the other agent. */
export function collisionKey({ path, other }: Pick<Collision, "path" | "other">): string {
  return `${other.session} ${path}`;
}

/** The collisions after a new one. A repeated one replaces the former and keeps its notice. */
export function collisionsAfter(
  known: readonly KnownCollision[] | undefined,
  found: Collision,
): readonly KnownCollision[] {
  const key = collisionKey(found);
  const others = (known ?? []).filter((each) => collisionKey(each) !== key);
  return [...others, found].slice(-MAX_COLLISIONS);
}

/** The collisions after a reminder about some of them. */
export function collisionsNotified(
  known: readonly KnownCollision[],
  about: readonly string[],
  at: number,
): readonly KnownCollision[] {
  return known.map((each) =>
    each.notifiedAt === undefined && about.includes(collisionKey(each))
      ? { ...each, notifiedAt: at }
      : each,
  );
}
