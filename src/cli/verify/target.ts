import { readProofs } from "../../checks/proofs.ts";
import { withProofs } from "../../core/checks/proof.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import type { Todo, TrackId } from "../../core/model.ts";
import { isProven } from "../../core/views/evidence.ts";
import { titleOf } from "../../core/views/title.ts";
import { requireCurrentDirectory } from "../../home/current-directory.ts";
import { isDirectory } from "../../home/is-directory.ts";
import type { ResolvedTrack } from "../../sessions/resolve.ts";
import type { Call } from "../args/command.ts";
import { trackIfAny } from "../options/track-selection.ts";

export const VERIFY_EXIT_CODES = {
  0: "Proven: the check passed",
  1: "Not proven: the check failed, timed out, or is not trusted",
} as const;

/** The session and the directory that a check proves. */
export interface VerifyTarget {
  readonly cwd: string;
  /** Absent if the directory has no session. */
  readonly id?: TrackId;
  readonly title?: string;
  /** The todos of its list, with their proofs. */
  readonly todos: readonly Todo[];
  /** Number of edits of the session, if it is known. */
  readonly edits?: number;
}

type TargetCall = Pick<Call, "terminal" | "home" | "env">;

/** The named session, or the one of the current directory if it has one. */
export async function verifyTarget(
  call: TargetCall,
  session: string | undefined,
  agent: string | undefined,
): Promise<VerifyTarget> {
  const values = {
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
  };
  const resolved = await found(() => trackIfAny({ ...call, values }));
  if (!resolved) return { cwd: requireCurrentDirectory(), todos: [] };
  const { list, found: merged } = resolved;
  const { id } = list;
  const track = merged?.track ?? (await list.read());
  if (track.version === 0 && !merged && session !== undefined)
    throw new UsageError(
      `No session matches "${session.slice(0, 60)}". \`waymark ls --all\` lists them.`,
    );
  if (merged?.relayed)
    throw new UsageError(
      `Session ${id.session} is on another machine. Run \`waymark verify\` there.`,
    );
  const activity = merged?.activity ?? track.activity;
  const { todos } = withProofs(track, readProofs(call.home.path, id.session), activity);
  const title = merged ? titleOf(merged) : track.title;
  return {
    cwd: session === undefined ? requireCurrentDirectory() : directoryOf(id, track.cwd),
    id,
    todos,
    ...(title !== undefined && { title }),
    ...(activity?.edits && { edits: activity.edits.count }),
  };
}

/** A session that is not named unambiguously is a usage error: exit code 1 means that a check ran. */
async function found(
  resolve: () => Promise<ResolvedTrack | undefined>,
): Promise<ResolvedTrack | undefined> {
  try {
    return await resolve();
  } catch (error) {
    throw error instanceof CommandError ? new UsageError(error.message) : error;
  }
}

function directoryOf({ session }: TrackId, cwd: string | undefined): string {
  if (cwd === undefined) return requireCurrentDirectory();
  if (isDirectory(cwd)) return cwd;
  throw new UsageError(
    `The directory of session ${session} does not exist: ${cwd}. Its work cannot be checked.`,
  );
}

/**
 * The todo with an id. Without one, the completed todos that are not proven, and those with an older proof, because a new
 * run also says whether they still hold; all completed todos if that leaves none.
 */
export function todosToProve(
  { todos, id }: VerifyTarget,
  todo: string | undefined,
): readonly Todo[] {
  if (todo === undefined) {
    const completed = todos.filter(({ status }) => status === "completed");
    const chosen = completed.filter((each) => !isProven(each) || each.proof);
    return chosen.length > 0 ? chosen : completed;
  }
  const one = todos.find((each) => each.id === todo) ?? todos.find(({ ref }) => ref === todo);
  if (one) return [one];
  const known = todos.map((each) => each.id).join(", ");
  throw new UsageError(
    id === undefined
      ? `No session in this directory has a todo ${todo.slice(0, 40)}. Name the session.`
      : `Session ${id.session} has no todo ${todo.slice(0, 40)}. ${known === "" ? "Its list is empty." : `Use one of: ${known}.`}`,
  );
}
