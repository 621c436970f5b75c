import type { InputRequiredResult } from "@modelcontextprotocol/server";
import type { Intent, ListAccess } from "../../../core/list/access.ts";
import { decide } from "../../../core/list/decide.ts";
import { DEFAULT_POLICY, type Policy } from "../../../core/list/policy.ts";
import type { Todo, Track } from "../../../core/model.ts";
import { cutGraphemes, terminalLine } from "../../../core/text/escape.ts";
import { gated } from "../../../tools/run.ts";
import { ask } from "./elicitation.ts";

/** A call that removes or cancels this many unfinished todos needs the user's consent. */
const MANY = 5;
export const MANY_KEY = "remove";
const SHOWN = 10;

export interface Guarded {
  readonly access: ListAccess;
  /** The unfinished todos that the call would have removed; empty if it was executed. */
  readonly held: () => readonly Todo[];
}

/**
 * Holds back a write that removes many unfinished todos. The held write leaves no trace.
 *
 * @param agreed the state of the question that the user agreed to: those todos may be removed
 */
export function holdLargeRemovals(access: ListAccess, agreed?: string): Guarded {
  let held: readonly Todo[] = [];
  const guarded: ListAccess = {
    ...access,
    write: (request) =>
      access.write({
        ...request,
        decode: (track) => {
          const intent = request.decode(track);
          held = lostBy(track, intent, request.policy);
          if (held.length < MANY || (agreed !== undefined && coversAll(agreed, held))) {
            held = [];
            return intent;
          }
          return { rejected: [gated("confirmation")] };
        },
      }),
    refused: (rejected, options) =>
      held.length > 0 ? undefined : access.refused?.(rejected, options),
  };
  return { access: guarded, held: () => held };
}

function lostBy(track: Track, intent: Intent, policy: Partial<Policy> = {}): readonly Todo[] {
  if ("rejected" in intent) return [];
  const submission = { ...intent, key: "trial", at: 0, by: "agent", via: "mcp" } as const;
  const decision = decide(track, submission, { ...DEFAULT_POLICY, ...policy });
  if (!decision.ok) return [];
  const lost = new Set(
    decision.event.changes.flatMap((change) =>
      change.type === "todo.removed" || (change.type === "todo.moved" && change.to === "cancelled")
        ? [change.id]
        : [],
    ),
  );
  return track.todos.filter(
    ({ id, status }) => lost.has(id) && status !== "completed" && status !== "cancelled",
  );
}

export function askToRemove(todos: readonly Todo[]): InputRequiredResult {
  const lines = todos
    .slice(0, SHOWN)
    .map(({ text }) => `- ${cutGraphemes(terminalLine(text), 200)}`);
  const more = todos.length > SHOWN ? [`- and ${todos.length - SHOWN} more`] : [];
  return ask({
    key: MANY_KEY,
    message: `The agent wants to remove ${todos.length} unfinished todos:\n\n${[...lines, ...more].join("\n")}`,
    properties: {
      remove: { type: "boolean", title: `Remove ${todos.length} todos`, default: false },
    },
    required: ["remove"],
    state: todos.map(({ id }) => id).join(" "),
  });
}

/** Whether the user agreed to remove all todos that this call would remove now. */
function coversAll(state: string, held: readonly Todo[]): boolean {
  const ids = new Set(state.split(" "));
  return held.every(({ id }) => ids.has(id));
}
