import { collisionKey, type KnownCollision } from "../collisions/collision.ts";
import { shownPath } from "../files/paths.ts";
import type { Track } from "../model.ts";
import { formatDuration } from "../text/duration.ts";
import { joinText, line, type ModelText, modelText, NO_TEXT, quote } from "../text/model-text.ts";
import { actOnCollision } from "./reminder-texts.ts";

/** The parts of the notice that other agents use the same files. */
export interface CollisionNotice {
  readonly why: ModelText;
  /** One line per agent and file. */
  readonly lines: readonly ModelText[];
  readonly act: ModelText;
  /** Keys of the collisions, each of which is sent once. */
  readonly about: readonly string[];
}

const MAX_SENT = 4;
const MAX_PATH = 160;
const MAX_NAME = 60;

/**
 * The notice about the collisions that the agent has not received yet.
 *
 * @param isDenied the notice is the reason why an announced edit is denied
 */
export function collisionNotice(
  { collisions = [], cwd }: Pick<Track, "collisions" | "cwd">,
  now: number | undefined,
  isDenied: boolean,
): CollisionNotice | undefined {
  const unsent = collisions.filter(({ notifiedAt }) => notifiedAt === undefined).slice(0, MAX_SENT);
  const [first] = unsent;
  if (!first) return undefined;
  const isOne = new Set(unsent.map(({ path }) => path)).size === 1;
  return {
    why: whyOf(first, isOne),
    lines: unsent.map((each) => lineOf(each, cwd, now ?? each.at)),
    act: actOnCollision(isDenied, isOne),
    about: unsent.map(collisionKey),
  };
}

function whyOf({ how }: KnownCollision, isOne: boolean): ModelText {
  if (!isOne) return modelText`Other agents are working on the same files:`;
  return how === "listed"
    ? modelText`Another agent is about to work on the same file:`
    : modelText`Another agent is editing the same file:`;
}

const PLAIN_NAME = /^[A-Za-z][\w .-]*$/;

/** The file, who uses it, since when, and for which todo. */
function lineOf(collision: KnownCollision, cwd: string | undefined, now: number): ModelText {
  const { path, other, how, usedAt, isElsewhere } = collision;
  const { name = "Agent", session, todo } = other;
  const who = PLAIN_NAME.test(name) ? line(name, MAX_NAME) : quote(name, MAX_NAME);
  const ago = usedAt === undefined ? undefined : line(formatDuration(Math.max(0, now - usedAt)));
  const isListed = how === "listed";
  const shown = todo === undefined ? NO_TEXT : quote(todo);
  return joinText(
    [
      modelText`${quote(shownPath(path, cwd), MAX_PATH)}: ${who} (session ${quote(session, MAX_NAME)}), ${USES[how](ago)}`,
      isListed && todo !== undefined ? modelText` ${shown}` : NO_TEXT,
      isElsewhere ? modelText`, in another worktree of the repository` : NO_TEXT,
      isListed || todo === undefined ? NO_TEXT : modelText`, working on ${shown}`,
      modelText`.`,
    ],
    "",
  );
}

const USES = {
  edited: (ago: ModelText | undefined) =>
    ago === undefined ? modelText`edited it` : modelText`last edit ${ago} ago`,
  editing: () => modelText`about to edit it`,
  listed: () => modelText`names it in its current todo`,
} as const;
