import { useLayoutEffect, useReducer } from "preact/hooks";

/** An unsent comment on a plan. */
export interface Draft {
  readonly comment: string;
  /** The number of the step, or empty. */
  readonly step: string;
  /** The fingerprint of the plan that `step` belongs to. */
  readonly of: string;
}

const EMPTY: Draft = { comment: "", step: "", of: "" };
const drafts = new Map<string, Draft>();
const subscribers = new Set<() => void>();

interface DraftState {
  readonly draft: Draft;
  write(draft: Draft): void;
}

/** The draft of a track, kept until it is sent, also across page changes. */
export function useDraft(track: string): DraftState {
  const [, draw] = useReducer<number, void>((count) => count + 1, 0);
  useLayoutEffect(() => {
    subscribers.add(draw);
    return () => void subscribers.delete(draw);
  }, []);
  return { draft: drafts.get(track) ?? EMPTY, write: (draft) => put(track, draft) };
}

/** Clears the draft, unless it was edited since it was sent. */
export function wasSent(track: string, draft: Draft): void {
  if (drafts.get(track) === draft) put(track, EMPTY);
}

function put(track: string, draft: Draft): void {
  drafts.set(track, draft);
  for (const draw of subscribers) draw();
}
