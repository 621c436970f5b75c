import type { Track } from "../../../core/model.ts";
import type { StreamItem } from "../../../core/stream/events.ts";
import { type Fields, type ItemShape, items } from "../values.ts";

/** What a finished call of an agent's own list tool says of the list. */
export type Reading =
  | { readonly items: readonly StreamItem[] }
  /** Why the agent itself refused the write. */
  | { readonly refused: string }
  /** Nothing that can be known. */
  | undefined;

export type ListReader =
  | { readonly whole: (input: Fields) => Reading }
  /**
   * One call tells of a part: the rest is taken from the list as it is known. The subagents of a
   * session work on the list of its main agent.
   */
  | { readonly part: (input: Fields, track: Track) => Reading };

export function wholeList(
  shape: ItemShape,
  entries: (input: Fields) => readonly unknown[] | { readonly refused: string } | undefined,
): ListReader {
  return {
    whole: (input) => {
      const found = entries(input);
      if (!found || "refused" in found) return found;
      return { items: items(found, shape, () => {}) };
    },
  };
}
