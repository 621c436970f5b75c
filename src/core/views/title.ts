import type { Todo, Track } from "../model.ts";
import { isGeneratedId, MAIN_AGENT } from "../text/ids.ts";
import { currentOf } from "./view.ts";

/** What is known of a session that it can be named by. */
export interface Nameable {
  readonly track: Pick<Track, "session" | "agent" | "title" | "prompt"> & {
    readonly todos: readonly Pick<Todo, "status" | "text">[];
  };
  /** What a subagent is called. */
  readonly name?: string | undefined;
  /** The first user prompt, where the agent's own files have it. */
  readonly prompt?: string | undefined;
}

/** Longer prompts are cut: hooks, streams and files must name a session the same. */
export const MAX_PROMPT = 200;

const PREFIX = 8;

/**
 * What a session is called on every surface: its explicit name, else its first user prompt, else its
 * current todo, else the beginning of its id.
 */
export function titleOf({ track, name, prompt = track.prompt }: Nameable): string {
  const { agent, todos } = track;
  const subagent = agent === MAIN_AGENT ? undefined : (name ?? agent);
  const work = currentOf(todos) ?? todos[0];
  return track.title ?? subagent ?? prompt ?? work?.text ?? idPrefix(track);
}

function idPrefix({ session }: Pick<Track, "session">): string {
  return isGeneratedId(session) ? session.slice(0, PREFIX) : session;
}
