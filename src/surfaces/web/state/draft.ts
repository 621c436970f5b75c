import { useLayoutEffect, useReducer } from "preact/hooks";

/** What a person writes about a plan. */
export interface Draft {
  readonly comment: string;
  /** The step that it is about, or nothing. */
  readonly step: string;
  /** The mark of the plan that has this step: the same number is another step of another plan. */
  readonly of: string;
}

const EMPTY: Draft = { comment: "", step: "", of: "" };
const drafts = new Map<string, Draft>();
const readers = new Set<() => void>();

interface Drafting {
  readonly draft: Draft;
  write(draft: Draft): void;
}

/** What is written stays until it is sent, also while another page is shown. */
export function useDraft(track: string): Drafting {
  const [, draw] = useReducer<number, void>((count) => count + 1, 0);
  useLayoutEffect(() => {
    readers.add(draw);
    return () => void readers.delete(draw);
  }, []);
  return { draft: drafts.get(track) ?? EMPTY, write: (draft) => put(track, draft) };
}

/** What was changed since is not sent yet. */
export function wasSent(track: string, draft: Draft): void {
  if (drafts.get(track) === draft) put(track, EMPTY);
}

function put(track: string, draft: Draft): void {
  drafts.set(track, draft);
  for (const draw of readers) draw();
}
