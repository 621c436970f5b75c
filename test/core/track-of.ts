import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { emptyGuide, type Guide } from "../../src/core/guidance/counters.ts";
import type { Todo, Track } from "../../src/core/model.ts";

export const MARK = "k3m9";
export const WORDS = { mark: MARK, tool: "todos" };

/** A todo of the agent, with the fields of a test. */
export function todo(id: string, rest: Partial<Todo> = {}): Todo {
  return {
    id,
    text: `Todo ${id}`,
    status: "pending",
    createdAt: 1,
    movedBy: "agent",
    ...rest,
  };
}

/** An active track, with the fields of a test. */
export function trackOf(
  todos: readonly Todo[],
  guide: Partial<Guide> = {},
  rest: Partial<Track> = {},
): Track {
  return {
    ...emptyTrack({ session: "s", agent: "main" }),
    version: 1,
    revision: todos.length > 0 ? 1 : 0,
    todos,
    activity: emptyActivity(),
    guide: { ...emptyGuide(), ...guide },
    ...rest,
  };
}

/** The text inside a reminder block. Fails unless there is exactly one block and nothing outside. */
export function insideOf(text: string, mark: string = MARK): readonly string[] {
  const lines = text.split("\n");
  const open = `<waymark-${mark}>`;
  const close = `</waymark-${mark}>`;
  if (lines[0] !== open || lines.at(-1) !== close) throw new Error(`no block: ${text}`);
  const inside = lines.slice(1, -1);
  // Knowing the mark does not help: the brackets around it are escaped.
  if (inside.some((line) => /<\/?waymark|waymark-\w*>/i.test(line)))
    throw new Error(`a tag of ours is in the data: ${text}`);
  return inside;
}
