/**
 * servers/acp: sends plans and tool calls as Agent Client Protocol messages, for hosts that show an agent's
 * list in an editor.
 */
import { isTodoTool } from "../../agents/common/todo-tools.ts";
import { bareName } from "../../agents/common/values.ts";
import type { Observation } from "../../core/activity/observation.ts";
import { errorMessage } from "../../core/error.ts";
import type { Event } from "../../core/model.ts";
import type { List, SyncStore } from "../../tracker.ts";
import { openCallIds } from "./call-ids.ts";
import { type AcpEra, type PlanMessage, planMessage } from "./plan.ts";
import { type ToolMessage, toolMessage } from "./tool-call.ts";

export { type AcpEra, acpEra, type PlanMessage, planMessage } from "./plan.ts";
export { type ToolMessage, toolMessage } from "./tool-call.ts";

/** The client's side of an ACP connection: `AgentContext` of the official SDK or a compatible object. */
export interface AcpClient {
  notify(
    method: string,
    params: { sessionId: string; update: PlanMessage | ToolMessage },
  ): Promise<void>;
}

/** Options of `acpUpdates`. */
export interface AcpOptions {
  /** The negotiated protocol version (default: `v1`). */
  readonly era?: AcpEra;
  /** The plan id, used in version 2 (default: `todos`). */
  readonly planId?: string;
  /** Whether tool calls are sent as well (default: true). */
  readonly tools?: boolean;
  /** Stops the updates; pass `connection.signal` of the official SDK. */
  readonly signal?: AbortSignal;
  /** Called once, when sending fails; the updates stop (default: a process warning). */
  readonly onError?: (error: unknown) => void;
}

/** The updates of one client, until they are closed. */
export interface AcpUpdates {
  /** Resolves when all changes so far were sent. */
  settled(): Promise<void>;
  close(): void;
}

/**
 * Sends an ACP client the list whenever it changes, and the tool calls that the host observes. A host that shows
 * inputs and outputs itself sets `tools: false` and sends `toolMessage`.
 *
 * @param list the agent's list, such as `tracker.own`
 * @param client the client's side of the connection
 * @param sessionId the client's session id
 * @returns the updates; `close` stops them
 */
export function acpUpdates(
  list: List | List<SyncStore>,
  client: AcpClient,
  sessionId: string,
  { era = "v1", planId = "todos", tools = true, signal, onError = warn }: AcpOptions = {},
): AcpUpdates {
  let lastSent = "";
  let open = true;
  let queue = Promise.resolve();
  const close = () => {
    open = false;
    stop();
    signal?.removeEventListener("abort", close);
  };
  const enqueue = (work: () => Promise<void>) => {
    queue = queue
      .then(() => (open ? work() : undefined))
      .catch((error: unknown) => {
        const first = open;
        close();
        if (first) onError(error);
      });
  };
  const send = (update: PlanMessage | ToolMessage) =>
    client.notify("session/update", { sessionId, update });
  let waiting = false;
  const sendPlan = () => {
    // A queued update covers later changes too: it reads the whole list when it is sent.
    if (waiting) return;
    waiting = true;
    enqueue(async () => {
      waiting = false;
      const update = planMessage(await list.get(), era, planId);
      const json = JSON.stringify(update);
      // A client that never received a list has none to clear.
      if (json === lastSent || (lastSent === "" && isEmpty(update))) return;
      await send(update);
      lastSent = json;
    });
  };
  const hidden = new Set<string>();
  /** Calls of todo tools are not sent: the resulting list is. */
  const isHidden = (event: Observation): boolean => {
    if (!("callId" in event) || event.callId === undefined) return false;
    if (event.type === "tool.started" && isTodoTool(bareName(event.name))) hidden.add(event.callId);
    const known = hidden.has(event.callId);
    if (event.type === "tool.completed" || event.type === "tool.failed")
      hidden.delete(event.callId);
    return known;
  };
  const ids = openCallIds();
  const sendTool = (observed: Observation, newId: () => string) => {
    const seen = ids.identify(observed, newId);
    const update = isHidden(seen) ? undefined : toolMessage(seen, era);
    if (update) enqueue(() => send(update));
  };
  const stop = list.subscribe(({ changes, seq }: Event) => {
    let count = 0;
    // The event's sequence number keeps ids unique across connections of the same session.
    const newId = () => `waymark-${seq}-${++count}`;
    for (const change of changes)
      if (change.type === "observed" && tools)
        for (const seen of change.observations) sendTool(seen, newId);
    sendPlan();
  });
  if (signal?.aborted) close();
  else signal?.addEventListener("abort", close, { once: true });
  sendPlan();
  return {
    settled: async () => {
      let last: Promise<void> | undefined;
      while (last !== queue) {
        last = queue;
        await last;
      }
    },
    close,
  };
}

function isEmpty(update: PlanMessage): boolean {
  if (update.sessionUpdate === "plan") return update.entries.length === 0;
  return Array.isArray(update.plan.entries) && update.plan.entries.length === 0;
}

function warn(error: unknown): void {
  const reason = errorMessage(error);
  process.emitWarning(`Stopped sending list updates to the ACP client: ${reason}`, {
    code: "WAYMARK_ACP",
  });
}
