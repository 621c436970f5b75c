import { decide, verifiedChanges } from "../list/decide.ts";
import { fastPathChanges } from "../list/fast-path.ts";
import { PRESETS, policyFor } from "../list/policy.ts";
import type { Decision, Draft, Track } from "../model.ts";
import type { StreamBody, StreamItem } from "./events.ts";

const EXTERNAL_POLICY = policyFor("agent", PRESETS.external);
// In UTF-16 code units, of which a text has at least as many as characters.
const MAX_TEXT = Math.min(EXTERNAL_POLICY.maxText, EXTERNAL_POLICY.maxNote);
const LIMITS = { maxTodos: EXTERNAL_POLICY.maxTodos, maxText: MAX_TEXT };

/** A list write of another program. */
export interface ExternalWrite {
  readonly decision: Decision;
  /** Number of entries that were skipped. */
  readonly left: number;
}

/** Decides on a list that another program wrote. */
export function externalWrite(
  track: Track,
  activity: Track["activity"],
  list: Extract<StreamBody, { type: "todo_list" }>,
  { key, at, via }: { readonly key: string; readonly at: number; readonly via: string },
): ExternalWrite {
  const short = list.explanation === undefined && fastPathChanges(track, list.items, LIMITS);
  if (short) {
    const changes = [...short, ...verifiedChanges(track.todos, activity, short)];
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
    // The write has happened, even in plan mode.
    decision: decide(
      { ...track, ...(activity && { activity }), mode: "work" },
      submission,
      EXTERNAL_POLICY,
    ),
    left: list.items.length - drafts.length,
  };
}

export function draftsOf(items: readonly StreamItem[]): readonly Draft[] {
  return items.slice(0, EXTERNAL_POLICY.maxTodos).flatMap((item) => draftOf(item) ?? []);
}

/**
 * The event has the whole todo, so absent fields are cleared. Invalid texts must not cost the rest of the
 * list: blank ones are dropped, long ones are cut.
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
  const lines = (texts ?? [])
    .flatMap((text) => lineOf(text) ?? [])
    .slice(0, EXTERNAL_POLICY.maxNotes);
  return lines.length > 0 ? lines : null;
}
