import type { Activity, OpenCall } from "./activity.ts";
import type { Observation } from "./observation.ts";

/** Kinds of requests. `maybe` is a guess: the open call looks like an unanswered permission prompt. */
export const WAITING_KINDS = ["permission", "question", "plan", "maybe"] as const;
export type WaitingKind = (typeof WAITING_KINDS)[number];

/** A request that the user has to answer. */
export interface Waiting {
  readonly kind: WaitingKind;
  /** The command, file, question or plan in question. */
  readonly text: string;
  readonly tool?: string;
  readonly since: number;
}

/** A request that the agent's program shows until the user answers. */
export interface OpenRequest extends Waiting {
  readonly kind: "permission" | "question" | "plan";
  /** The call that waits for the answer, if known. */
  readonly callId?: string;
  readonly signature?: string;
  /** The agent reported the request; otherwise it is implied by an open question call. */
  readonly announced?: true;
}

/** Calls of one message start within this time (ms) and count as siblings. */
const SIBLING_MS = 2_000;

/** How many characters of a request are compared with the label of a call, which is shorter. */
const COMPARED = 60;

/**
 * Updates the open request. Call it before the observation changes the open calls: a result is compared
 * with the call that it ends.
 */
export function updateRequest(activity: Activity, event: Observation): void {
  const { waiting } = activity;
  switch (event.type) {
    case "input.requested":
      activity.waiting = requested(activity, event);
      return;
    case "tool.started":
      // Some agents report the call only after the user approved it.
      if (waiting?.announced && isSameCall(waiting, event)) delete activity.waiting;
      else if (event.question !== undefined)
        activity.waiting = {
          kind: "question",
          text: event.question,
          tool: event.name,
          since: event.at,
          signature: event.signature,
          ...(event.callId !== undefined && { callId: event.callId }),
        };
      else if (waiting && event.at > waiting.since + SIBLING_MS) delete activity.waiting;
      // The status file of a process may report the dialog before the transcript has the call.
      else if (waiting?.text === "")
        activity.waiting = {
          ...waiting,
          text: event.label,
          tool: event.name,
          signature: event.signature,
          ...(event.callId !== undefined && { callId: event.callId }),
        };
      return;
    case "tool.completed":
    case "tool.failed":
      if (waiting && !isSibling(activity, waiting, event)) delete activity.waiting;
      return;
    case "list.written":
    case "list.refused":
      // Calls of list tools are not recorded, so only a request without a known call can be one.
      if (waiting && waiting.signature === undefined) delete activity.waiting;
      return;
    case "input.resolved":
      activity.answeredAt = event.at;
      delete activity.waiting;
      return;
    case "message":
    case "turn.started":
    case "turn.completed":
    case "turn.failed":
    case "turn.cancelled":
    case "turn.idle":
    case "session.started":
    case "session.ended":
      delete activity.waiting;
      return;
    default:
      return;
  }
}

function requested({ open, waiting }: Activity, event: Request): OpenRequest {
  const call = callOf(open, event);
  // A notification repeats the request in a shorter form.
  if (waiting && isRepeat(waiting, event)) return { ...waiting, announced: true };
  const tool = event.tool ?? call?.name;
  const callId = event.callId ?? call?.callId;
  const signature = call?.signature ?? event.signature;
  return {
    kind: event.kind,
    text: event.text ?? call?.label ?? tool ?? "",
    since: event.at,
    announced: true,
    ...(tool !== undefined && { tool }),
    ...(callId !== undefined && { callId }),
    ...(signature !== undefined && { signature }),
  };
}

type Request = Observation & { readonly type: "input.requested" };

function isRepeat(waiting: OpenRequest, { tool, text, callId }: Request): boolean {
  if (callId !== undefined && waiting.callId !== undefined) return callId === waiting.callId;
  return (
    (tool === undefined || tool === waiting.tool) && (text === undefined || text === waiting.text)
  );
}

/** The open call behind a request. Some agents repeat its input with additional fields. */
function callOf(open: readonly OpenCall[], request: Request): OpenCall | undefined {
  const { callId, signature, tool, text } = request;
  return (
    open.findLast((call) => callId !== undefined && call.callId === callId) ??
    open.findLast((call) => call.signature === signature) ??
    open.findLast(
      ({ name, label }) =>
        (tool === undefined || tool === name) &&
        (text === undefined || label.includes(text.slice(0, COMPARED))),
    )
  );
}

function isSameCall(
  waiting: OpenRequest,
  call: { readonly callId?: string; readonly signature: string },
): boolean {
  if (waiting.callId !== undefined && call.callId !== undefined)
    return waiting.callId === call.callId;
  return waiting.signature === call.signature;
}

/** Whether the result belongs to a call that runs in parallel to the waiting one. */
function isSibling(
  { open }: Activity,
  waiting: OpenRequest,
  { callId, name }: Observation & { readonly type: "tool.completed" | "tool.failed" },
): boolean {
  const ended =
    callId === undefined
      ? open.find((call) => call.name === name)
      : open.findLast((call) => call.callId === callId);
  const isOpen = open.some((call) => isSameCall(waiting, call));
  return (
    ended !== undefined &&
    isOpen &&
    !isSameCall(waiting, ended) &&
    ended.startedAt <= waiting.since + SIBLING_MS
  );
}

/** Merges the status that a process reports about itself into the activity from its session file. */
export function withProcessStatus(activity: Activity, status: Activity): Activity {
  const { waiting, ...rest } = activity;
  const { answeredAt = 0, waiting: request } = status;
  if (request) {
    if (waiting || isRequestAnswered(request, activity)) return activity;
    const call = activity.open.at(-1);
    return {
      ...activity,
      waiting: {
        ...request,
        text: request.text || (call?.label ?? ""),
        ...(call && { tool: call.name, signature: call.signature }),
        ...(call?.callId !== undefined && { callId: call.callId }),
      },
    };
  }
  // Work continues after the answer, so inactivity is counted from there.
  if (activity.turn !== "running" || answeredAt <= activity.lastAt) return activity;
  return { ...rest, lastAt: answeredAt };
}

/** Whether the activity from another source shows that the request was answered. */
export function isRequestAnswered(
  waiting: OpenRequest,
  { turn, lastAt, open, recent }: Activity,
): boolean {
  const { since, callId } = waiting;
  if (turn !== "running" && lastAt > since) return true;
  const ended = recent.findLast((call) => callId !== undefined && call.callId === callId);
  if (ended && (ended.endedAt ?? 0) >= since) return true;
  return [...recent, ...open].some(({ startedAt }) => startedAt > since + SIBLING_MS);
}
