import type {
  CallToolResult,
  Tool as Definition,
  ServerContext,
} from "@modelcontextprotocol/server";
import { WaymarkError } from "../../core/error.ts";
import type { ToolId } from "../../core/guidance/prompts.ts";
import type { Origin } from "../../core/model.ts";
import { joinText, line, type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { isMinted, type Session } from "../../sessions/caller/session.ts";
import { TOOLS } from "../../tools/index.ts";
import { runTool } from "../../tools/run.ts";
import { type TaskTool, taskDefinitionOf } from "../../tools/tasks/task-tool.ts";
import { definitionOf, type Tool } from "../../tools/tool.ts";
import { doorTo } from "./lists.ts";
import { offNow } from "./off-in.ts";
import { PLAN_TOOL, runPlanTool } from "./plans.ts";
import { type Asker, askerOf, callKey } from "./request.ts";
import { callResult, failedResult } from "./result.ts";
import { ProtocolError, ProtocolErrorCode } from "./sdk.ts";
import { type Client, type ServerParts, UNKNOWN_LIST } from "./server.ts";
import { taskCall } from "./tasks/index.ts";

/** The native tool alone: what a model reads of every tool, it reads in every request. */
export const DEFAULT_TOOLS: readonly ToolId[] = ["todos"];

/** The tools of these ids; of two with one name the shape of a call decides which is meant. */
export function selectTools(ids: readonly ToolId[]): readonly Tool[] {
  return TOOLS.filter(({ id }) => ids.includes(id));
}

function toolFor(tools: readonly Tool[], name: string, input: unknown): Tool | undefined {
  const named = tools.filter((tool) => tool.name === name);
  return named.find((tool) => tool.fits?.(input)) ?? named[0];
}

export function serveTools(
  client: Client,
  tools: readonly Tool[],
  taskTools: readonly TaskTool[],
): void {
  const { server, parts } = client;
  const definitions = () =>
    [
      ...tools.filter(isFirstOfName).map((tool) => definitionOf(tool, "short", parts.policy)),
      ...taskTools.map((tool) => taskDefinitionOf(tool)),
      ...(parts.plans ? [PLAN_TOOL] : []),
    ].map((definition, place) => shown(definition, place === 0, parts.stateless ?? false));
  server.setRequestHandler("tools/list", () => ({ tools: definitions() }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: sent } }, context) =>
    client.inTurn(async () => {
      const { list, ...input } = sent ?? {};
      const called = { list, input };
      const carry = () => {
        const tool = toolFor(tools, name, input);
        if (tool) return carryOut(client, tool, called, context);
        const taskTool = taskTools.find(({ id }) => id === name);
        if (taskTool) return taskCall(client, taskTool, called, context);
        if (parts.plans && name === PLAN_TOOL.name) return planCall(client, called, context);
        const all = definitions().map((each) => line(each.name));
        const names = all.length > 0 ? joinText(all, ", ") : "none";
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          modelText`There is no tool ${quote(name, 60)}. There are: ${names}.`,
        );
      };
      // Whoever asked does not wait for it any more.
      if (context.mcpReq.signal.aborted) return failedResult(modelText`Cancelled.`);
      try {
        return await carry();
      } catch (error) {
        if (!(error instanceof WaymarkError)) throw error;
        parts.onError?.(error);
        const why =
          error.code === "unknown_list" ? UNKNOWN_LIST : quote(redactedMessage(error), 600);
        return failedResult(modelText`Nothing was changed. ${why}`);
      }
    }),
  );
}

export interface Called {
  readonly list: unknown;
  readonly input: Readonly<Record<string, unknown>>;
}

async function planCall(
  { server, parts, meant }: Client,
  { list, input }: Called,
  context: ServerContext,
): Promise<CallToolResult> {
  const whose = await meant(list, context);
  const { session, agent } = whose;
  const asker = askerOf(server, context);
  const hosted = (await parts.lists.writing()).list(
    { session, agent },
    originOf(parts, whose, asker),
  );
  return runPlanTool(hosted, input, callKey(asker, PLAN_TOOL.name, input));
}

function originOf({ cwd }: ServerParts, session: Session, asker: Asker): Origin {
  const { parentAgent, agentType = asker.agentType } = session;
  return {
    ...(cwd !== undefined && { cwd }),
    ...(agentType !== undefined && { agentType }),
    ...(parentAgent !== undefined && { parentAgent }),
  };
}

async function carryOut(
  { server, parts, meant }: Client,
  tool: Tool,
  { list, input }: Called,
  context: ServerContext,
): Promise<CallToolResult> {
  const session = await meant(list, context);
  const asker = askerOf(server, context);
  const origin = originOf(parts, session, asker);
  const door = doorTo(parts.lists, session, origin, parts.policy);
  const key = callKey(asker, tool.name, input);
  const result = await runTool(tool, input, door, { key, offIn: await offNow(parts, session) });
  const id = isMinted(session.session) ? session.session : undefined;
  const writes = result.ok && !tool.reads?.(input);
  return callResult(tool, result, {
    list: { id, told: parts.stateless ?? false },
    nudge: writes ? await nudgeAfter(parts, session, tool) : undefined,
  });
}

async function nudgeAfter(
  { lists, guidance }: ServerParts,
  { session, agent }: Session,
  { name }: Tool,
): Promise<ModelText | undefined> {
  const list = (await lists.writing()).list({ session, agent });
  const { reminder } = await list.observe([], {
    moment: "write",
    tool: name,
    via: "mcp",
    ...(guidance && { guidance }),
  });
  return reminder?.text;
}

/** Each name is told once. */
function isFirstOfName({ name }: Tool, place: number, tools: readonly Tool[]): boolean {
  return tools.findIndex((tool) => tool.name === name) === place;
}

function shown(
  { name, description, inputSchema }: Pick<Definition, "name" | "description"> & Shape,
  isFirst: boolean,
  stateless: boolean,
): Definition {
  const schema = slim(inputSchema) as Definition["inputSchema"];
  const properties = { ...schema.properties, ...(stateless && { list: LIST }) };
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: { ...schema, properties },
    annotations: HARMLESS,
    ...(isFirst && { _meta: AT_HAND }),
  };
}

interface Shape {
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Some agents ask the user before a call that might destroy or reach out, and refuse it if they cannot ask. */
const HARMLESS = { destructiveHint: false, openWorldHint: false };

/** Some agents hide tools until the model searches for them; no model searches for a memory. */
const AT_HAND = { "anthropic/alwaysLoad": true };

/** Always taken; said only where the model has to give it. */
const LIST = { type: "string", description: "The id that you were told, to go on with that list" };

/** What only says again what a refusal says in words would be read, and paid for, in every request. */
const LEFT_OUT = new Set(["additionalProperties", "minItems"]);

function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([field, value]) =>
      LEFT_OUT.has(field) ? [] : [[field, slim(value)]],
    ),
  );
}
