import type {
  CallToolResult,
  Tool as Definition,
  InputRequiredResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import { WaymarkError } from "../../core/error.ts";
import type { ToolId } from "../../core/guidance/prompts.ts";
import type { Origin } from "../../core/model.ts";
import { joinText, line, type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { isMcpSessionId, type Session } from "../../sessions/caller/session.ts";
import { TOOLS } from "../../tools/index.ts";
import { runTool } from "../../tools/run.ts";
import { type TaskTool, taskDefinitionOf } from "../../tools/tasks/task-tool.ts";
import { definitionOf, type Tool } from "../../tools/tool.ts";
import { drawnByView, showsViews } from "./app/extension.ts";
import { VIEW_TOOL, viewCall, withView } from "./app/tool.ts";
import { answerTo, canAsk } from "./asking/elicitation.ts";
import { askToRemove, holdLargeRemovals, MANY_KEY } from "./asking/many-todos.ts";
import { askForDecision, decideByAnswer, PLAN_KEY } from "./asking/plan-question.ts";
import { accessTo, readOnlySituation } from "./lists.ts";
import { PLAN_TOOL, runPlanTool } from "./plans.ts";
import { type Caller, callerOf, callKey } from "./request.ts";
import { callResult, failedResult } from "./result.ts";
import { ProtocolError, ProtocolErrorCode } from "./sdk.ts";
import { type Client, type ServerParts, UNKNOWN_LIST } from "./server.ts";
import { taskCall } from "./tasks/index.ts";

/** Waymark's own tool only: the definition of every tool is sent with every request. */
export const DEFAULT_TOOLS: readonly ToolId[] = ["todos"];

/** The tools with these ids. */
export function selectTools(ids: readonly ToolId[]): readonly Tool[] {
  return TOOLS.filter(({ id }) => ids.includes(id));
}

/** If two tools share a name, the shape of the input decides. */
function toolFor(tools: readonly Tool[], name: string, input: unknown): Tool | undefined {
  const named = tools.filter((tool) => tool.name === name);
  return named.find((tool) => tool.fits?.(input)) ?? named[0];
}

export function serveTools(
  client: Client,
  tools: readonly Tool[],
  taskTools: readonly TaskTool[],
): void {
  const { server, parts, resolveList } = client;
  const isTaskTool = (name: string) => taskTools.some(({ id }) => id === name);
  const definitions = (context: ServerContext) => {
    const ours = [
      ...tools.filter(isFirstOfName).map((tool) => definitionOf(tool, "short", parts.policy)),
      ...taskTools.map((tool) => taskDefinitionOf(tool)),
      ...(parts.plans ? [PLAN_TOOL] : []),
    ].map((definition, index) => published(definition, index === 0, parts.stateless ?? false));
    return showsViews(client, context) ? [...ours.map(drawnByView), VIEW_TOOL] : ours;
  };
  server.setRequestHandler("tools/list", (_, context) => ({ tools: definitions(context) }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: sent } }, context) =>
    client.enqueue(async () => {
      const { list, ...input } = sent ?? {};
      const called = { list, input };
      const hasView = showsViews(client, context);
      const execute = async () => {
        if (hasView && name === VIEW_TOOL.name) return viewCall(client, called, context);
        const tool = toolFor(tools, name, input);
        if (tool) return listCall(client, tool, called, context);
        const taskTool = taskTools.find(({ id }) => id === name);
        if (taskTool) return taskCall(client, taskTool, called, context);
        if (parts.plans && name === PLAN_TOOL.name) return planCall(client, called, context);
        const all = definitions(context).map((each) => line(each.name));
        const names = all.length > 0 ? joinText(all, ", ") : "none";
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          modelText`Unknown tool ${quote(name, 60)}. Available: ${names}.`,
        );
      };
      if (context.mcpReq.signal.aborted) return failedResult(modelText`Cancelled.`);
      try {
        const result = await execute();
        if (!hasView || name === VIEW_TOOL.name) return result;
        const session = await resolveList(list, context);
        return await withView(client, result, session, isTaskTool(name));
      } catch (error) {
        if (!(error instanceof WaymarkError)) throw error;
        parts.onError?.(error);
        const why =
          error.code === "unknown_list"
            ? UNKNOWN_LIST
            : modelText`The call failed: ${quote(redactedMessage(error), 600)}`;
        return failedResult(modelText`${why} Nothing was changed.`);
      }
    }),
  );
}

export interface ToolInput {
  readonly list: unknown;
  readonly input: Readonly<Record<string, unknown>>;
}

async function planCall(
  { server, parts, resolveList }: Client,
  { list, input }: ToolInput,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const target = await resolveList(list, context);
  const { session, agent } = target;
  const caller = callerOf(server, context);
  const agentList = (await parts.lists.writing()).list(
    { session, agent },
    originOf(parts, target, caller),
  );
  const answer = answerTo(server, context, PLAN_KEY);
  if (answer) return decideByAnswer(agentList, answer);
  const key = callKey(caller, PLAN_TOOL.name, input);
  const { result, proposed } = await runPlanTool(agentList, input, key);
  return proposed && canAsk(server, context) ? askForDecision(proposed) : result;
}

export function originOf({ cwd }: ServerParts, session: Session, caller: Caller): Origin {
  const { parentAgent, agentType = caller.agentType } = session;
  return {
    ...(cwd !== undefined && { cwd }),
    ...(agentType !== undefined && { agentType }),
    ...(parentAgent !== undefined && { parentAgent }),
  };
}

const NOT_REMOVED = modelText`The user did not agree to remove these todos. Nothing was changed. Keep them, or ask the user which ones are no longer needed.`;

async function listCall(
  { server, parts, resolveList }: Client,
  tool: Tool,
  { list, input }: ToolInput,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const session = await resolveList(list, context);
  const caller = callerOf(server, context);
  const origin = originOf(parts, session, caller);
  const whole = accessTo(parts.lists, session, origin, parts.policy);
  const answer = answerTo(server, context, MANY_KEY);
  if (answer && !(answer.action === "accept" && answer.content.remove === true))
    return failedResult(NOT_REMOVED);
  const guarded = canAsk(server, context) ? holdLargeRemovals(whole, answer?.state) : undefined;
  const key = callKey(caller, tool.name, input);
  const result = await runTool(tool, input, guarded?.access ?? whole, {
    key,
    offIn: await readOnlySituation(parts, session),
  });
  const held = guarded?.held() ?? [];
  if (held.length > 0) return askToRemove(held);
  const id = isMcpSessionId(session.session) ? session.session : undefined;
  // One reminder at a time: the write itself may have one.
  const mayRemind = result.ok && !result.reminder;
  return callResult(tool, result, {
    list: { id, inText: parts.stateless ?? false },
    reminder: mayRemind ? await reminderAfter(parts, session, tool, input) : undefined,
  });
}

async function reminderAfter(
  { lists, guidance }: ServerParts,
  { session, agent }: Session,
  tool: Tool,
  input: unknown,
): Promise<ModelText | undefined> {
  const isRead = tool.reads?.(input) ?? false;
  const tracker = await (isRead ? lists.reading() : lists.writing());
  const { reminder } = await tracker.list({ session, agent }).observe([], {
    moment: isRead ? "read" : "write",
    tool: tool.name,
    via: "mcp",
    ...(guidance && { guidance }),
  });
  return reminder?.text;
}

/** Tools that share a name are published once. */
function isFirstOfName({ name }: Tool, index: number, tools: readonly Tool[]): boolean {
  return tools.findIndex((tool) => tool.name === name) === index;
}

/** A definition as `tools/list` returns it. */
export function published(
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
    ...(isFirst && { _meta: ALWAYS_LOADED }),
  };
}

interface Shape {
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Some agents ask the user before a call that may destroy data or reach the network, and refuse it if they cannot ask. */
const HARMLESS = { destructiveHint: false, openWorldHint: false };

/** Some agents hide tools until the model searches for them, and no model searches for a todo list. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true };

/** Accepted by every tool, published only if the model has to send it. */
const LIST = {
  type: "string",
  description: "Id from an earlier answer, to continue its list and claims",
};

/** Not published: the refusal of a bad call says the same, and only when it is needed. */
const UNPUBLISHED = new Set(["additionalProperties", "minItems"]);

function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([field, value]) =>
      UNPUBLISHED.has(field) ? [] : [[field, slim(value)]],
    ),
  );
}
