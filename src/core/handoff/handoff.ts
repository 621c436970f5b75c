/**
 * core/handoff: continues the list of one session in another one. A handoff holds everything that the next agent needs;
 * `text` words it for the model.
 */
import { lastLines } from "../checks/failure-text.ts";
import type { Event, Todo, Track, TrackId } from "../model.ts";
import { remarksOf } from "../views/history.ts";

/** The session that a list comes from. */
export interface HandoffSource extends TrackId {
  /** Id of the agent program. */
  readonly agentType?: string;
  /** The name of the agent program. */
  readonly name?: string;
}

/** A check that failed last. */
export interface FailingCheck {
  readonly command: string;
  readonly exitCode?: number;
  /** The last lines of its output, if a run of Waymark recorded them. */
  readonly output?: string;
}

/** The state of a session for the agent that continues it. */
export interface Handoff {
  readonly from: HandoffSource;
  readonly title?: string;
  readonly cwd?: string;
  /** When the agent was last active. */
  readonly stoppedAt: number;
  /** Number of the list within its session. */
  readonly list: number;
  readonly nextId: number;
  readonly todos: readonly Todo[];
  readonly failing?: FailingCheck;
  /** Changed files, the most recent first. */
  readonly files: readonly string[];
  /** Comments and decisions of the user, oldest first. */
  readonly decisions: readonly string[];
}

const MAX_FILES = 50;
const MAX_DECISIONS = 8;
const MAX_OUTPUT = 600;

export interface HandoffFacts {
  readonly track: Track;
  readonly events: readonly Event[];
  /** Changed files, the most recent first. */
  readonly files: readonly string[];
  /** The name of the agent program. */
  readonly name?: string | undefined;
}

/** Collects what the next agent needs. */
export function handoffOf({ track, events, files, name }: HandoffFacts): Handoff {
  const { session, agent, agentType, title, cwd, activity, todos, list, nextId } = track;
  const failing = failingCheck(track);
  const stoppedAt = activity && activity.lastAt > 0 ? activity.lastAt : track.updatedAt;
  return {
    from: {
      session,
      agent,
      ...(agentType !== undefined && { agentType }),
      ...(name !== undefined && { name }),
    },
    ...(title !== undefined && { title }),
    ...(cwd !== undefined && { cwd }),
    stoppedAt,
    list,
    nextId,
    todos: todos.map(withoutProof),
    ...(failing && { failing }),
    files: files.slice(0, MAX_FILES),
    decisions: decisionsOf(events),
  };
}

/** Proofs are added when a list is read; they are not part of it. */
function withoutProof({ proof: _, ...todo }: Todo): Todo {
  return todo;
}

/** The last check that failed: of Waymark with its output, or of the agent. */
function failingCheck({ todos, activity }: Track): FailingCheck | undefined {
  const failed = todos
    .flatMap(({ proof }) => (proof && !proof.ok ? [proof] : []))
    .sort((a, b) => b.at - a.at)[0];
  if (failed) {
    const output = lastLines(failed.output, MAX_OUTPUT);
    return {
      command: failed.command,
      ...(failed.exitCode !== null && { exitCode: failed.exitCode }),
      ...(output !== "" && { output }),
    };
  }
  const command = activity?.failedTest;
  if (command === undefined) return undefined;
  const run = activity?.recent.findLast(({ ok, label }) => ok === false && label.includes(command));
  return { command, ...(run?.exitCode !== undefined && { exitCode: run.exitCode }) };
}

/** The user's decisions about the plan and comments on it. */
function decisionsOf(events: readonly Event[]): readonly string[] {
  return remarksOf(events)
    .filter(({ by, what, text }) => by === "user" && what.startsWith("plan ") && text !== "")
    .map(({ what, text }) => (what === "plan comment" ? text : `${what}: ${text}`))
    .slice(-MAX_DECISIONS);
}
