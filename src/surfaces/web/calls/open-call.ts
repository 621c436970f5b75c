import { createContext } from "preact";
import type { CallMark } from "../../../core/views/activity-timeline.ts";
import type { BoardRow } from "../../../core/views/board.ts";

/** The call in the drawer. */
export interface OpenCall {
  /** Absent if no call of the agent backs the todo. */
  readonly call?: CallMark | undefined;
  /** The todo whose evidence is shown: the drawer follows the selection of todos. */
  readonly todo?: { readonly id: string; readonly text: string } | undefined;
}

/** The calls of the session on the page, and the one that is open. */
export interface CallAccess {
  readonly calls: readonly CallMark[];
  readonly open: OpenCall | undefined;
  show(open: OpenCall): void;
}

export const CallsContext = createContext<CallAccess>({
  calls: [],
  open: undefined,
  show: () => undefined,
});

/** Identifies a call: some models reuse ids. */
export function callKey({ callId = "", at }: CallMark): string {
  return `${at} ${callId}`;
}

/** The calls of the history, with their ends and the calls since it was loaded, from the activity. */
export function callsOf(
  known: readonly CallMark[],
  { activity }: Pick<BoardRow, "activity">,
): readonly CallMark[] {
  const last = known.at(-1)?.at ?? 0;
  const seen = [...(activity?.recent ?? []), ...(activity?.open ?? [])];
  const ended = new Map(seen.map((call) => [`${call.startedAt} ${call.callId ?? ""}`, call]));
  const open = known.map((call): CallMark => {
    if (call.endedAt !== undefined) return call;
    const { endedAt, ok } = ended.get(callKey(call)) ?? {};
    return endedAt === undefined ? call : { ...call, endedAt, ...(ok !== undefined && { ok }) };
  });
  const newer = seen
    .filter(({ startedAt }) => startedAt > last)
    .map(
      ({ startedAt, label, callId, endedAt, ok }): CallMark => ({
        at: startedAt,
        kind: "read",
        label,
        ...(callId !== undefined && { callId }),
        ...(endedAt !== undefined && { endedAt }),
        ...(ok !== undefined && { ok }),
      }),
    );
  return [...open, ...newer];
}
