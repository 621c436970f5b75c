import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { Awaitable } from "../../core/awaitable.ts";
import { WaymarkError } from "../../core/error.ts";
import { systemPrompt, type ToolId } from "../../core/guidance.ts";
import type { TrackId } from "../../core/model.ts";
import { runTool } from "../../tools/run.ts";
import type { Tool } from "../../tools/tool.ts";
import { isMinted, type Session } from "../session.ts";
import { agentTypeOf, callKey } from "./client.ts";
import { doorTo, type Lists, listOf } from "./lists.ts";
import { createNotices } from "./notices.ts";
import { continuePrompt, PROMPTS, planPrompt } from "./prompts.ts";
import { type Place, placeOf, RESOURCES, readPlace, TEMPLATES } from "./resources.ts";
import { callResult, failedResult } from "./result.ts";
import {
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "./sdk.ts";
import { DEFAULT_TOOLS, definitionsOf, selectTools, toolFor } from "./tools.ts";

type Meta = Readonly<Record<string, unknown>>;

export interface ServerParts {
  readonly lists: Lists;
  readonly name: string;
  readonly version: string;
  readonly tools?: readonly ToolId[];
  /** Whose list a request is about, by what the client sent along with it. */
  readonly sessionOf: (meta: Meta) => Awaitable<Session>;
  readonly cwd?: string;
  /** Nothing but the model's own words connects two calls: it is told the id of its list. */
  readonly stateless?: boolean;
  readonly onError?: (error: Error) => void;
}

/** One client's server. */
export interface ClientServer {
  readonly server: Server;
  /** Tells the client of changes from now on, whoever makes them. */
  listen(): Promise<void>;
}

const HOUR = 3_600_000;

/** A server object for one client. Objects are never shared: an answer cannot reach another client. */
export function serverFor(parts: ServerParts): ClientServer {
  const { lists, name, version, stateless = false } = parts;
  const tools = selectTools(parts.tools ?? DEFAULT_TOOLS);
  const [first] = tools;
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
      ...(first && { instructions: systemPrompt(first.name) }),
      cacheHints: { "tools/list": { ttlMs: HOUR }, "prompts/list": { ttlMs: HOUR } },
    },
  );
  if (parts.onError) server.onerror = parts.onError;

  let own: TrackId | undefined;
  const subscribed = new Set<string>();
  const isModern = () => server.getNegotiatedProtocolVersion()?.startsWith("2026") ?? false;
  const notices = createNotices({
    lists,
    own: () => own,
    tell(uri) {
      // In the new protocol the subscriptions are kept, and matched, in front of the server.
      if (!isModern() && !subscribed.has(uri)) return;
      server.sendResourceUpdated({ uri }).catch((error: Error) => parts.onError?.(error));
    },
  });
  server.onclose = () => notices.stop();

  const sessionOf = async (context: ServerContext): Promise<Session> => {
    own = await parts.sessionOf(metaOf(context));
    return own;
  };
  /** The list that a call names, else its own. Only a list that was made here can be named. */
  const meant = async (named: unknown, context: ServerContext): Promise<Session> => {
    const session = await sessionOf(context);
    if (named === undefined || named === session.session) return session;
    const known = typeof named === "string" && isMinted(named);
    const track = { session: String(named), agent: "main" };
    if (known && (await (await listOf(lists, track)).read()).version > 0) return track;
    throw new WaymarkError(
      "unknown_list",
      "There is no list of this id. Leave out `list` to use your own.",
    );
  };

  let queue: Promise<unknown> = Promise.resolve();
  /** One call after the other, in the order they came, however many a client sends at once. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };

  const carryOut = async (
    tool: Tool,
    input: unknown,
    named: unknown,
    context: ServerContext,
  ): Promise<CallToolResult> => {
    const session = await meant(named, context);
    const agentType = session.agentType ?? agentTypeOf(clientOf(server, context));
    const origin = {
      ...(parts.cwd !== undefined && { cwd: parts.cwd }),
      ...(agentType !== undefined && { agentType }),
    };
    const key = callKey(metaOf(context), tool.name, input);
    const result = await runTool(tool, input, doorTo(lists, session, origin), { key });
    const id = isMinted(session.session) ? session.session : undefined;
    return callResult(tool, result, { id, told: stateless });
  };

  server.setRequestHandler("tools/list", () => ({ tools: definitionsOf(tools) }));
  server.setRequestHandler("tools/call", ({ params }, context) =>
    inTurn(async () => {
      const { list, ...input } = params.arguments ?? {};
      const tool = toolFor(tools, params.name, input);
      if (!tool)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${params.name}. There are: ${tools.map((each) => each.name).join(", ")}.`,
        );
      // Whoever asked does not wait for it any more.
      if (context.mcpReq.signal.aborted) return failedResult("Cancelled.");
      try {
        return await carryOut(tool, input, list, context);
      } catch (error) {
        if (!(error instanceof WaymarkError)) throw error;
        parts.onError?.(error);
        return failedResult(`Nothing was changed. ${error.message}`);
      }
    }),
  );

  const place = (uri: string): Place => {
    const found = placeOf(uri);
    if (!found) throw new ResourceNotFoundError(uri);
    return found;
  };
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const found = place(uri);
    const list = await listOf(lists, await meant(found.list, context));
    return { contents: [await readPlace(uri, found, list)] };
  });
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
    await meant(place(uri).list, context);
    subscribed.add(uri);
    await notices.start();
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });

  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    if (params.name === "plan") return planPrompt(goalOf(params.arguments));
    if (params.name === "continue") {
      const list = await listOf(lists, await sessionOf(context));
      return continuePrompt(await list.get());
    }
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt ${params.name}. There are: ${PROMPTS.map((each) => each.name).join(", ")}.`,
    );
  });

  return {
    server,
    async listen() {
      own ??= await parts.sessionOf({});
      await notices.start();
    },
  };
}

function metaOf({ mcpReq }: ServerContext): Meta {
  return mcpReq._meta ?? {};
}

/** New clients say who they are with every request, old ones once. */
function clientOf(server: Server, { mcpReq }: ServerContext): string | undefined {
  const envelope: Meta = mcpReq.envelope ?? {};
  const told = envelope[CLIENT_INFO_META_KEY] as { readonly name?: string } | undefined;
  return (told ?? server.getClientVersion())?.name;
}

function goalOf(given: Readonly<Record<string, string>> | undefined): string {
  const goal = given?.goal;
  if (goal !== undefined && goal.trim() !== "") return goal;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The prompt plan needs its goal.");
}
