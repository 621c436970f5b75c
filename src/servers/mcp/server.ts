import type { McpRequestContext, ServerContext } from "@modelcontextprotocol/server";
import type { Awaitable } from "../../core/awaitable.ts";
import { WaymarkError } from "../../core/error.ts";
import {
  systemPrompt,
  type TaskToolId,
  type ToolId,
  taskPrompt,
} from "../../core/guidance/prompts.ts";
import type { Situation } from "../../core/guidance/situation.ts";
import type { GuidancePolicy, Policy } from "../../core/list/policy.ts";
import { HOUR } from "../../core/text/duration.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { joinText, modelText } from "../../core/text/model-text.ts";
import { isMinted, ownersAtWork, type Session } from "../../sessions/caller/session.ts";
import type { ActivityMonitor } from "../../tasks/links/lease-renewal.ts";
import type { Desks, Tasks } from "./desks.ts";
import { type Lists, listOf } from "./lists.ts";
import { servePrompts } from "./prompts.ts";
import { type Asker, askerOf } from "./request.ts";
import { serveResources, type UpdateSources } from "./resources/resources.ts";
import { createResourceUpdates } from "./resources/updates.ts";
import { Server } from "./sdk.ts";
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
  readonly desks?: Desks | undefined;
  /** Told of every agent that calls. */
  readonly monitor?: ActivityMonitor | undefined;
  /** The model can put a plan before the person. */
  readonly plans?: boolean;
  /** Whose list a request is about. */
  readonly sessionOf: (asker: Asker) => Awaitable<Session>;
  /** The directory that new lists belong to. */
  readonly cwd?: string;
  /** When the model is told something besides the answer. */
  readonly guidance?: Partial<GuidancePolicy>;
  /** The limits of the lists that are written. */
  readonly policy?: Partial<Policy>;
  /** Operations during which the list is not written. */
  readonly offIn?: readonly Situation[];
  /** Nothing but the model's own words connects two calls: it is told the id of its list. */
  readonly stateless?: boolean;
  readonly onError?: (error: Error) => void;
}

type ProtocolEra = McpRequestContext["era"];

/** One client's server. */
export interface ClientServer {
  readonly server: Server;
  /** Tells the client of changes from now on, whoever makes them; of tasks only where it asks. */
  listen(withTasks: boolean): Promise<void>;
}

/** What the handlers of one client share. */
export interface Client {
  readonly server: Server;
  readonly parts: ServerParts;
  /** The list that a request names, else the client's own. */
  meant(named: unknown, context: ServerContext): Promise<Session>;
  /** One after the other, in the order they came, however many a client sends at once. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** A server object for one client. They are never shared: no answer can reach another client. */
export function serverFor(parts: ServerParts, era: ProtocolEra): ClientServer {
  const { lists, name, version } = parts;
  const tools = selectTools(parts.tools ?? DEFAULT_TOOLS);
  const taskTools = parts.desks ? selectTaskTools(parts.taskTools ?? []) : [];
  const [first] = tools;
  const [firstOfTasks] = taskTools;
  const instructions = joinText(
    [
      ...(first ? [systemPrompt(first.name)] : []),
      ...(firstOfTasks ? [taskPrompt(firstOfTasks.id)] : []),
    ],
    "\n\n",
  );
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
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
    async meant(named, context) {
      own = await parts.sessionOf(askerOf(server, context));
      for (const owner of atWork(parts, own)) parts.monitor?.noteActive(owner);
      return isNone(named) || named === own.session ? own : listNamed(lists, named);
    },
    inTurn(work) {
      const done = queue.then(work);
      queue = done.catch(() => undefined);
      return done;
    },
  };

  const subscribed = new Set<string>();
  const onError = (error: Error) => parts.onError?.(error);
  const tell = (uri: string): void => {
    // In the new protocol subscriptions are kept, and matched, in front of the server.
    if (era === "legacy" && !subscribed.has(uri)) return;
    server.sendResourceUpdated({ uri }).catch(onError);
  };
  const { tasks } = parts;
  const updates: UpdateSources = {
    lists: createResourceUpdates({ lists, own: () => own, tell }),
    tasks: tasks && createTaskUpdates({ tasks: () => tasks("writing"), tell, onError }),
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

function atWork({ desks }: ServerParts, session: Session): ReadonlySet<string> {
  const claims = [...(desks?.(session).claims.values() ?? [])];
  return new Set([...ownersAtWork(session), ...claims.map(({ owner }) => owner)]);
}

/** Models fill in fields that they have nothing for. */
function isNone(named: unknown): boolean {
  return named === undefined || named === null || named === "";
}

export const UNKNOWN_LIST = modelText`There is no list of this id. Leave out \`list\` to use your own.`;

/** Only a list that was begun here, for a client without a session, can be named. */
async function listNamed(lists: Lists, named: unknown): Promise<Session> {
  const track = { session: String(named), agent: MAIN_AGENT };
  if (isMinted(track.session) && (await (await listOf(lists, track)).read()).version > 0)
    return track;
  throw new WaymarkError("unknown_list", UNKNOWN_LIST);
}
