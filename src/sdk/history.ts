import { emptyTrack, evolve } from "../core/evolve.ts";
import type { ListAccess } from "../core/list/access.ts";
import { decide } from "../core/list/decide.ts";
import { policyFor } from "../core/list/policy.ts";
import type { Outcome, Track } from "../core/model.ts";
import { isOpen } from "../core/views/view.ts";
import { TOOLS } from "../tools/index.ts";
import { runTool } from "../tools/run.ts";
import type { ReadyTool } from "../tools/toolbox.ts";
import type { ParsedCall, ParsedMessage } from "./thread.ts";

/** The answer of our tools to a refused call, for APIs whose results have no error flag. Earlier versions began with the sentence. */
const REFUSED = /Nothing was changed\.$|^Nothing was changed\.|^\{"error":/;

/**
 * The list writes in the first messages of a host, in order: calls of Waymark's tools with a successful result. A call
 * without a result may not have run.
 */
export function writesIn(
  messages: readonly ParsedMessage[],
  isListTool: (name: string) => boolean,
): readonly ParsedCall[] {
  const results = messages.flatMap((message) => message.results);
  const accepted = new Set(
    results.flatMap(({ id, failed, output }) => (failed || REFUSED.test(output) ? [] : id)),
  );
  return messages
    .flatMap(({ calls }) => calls)
    .filter(({ id, name }) => isListTool(name) && accepted.has(id));
}

/**
 * The writes to repeat on an empty list to restore its open todos; none if no todo would be open. They are tried on a
 * list in memory first, so that a truncated conversation records no refusals.
 */
export function replayable(
  tools: readonly ReadyTool[],
  writes: readonly ParsedCall[],
): readonly { readonly tool: ReadyTool; readonly call: ParsedCall }[] {
  let track: Track = emptyTrack({ session: "history", agent: "main" });
  const list = listInMemory(
    () => track,
    (next) => {
      track = next;
    },
  );
  const steps = writes.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    const known = TOOLS.find(({ id }) => id === tool?.id);
    if (!tool || !known) return [];
    const result = runTool(known, call.input, list);
    return !(result instanceof Promise) && result.ok ? [{ tool, call }] : [];
  });
  return track.todos.some(isOpen) ? steps : [];
}

function listInMemory(read: () => Track, keep: (track: Track) => void): ListAccess {
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
