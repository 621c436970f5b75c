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
import { mintSession, type Session } from "../../sessions/caller/session.ts";
import { createActivityMonitor } from "../../tasks/links/lease-renewal.ts";
import type { SyncStore, Tracker } from "../../tracker.ts";
import { createDesks, type Tasks } from "./desks.ts";
import type { FrameStreams } from "./frames.ts";
import { type Lists, listsOf } from "./lists.ts";
import type { Asker } from "./request.ts";
import { createResourceUpdates } from "./resources/updates.ts";
import { createMcpHandler, InMemoryServerEventBus } from "./sdk.ts";
import { type ServerParts, serverFor } from "./server.ts";
import { type Connection, serveStreams } from "./stdio.ts";
import { createTaskUpdates } from "./tasks/updates.ts";

export type { Asker, Connection, FrameStreams, Lists, Session, Tasks };

/** Options of `todoServer`. */
export interface TodoServerOptions {
  /** What clients are told the server is called; `waymark` if nothing is given. */
  readonly name?: string;
  readonly version?: string;
  /** Which tools; the native one if nothing is given. */
  readonly tools?: readonly ToolId[];
  /** Where the team's tasks are kept. */
  readonly tasks?: Tasks;
  /** Which tools on the team's tasks; none if nothing is given. */
  readonly taskTools?: readonly TaskToolId[];
  /** Also the tool `plan`, with which a model puts a plan before the person. */
  readonly plans?: boolean;
  /** The list that every client works on. Without it each client has one of its own. */
  readonly track?: TrackId;
  /** Whose list a request is about, by what the client tells; instead of `track`. */
  readonly sessionOf?: (asker: Asker) => Awaitable<Session>;
  /** When the model is told something besides the answer. */
  readonly guidance?: Partial<GuidancePolicy>;
  /** The limits of the lists that are written. */
  readonly policy?: Partial<Policy>;
  /** Operations during which the list is not written, recognized by the agent's commands. */
  readonly offIn?: readonly Situation[];
  /** The directory that new lists belong to. */
  readonly cwd?: string;
  readonly onError?: (error: Error) => void;
}

/** The tools, the list and its history for clients of the Model Context Protocol. */
export interface TodoServer {
  /** Serves one client over two streams, such as the standard ones, until it leaves. */
  serve(streams: FrameStreams): Connection;
  /**
   * Answers one HTTP request. Where no list is given, nothing connects two requests: each new list
   * gets an id, which the model is told and names in its next call.
   */
  fetch(request: Request): Promise<Response>;
  /** Ends what is still open. The tracker stays open. */
  close(): Promise<void>;
}

/**
 * Serves the todo lists of a tracker to clients of the Model Context Protocol.
 *
 * @param source a tracker, or a pair of functions that open one when it is needed
 * @param options which tools and tasks the clients get, and whose list they write
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
  const desks = tasks && createDesks(tasks);
  const monitor =
    tasks &&
    createActivityMonitor({
      tasks: () => tasks.tasks("reading"),
      onProblem: (error) => rest.onError?.(error as Error),
    });
  const whose = sessionOf ?? (track && (() => track));
  const partsFor = (newSession: () => Session, stateless: boolean): ServerParts => ({
    ...rest,
    lists,
    tasks: tasks?.tasks,
    desks,
    monitor,
    name,
    version,
    sessionOf: whose ?? newSession,
    stateless,
  });
  const connections = new Set<Connection>();

  const bus = new InMemoryServerEventBus(rest.onError);
  const tell = (uri: string) => bus.publish({ kind: "resource_updated", uri });
  const onError = (error: Error) => rest.onError?.(error);
  const updates = createResourceUpdates({ lists, own: () => track, tell });
  const taskUpdates =
    tasks && createTaskUpdates({ tasks: () => tasks.tasks("writing"), tell, onError });
  const startUpdates = async (): Promise<void> => {
    await Promise.all([updates.start(), taskUpdates?.start()]).catch(onError);
  };
  const http = createMcpHandler(({ era }) => serverFor(partsFor(newSession, true), era).server, {
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
      return http.fetch(request);
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
  return { session: mintSession(), agent: MAIN_AGENT };
}
