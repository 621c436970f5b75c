import type { Track } from "../../src/core/model.ts";
import type { StreamBody } from "../../src/core/stream/events.ts";
import { emptyLiveTrack, foldStream, type LiveTrack } from "../../src/core/stream/fold.ts";
import { createTracker } from "../../src/index.ts";
import { event } from "../core/events.ts";

export const MINUTE = 60_000;
export const NOW = 1_800_000_000_000;
export const at = (minutes: number) => NOW - minutes * MINUTE;

/** A track read from the transcript of an agent; times in minutes before now. */
export function transcript(
  bodies: readonly (readonly [number, StreamBody])[],
  { agent = "main", session = "s" } = {},
): { readonly live: LiveTrack; readonly updatedAt: number } {
  const [first] = bodies;
  if (!first) throw new Error("no events");
  const base = { agentId: agent, sessionId: session };
  const live = emptyLiveTrack(event(first[1], { ...base, timestamp: at(first[0]) }));
  for (const [minutes, body] of bodies)
    foldStream(live, event(body, { ...base, timestamp: at(minutes) }));
  return { live, updatedAt: at(bodies.at(-1)?.[0] ?? 0) };
}

/** A list that Waymark keeps, written and observed at times in minutes before now. */
export function hosted(
  steps: readonly (readonly [
    number,
    (list: ReturnType<ReturnType<typeof createTracker>["list"]>) => unknown,
  ])[],
  {
    agent = "main",
    session = "s",
    parentAgent,
  }: { agent?: string; session?: string; parentAgent?: string } = {},
): Track {
  let now = 0;
  const tracker = createTracker({ clock: () => now });
  const list = tracker.list({ session, agent }, parentAgent === undefined ? {} : { parentAgent });
  for (const [minutes, step] of steps) {
    now = at(minutes);
    step(list);
  }
  return list.read();
}

export const list = (...texts: readonly string[]): StreamBody => ({
  type: "todo_list",
  todoId: "t",
  items: texts.map((text, index) => ({ id: `${index}`, text, status: "pending" })),
});
export const started: StreamBody = { type: "turn.started" };
export const completed: StreamBody = { type: "turn.completed" };
export const write =
  (...texts: readonly string[]) =>
  (own: ReturnType<ReturnType<typeof createTracker>["list"]>) =>
    own.set(
      texts.map((text) => ({ text })),
      { by: "agent" },
    );
export const only = <T>(all: readonly T[]): T => {
  const [one, ...others] = all;
  if (one === undefined || others.length > 0) throw new Error(`${all.length} tracks`);
  return one;
};
export const texts = ({ track }: { readonly track: Track }) => track.todos.map(({ text }) => text);
