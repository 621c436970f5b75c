/**
 * servers/acp: plans and tool calls as messages of the Agent Client Protocol, for hosts that show the
 * list of an agent in an editor.
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

/** The client's side of an ACP connection: `AgentContext` of the official SDK, or anything like it. */
export interface AcpClient {
  notify(
    method: string,
    params: { sessionId: string; update: PlanMessage | ToolMessage },
  ): Promise<void>;
}

/** Options of `acpUpdates`. */
export interface AcpOptions {
  /** What was negotiated; version 1 by default. */
  readonly era?: AcpEra;
  /** In version 2 a plan has an id. */
  readonly planId?: string;
  /** Tool calls are told as well; they are by default. */
  readonly tools?: boolean;
  /** Ends the updates: `connection.signal` of the official SDK. */
  readonly signal?: AbortSignal;
  /** Called once, when the client cannot be told any more; by default a warning of the process. */
  readonly onError?: (error: unknown) => void;
}

/** The running updates of one client. */
export interface AcpUpdates {
  /** When everything so far was told. */
  settled(): Promise<void>;
  close(): void;
}

/**
 * Sends an ACP client the list whenever it changes, and the tool calls that the host observes. A
 * host that shows inputs and outputs itself sends `toolMessage` and sets `tools: false`.
 *
 * @param list the list of the agent, such as `tracker.own`
 * @param client the client's side of the connection
 * @param sessionId the session of the client
 * @returns the updates; `close` ends them
 */
export function acpUpdates(
  list: List | List<SyncStore>,
  client: AcpClient,
  sessionId: string,
  { era = "v1", planId = "todos", tools = true, signal, onError = warn }: AcpOptions = {},
): AcpUpdates {
  let told = "";
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
  const tellPlan = () => {
    // Changes that come while one waits are told with it: the plan is always whole.
    if (waiting) return;
    waiting = true;
    enqueue(async () => {
      waiting = false;
      const update = planMessage(await list.get(), era, planId);
      const print = JSON.stringify(update);
      // A client that was told of nothing has no list to clear.
      if (print === told || (told === "" && isEmpty(update))) return;
      await send(update);
      told = print;
    });
  };
  const hidden = new Set<string>();
  /** A call of a list tool is told as the list that comes of it, not as a call too. */
  const isHidden = (event: Observation): boolean => {
    if (!("callId" in event) || event.callId === undefined) return false;
    if (event.type === "tool.started" && isTodoTool(bareName(event.name))) hidden.add(event.callId);
    const known = hidden.has(event.callId);
    if (event.type === "tool.completed" || event.type === "tool.failed")
      hidden.delete(event.callId);
    return known;
  };
  const ids = openCallIds();
  const tellTool = (observed: Observation, newId: () => string) => {
    const seen = ids.identify(observed, newId);
    const update = isHidden(seen) ? undefined : toolMessage(seen, era);
    if (update) enqueue(() => send(update));
  };
  const stop = list.subscribe(({ changes, seq }: Event) => {
    let count = 0;
    // By the number of the event, so that no other connection of the session gives the same id.
    const newId = () => `waymark-${seq}-${++count}`;
    for (const change of changes)
      if (change.type === "observed" && tools)
        for (const seen of change.observations) tellTool(seen, newId);
    tellPlan();
  });
  if (signal?.aborted) close();
  else signal?.addEventListener("abort", close, { once: true });
  tellPlan();
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
  process.emitWarning(`The ACP client is no longer told of the list: ${reason}`, {
    code: "WAYMARK_ACP",
  });
}
