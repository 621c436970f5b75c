import type { Todo, Track } from "../model.ts";
import { isGeneratedId, MAIN_AGENT } from "../text/ids.ts";
import { currentOf } from "./view.ts";

/** The possible names of a session. */
export interface Nameable {
  readonly track: Pick<Track, "session" | "agent" | "title" | "prompt"> & {
    readonly todos: readonly Pick<Todo, "status" | "text">[];
  };
  /** The name of a subagent. */
  readonly name?: string | undefined;
  /** The first user prompt, if the agent's own files have it. */
  readonly prompt?: string | undefined;
}

/** Prompts are cut to this length, so that hooks, streams and files name a session the same. */
export const MAX_PROMPT = 200;

const PREFIX = 8;

/**
 * The title of a session on every surface: its explicit name, otherwise its first user prompt, its
 * current todo, or the beginning of its id.
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
