import type { McpRequestContext, ServerContext } from "@modelcontextprotocol/server";
import type { Awaitable } from "../../core/awaitable.ts";
import { WaymarkError } from "../../core/error.ts";
import type { TaskToolId, ToolId } from "../../core/guidance/prompts.ts";
import type { Situation } from "../../core/guidance/situation.ts";
import type { GuidancePolicy, Policy } from "../../core/list/policy.ts";
import { HOUR } from "../../core/text/duration.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { modelText } from "../../core/text/model-text.ts";
import {
  isMcpSessionId,
  leaseOwners,
  ownerOf,
  type Session,
} from "../../sessions/caller/session.ts";
import type { ActivityMonitor } from "../../tasks/links/lease-renewal.ts";
import type { ViewHandles } from "./app/handles.ts";
import { CAPABILITIES, instructionsFor } from "./introduction.ts";
import { type Lists, listOf } from "./lists.ts";
import { servePrompts } from "./prompts.ts";
import { type Caller, callerOf } from "./request.ts";
import { serveResources, type UpdateSources } from "./resources/resources.ts";
import { createResourceUpdates } from "./resources/updates.ts";
import { Server } from "./sdk.ts";
import type { TaskAgents, Tasks } from "./task-agents.ts";
import { selectTaskTools } from "./tasks/index.ts";
import { createTaskUpdates } from "./tasks/updates.ts";
import { DEFAULT_TOOLS, selectTools, serveTools } from "./tools.ts";

export interface ServerParts {
  readonly lists: Lists;
  readonly name: string;
  readonly version: string;
  readonly tools?: readonly ToolId[];
  readonly taskTools?: readonly TaskToolId[];
  /** Absent where there are no tasks. */
  readonly tasks?: Tasks["tasks"] | undefined;
  readonly taskAgents?: TaskAgents | undefined;
  readonly prove?: Tasks["prove"];
  /** Notified of every agent that makes a call. */
  readonly monitor?: ActivityMonitor | undefined;
  /** Offer the tool `plan`. */
  readonly plans?: boolean;
  /** The session that a request belongs to. */
  readonly sessionOf: (caller: Caller) => Awaitable<Session>;
  /** The directory that new lists belong to. */
  readonly cwd?: string;
  /** When reminders are sent. */
  readonly guidance?: Partial<GuidancePolicy>;
  /** The limits of list writes. */
  readonly policy?: Partial<Policy>;
  /** Operations during which the list is read-only. */
  readonly offIn?: readonly Situation[];
  /** The client sends no session, so the model gets an id and sends it back. */
  readonly stateless?: boolean;
  /** Whether an answer of this server named the session. */
  readonly isIssued?: (session: string) => boolean;
  /** The client said in an earlier request that it shows views. */
  readonly showsViews?: boolean;
  /** Signs the calls of views. */
  readonly handles: ViewHandles;
  readonly onError?: (error: Error) => void;
}

type ProtocolEra = McpRequestContext["era"];

/** The server of one client. */
export interface ClientServer {
  readonly server: Server;
  /** Starts to send resource updates to the client; those of tasks only on request. */
  listen(withTasks: boolean): Promise<void>;
}

/** Shared by the request handlers of one client. */
export interface Client {
  readonly server: Server;
  readonly parts: ServerParts;
  /** The list that a request names (default: the client's own). Requests of the user are no activity of the agent. */
  resolveList(named: unknown, context: ServerContext, by?: "agent" | "user"): Promise<Session>;
  /** Runs requests one after another, in the order of arrival. */
  enqueue<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates the server of one client. It is never shared, so no answer can reach another client. */
export function serverFor(parts: ServerParts, era: ProtocolEra): ClientServer {
  const { lists, name, version } = parts;
  const tools = selectTools(parts.tools ?? DEFAULT_TOOLS);
  const taskTools = parts.taskAgents ? selectTaskTools(parts.taskTools ?? []) : [];
  const [listTool] = tools;
  const [taskTool] = taskTools;
  const instructions = instructionsFor(listTool?.name, taskTool?.id);
  const server = new Server(
    { name, version },
    {
      capabilities: CAPABILITIES,
      ...(instructions !== "" && { instructions }),
      cacheHints: { "tools/list": { ttlMs: HOUR }, "prompts/list": { ttlMs: HOUR } },
    },
  );
  if (parts.onError) server.onerror = parts.onError;

  let own: Session | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  const client: Client = {
    server,
    parts,
    async resolveList(named, context, by = "agent") {
      own = await parts.sessionOf(callerOf(server, context));
      if (by === "agent")
        for (const owner of activeOwners(parts, own)) parts.monitor?.noteActive(owner);
      return isOmitted(named) || named === own.session ? own : listNamed(parts, named);
    },
    enqueue(work) {
      const done = queue.then(work);
      queue = done.catch(() => undefined);
      return done;
    },
  };

  const subscribed = new Set<string>();
  const onError = (error: Error) => parts.onError?.(error);
  const notify = (uri: string): void => {
    // In the new protocol, the SDK keeps the subscriptions and matches updates against them.
    if (era === "legacy" && !subscribed.has(uri)) return;
    server.sendResourceUpdated({ uri }).catch(onError);
  };
  const { tasks } = parts;
  const updates: UpdateSources = {
    lists: createResourceUpdates({ lists, own: () => own, notify }),
    tasks: tasks && createTaskUpdates({ tasks: () => tasks("writing"), notify, onError }),
  };
  server.onclose = () => {
    updates.lists.stop();
    updates.tasks?.stop();
  };

  serveTools(client, tools, taskTools);
  serveResources(client, subscribed, updates);
  servePrompts(client);
  return {
    server,
    async listen(withTasks) {
      own ??= await parts.sessionOf({ meta: {} });
      await updates.lists.start();
      if (withTasks) await updates.tasks?.start();
    },
  };
}

function activeOwners({ taskAgents }: ServerParts, session: Session): ReadonlySet<string> {
  const claims = [...(taskAgents?.(session).claims.values() ?? [])];
  return new Set([...leaseOwners(session), ...claims.map(({ owner }) => owner)]);
}

/** Models send null or an empty string for a field they do not need. */
export function isOmitted(named: unknown): boolean {
  return named === undefined || named === null || named === "";
}

export const UNKNOWN_LIST = modelText`No list has this id. Leave out \`list\` to use your own.`;

/** Only sessions of clients without one of their own can be named: by their list, their tasks, or an answer of this server. */
async function listNamed(
  { lists, tasks, isIssued }: ServerParts,
  named: unknown,
): Promise<Session> {
  const track = { session: String(named), agent: MAIN_AGENT };
  if (!isMcpSessionId(track.session)) throw new WaymarkError("unknown_list", UNKNOWN_LIST);
  if (isIssued?.(track.session)) return track;
  if ((await (await listOf(lists, track)).read()).version > 0) return track;
  // A claim may outlive the server.
  const store = await tasks?.("reading");
  const [task] = (await store?.list({ owner: ownerOf(track), limit: 1 })) ?? [];
  if (task) return track;
  throw new WaymarkError("unknown_list", UNKNOWN_LIST);
}
