import { emptyTrack, evolve } from "../core/evolve.ts";
import { decide } from "../core/list/decide.ts";
import type { Door } from "../core/list/intent.ts";
import { policyFor } from "../core/list/policy.ts";
import type { Outcome, Track } from "../core/model.ts";
import { isOpen } from "../core/views/view.ts";
import { TOOLS } from "../tools/index.ts";
import { runTool } from "../tools/run.ts";
import type { ReadyTool } from "../tools/toolbox.ts";
import type { Seen, SeenCall } from "./thread.ts";

/** How our tools begin the answer to a refused call, for APIs whose results have no error flag. */
const REFUSED = /^Nothing was changed\.|^\{"error":/;

/**
 * The list writes in a conversation that a host hands over with its first messages: calls of our
 * tools whose result says that they took effect, in their order. Only the result decides: a call
 * without one may never have been carried out.
 */
export function writesIn(
  messages: readonly Seen[],
  isListTool: (name: string) => boolean,
): readonly SeenCall[] {
  const results = messages.flatMap((message) => message.results);
  const accepted = new Set(
    results.flatMap(({ id, failed, output }) => (failed || REFUSED.test(output) ? [] : id)),
  );
  return messages
    .flatMap(({ calls }) => calls)
    .filter(({ id, name }) => isListTool(name) && accepted.has(id));
}

/**
 * The writes that lead to a list with open todos, as they can be carried out on an empty one.
 * Tried on a list in memory first, so that a conversation that was cut leaves no refusals behind.
 */
export function replayable(
  tools: readonly ReadyTool[],
  writes: readonly SeenCall[],
): readonly { readonly tool: ReadyTool; readonly call: SeenCall }[] {
  let track: Track = emptyTrack({ session: "history", agent: "main" });
  const door = listInMemory(
    () => track,
    (next) => {
      track = next;
    },
  );
  const steps = writes.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    const known = TOOLS.find(({ id }) => id === tool?.id);
    if (!tool || !known) return [];
    const result = runTool(known, call.input, door);
    return !(result instanceof Promise) && result.ok ? [{ tool, call }] : [];
  });
  return track.todos.some(isOpen) ? steps : [];
}

function listInMemory(read: () => Track, keep: (track: Track) => void): Door {
  return {
    durable: false,
    read,
    write: ({ decode, via, policy }): Outcome => {
      const before = read();
      const intent = decode(before);
      const key = String(before.version);
      const decision =
        "rejected" in intent
          ? ({ ok: false, rejected: intent.rejected } as const)
          : decide(before, { key, at: 0, by: "agent", via, ...intent }, policyFor("agent", policy));
      if (!decision.ok)
        return { ok: false, duplicate: false, rejected: decision.rejected, before, after: before };
      const { event } = decision;
      const after = evolve(before, event);
      keep(after);
      return { ok: true, duplicate: false, rejected: event.rejected ?? [], before, after, event };
    },
  };
}
