/**
 * servers/mcp: an MCP server over stdio or HTTP. Offers the tools, lists and tasks as resources, and
 * resource updates when they change. `server` speaks protocol versions with sessions, `frames` handles
 * raw messages, `parents` ends the server when its agent exits.
 */

import type { Awaitable } from "../../core/awaitable.ts";
import type { TaskToolId, ToolId } from "../../core/guidance/prompts.ts";
import type { Situation } from "../../core/guidance/situation.ts";
import type { GuidancePolicy, Policy } from "../../core/list/policy.ts";
import type { TrackId } from "../../core/model.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { generateMcpSessionId, type Session } from "../../sessions/caller/session.ts";
import { createActivityMonitor } from "../../tasks/links/lease-renewal.ts";
import type { SyncStore, Tracker } from "../../tracker.ts";
import { canShowViews } from "./app/extension.ts";
import { createViewHandles } from "./app/handles.ts";
import type { FrameStreams } from "./frames.ts";
import { createHttpSessions } from "./http-sessions.ts";
import { type Lists, listsOf } from "./lists.ts";
import type { Caller } from "./request.ts";
import { createResourceUpdates } from "./resources/updates.ts";
import { createMcpHandler, InMemoryServerEventBus } from "./sdk.ts";
import { type ServerParts, serverFor } from "./server.ts";
import { type Connection, serveStreams } from "./stdio.ts";
import { type CheckRun, createTaskAgents, type Tasks } from "./task-agents.ts";
import { createTaskUpdates } from "./tasks/updates.ts";

export type { Caller, CheckRun, Connection, FrameStreams, Lists, Session, Tasks };

/** Options of `todoServer`. */
export interface TodoServerOptions {
  /** The name of the server (default: `waymark`). */
  readonly name?: string;
  readonly version?: string;
  /** The list tools to offer (default: `["todos"]`). */
  readonly tools?: readonly ToolId[];
  /** The task store. */
  readonly tasks?: Tasks;
  /** The task tools to offer (default: none). */
  readonly taskTools?: readonly TaskToolId[];
  /** Offer the tool `plan`, with which a model proposes a plan to the user. */
  readonly plans?: boolean;
  /** The list of every client (default: each client has its own). */
  readonly track?: TrackId;
  /** Finds the session of a request from what the client sends, instead of `track`. */
  readonly sessionOf?: (caller: Caller) => Awaitable<Session>;
  /** When reminders are sent. */
  readonly guidance?: Partial<GuidancePolicy>;
  /** The limits of list writes. */
  readonly policy?: Partial<Policy>;
  /** Operations during which the list is read-only, recognized by the agent's commands. */
  readonly offIn?: readonly Situation[];
  /** The directory that new lists belong to. */
  readonly cwd?: string;
  readonly onError?: (error: Error) => void;
}

/** The tools, the list and its history for clients of the Model Context Protocol. */
export interface TodoServer {
  /** Serves one client over two streams, such as standard input and output, until it disconnects. */
  serve(streams: FrameStreams): Connection;
  /**
   * Answers one HTTP request. Without `track` or `sessionOf`, the header `Mcp-Session-Id` connects the requests of a client. To a
   * client that sends none, the answer names an id, which the model sends with its next calls.
   */
  fetch(request: Request): Promise<Response>;
  /** Closes all connections. The tracker stays open. */
  close(): Promise<void>;
}

/**
 * Serves the todo lists of a tracker to clients of the Model Context Protocol.
 *
 * @param source a tracker, or a pair of functions that open one when it is needed
 * @param options the tools that clients get, and the lists they write
 * @returns the server: `serve` takes two streams, `fetch` one HTTP request
 * @example
 * ```ts
 * import { createTracker } from "waymark";
 * import { todoServer } from "waymark/mcp";
 *
 * const server = todoServer(createTracker());
 * export const fetch = (request: Request) => server.fetch(request);
 * ```
 */
export function todoServer(
  source: Tracker | Tracker<SyncStore> | Lists,
  options: TodoServerOptions = {},
): TodoServer {
  const { name = "waymark", version = "0", track, sessionOf, tasks, ...rest } = options;
  const lists = listsOf(source);
  const taskAgents = tasks && createTaskAgents(tasks);
  const monitor =
    tasks &&
    createActivityMonitor({
      tasks: () => tasks.tasks("reading"),
      onProblem: (error) => rest.onError?.(error as Error),
    });
  const handles = createViewHandles();
  const fixed = sessionOf ?? (track && (() => track));
  const partsFor = (newSession: () => Session, stateless: boolean): ServerParts => ({
    ...rest,
    lists,
    tasks: tasks?.tasks,
    taskAgents,
    ...(tasks?.prove && { prove: tasks.prove }),
    monitor,
    handles,
    name,
    version,
    sessionOf: fixed ?? newSession,
    stateless,
  });
  const connections = new Set<Connection>();

  const bus = new InMemoryServerEventBus(rest.onError);
  const notify = (uri: string) => bus.publish({ kind: "resource_updated", uri });
  const onError = (error: Error) => rest.onError?.(error);
  const updates = createResourceUpdates({ lists, own: () => track, notify });
  const taskUpdates =
    tasks && createTaskUpdates({ tasks: () => tasks.tasks("writing"), notify, onError });
  const startUpdates = async (): Promise<void> => {
    await Promise.all([updates.start(), taskUpdates?.start()]).catch(onError);
  };
  const sessions = createHttpSessions();
  const serverOf = (era: "legacy" | "modern", request: Request | undefined) => {
    const { session, isKnown, showsViews, readShowsViews } = sessions.of(request);
    const parts = partsFor(() => session, !isKnown);
    const { server } = serverFor({ ...parts, isIssued: sessions.isIssued, showsViews }, era);
    readShowsViews(() => canShowViews(server.getClientCapabilities()));
    return server;
  };
  const http = createMcpHandler(({ era, requestInfo }) => serverOf(era, requestInfo), {
    bus: {
      publish: (event) => bus.publish(event),
      subscribe: (listener) => bus.subscribe(listener),
    },
    ...(rest.onError && { onerror: rest.onError }),
  });

  return {
    serve(streams) {
      const session = newSession();
      const connection = serveStreams(
        partsFor(() => session, false),
        streams,
      );
      connections.add(connection);
      connection.closed.finally(() => connections.delete(connection));
      return connection;
    },
    async fetch(request) {
      // A subscriber receives the very next change: watching starts before the subscription is acknowledged.
      if (request.headers.get("mcp-method") === "subscriptions/listen") await startUpdates();
      return fixed ? http.fetch(request) : sessions.answer(request, (each) => http.fetch(each));
    },
    async close() {
      updates.stop();
      taskUpdates?.stop();
      await monitor?.settled();
      await Promise.all([http.close(), ...[...connections].map((each) => each.close())]);
    },
  };
}

function newSession(): Session {
  return { session: generateMcpSessionId(), agent: MAIN_AGENT };
}
