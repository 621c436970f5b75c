import type { Track } from "../../../core/model.ts";
import type { StreamItem } from "../../../core/stream/events.ts";
import { type Fields, type ItemShape, items } from "../values.ts";

/** The list after a finished call of an agent's own list tool. Undefined if it cannot be known. */
export type ListReading =
  | { readonly items: readonly StreamItem[] }
  /** The reason why the agent refused the write. */
  | { readonly refused: string }
  | undefined;

/** Reads a finished call of an agent's own list tool. */
export type ListReader =
  | { readonly full: (input: Fields) => ListReading }
  /**
   * The call has only part of the list; the known list completes it. The subagents of a session share the list of
   * its main agent.
   */
  | { readonly partial: (input: Fields, track: Track) => ListReading };

export function fullList(
  shape: ItemShape,
  entries: (input: Fields) => readonly unknown[] | { readonly refused: string } | undefined,
): ListReader {
  return {
    full: (input) => {
      const found = entries(input);
      if (!found || "refused" in found) return found;
      return { items: items(found, shape, () => {}) };
    },
  };
}
