import { decide, verified } from "../list/decide.ts";
import { restated } from "../list/fast-path.ts";
import { PRESETS, policyFor } from "../list/policy.ts";
import type { Decision, Draft, Track } from "../model.ts";
import type { StreamBody, StreamItem } from "./events.ts";

const FOREIGN = policyFor("agent", PRESETS.foreign);
// In UTF-16 units, of which no text has fewer than characters.
const MAX_TEXT = Math.min(FOREIGN.maxText, FOREIGN.maxNote);
const LIMITS = { maxTodos: FOREIGN.maxTodos, maxText: MAX_TEXT };

export interface ForeignWrite {
  readonly decision: Decision;
  /** Entries that are no todos. */
  readonly left: number;
}

/** A list that another program keeps, written as it is. */
export function foreignWrite(
  track: Track,
  activity: Track["activity"],
  list: Extract<StreamBody, { type: "todo_list" }>,
  { key, at, via }: { readonly key: string; readonly at: number; readonly via: string },
): ForeignWrite {
  const short = list.explanation === undefined && restated(track, list.items, LIMITS);
  if (short) {
    const changes = [...short, ...verified(track.todos, activity?.check, short)];
    const event = { seq: track.version + 1, key, at, by: "agent" as const, via, changes };
    return { decision: { ok: true, event }, left: 0 };
  }
  const drafts = draftsOf(list.items);
  const submission = {
    key,
    at,
    by: "agent" as const,
    via,
    ops: [{ op: "replace" as const, todos: drafts }],
    ...(list.explanation !== undefined && { comment: list.explanation.slice(0, MAX_TEXT) }),
  };
  return {
    // What an agent wrote in its own plan mode, it wrote.
    decision: decide(
      { ...track, ...(activity && { activity }), mode: "work" },
      submission,
      FOREIGN,
    ),
    left: list.items.length - drafts.length,
  };
}

export function draftsOf(items: readonly StreamItem[]): readonly Draft[] {
  return items.slice(0, FOREIGN.maxTodos).flatMap((item) => draftOf(item) ?? []);
}

/**
 * The event has the whole todo, so what it does not say is not so any more. Text that cannot be
 * kept as it is must not cost the rest of the list: blank is absent, endless is cut.
 */
function draftOf({ status, ...item }: StreamItem): Draft | undefined {
  const text = lineOf(item.text);
  if (text === undefined) return undefined;
  const ref = lineOf(item.id);
  return {
    text,
    status,
    activeText: lineOf(item.activeText) ?? null,
    rawStatus: lineOf(item.raw) ?? null,
    phase: lineOf(item.phase) ?? null,
    notes: linesOf(item.notes),
    priority: lineOf(item.priority) ?? null,
    parent: lineOf(item.parent) ?? null,
    blockedBy: linesOf(item.blockedBy),
    blocker: lineOf(item.blocker) ?? null,
    owner: lineOf(item.owner) ?? null,
    ...(ref !== undefined && { ref }),
  };
}

function lineOf(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.slice(0, MAX_TEXT);
}

function linesOf(texts: readonly string[] | undefined): readonly string[] | null {
  const lines = (texts ?? []).flatMap((text) => lineOf(text) ?? []).slice(0, FOREIGN.maxNotes);
  return lines.length > 0 ? lines : null;
}
