import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { TaskToolId } from "../../../core/guidance/prompts.ts";
import { modelText } from "../../../core/text/model-text.ts";
import { isMcpSessionId } from "../../../sessions/caller/session.ts";
import { TASK_TOOLS } from "../../../tools/tasks/index.ts";
import { gatedTask, runTaskTool } from "../../../tools/tasks/run.ts";
import type { TaskTool } from "../../../tools/tasks/task-tool.ts";
import { readOnlySituation } from "../read-only.ts";
import { callerOf, callKey } from "../request.ts";
import { failedResult, taskResult } from "../result.ts";
import type { Client } from "../server.ts";
import type { ToolInput } from "../tools.ts";

export function selectTaskTools(ids: readonly TaskToolId[]): readonly TaskTool[] {
  return TASK_TOOLS.filter(({ id }) => ids.includes(id));
}

/** Executes a task call for the agent that it comes from. */
export async function taskCall(
  { server, parts, resolveList }: Client,
  tool: TaskTool,
  { list, input }: ToolInput,
  context: ServerContext,
): Promise<CallToolResult> {
  const session = await resolveList(list, context);
  const agent = parts.taskAgents?.(session);
  if (!agent) return failedResult(modelText`This server has no tasks.`);
  // Keys are unique per store, and two agents may number their calls alike.
  const key = callKey(callerOf(server, context), `${tool.id} of ${agent.owner}`, input);
  const off = await readOnlySituation(parts, session);
  const result = off ? gatedTask(off) : await runTaskTool(tool, input, { agent, key });
  const id = isMcpSessionId(session.session) ? session.session : undefined;
  return taskResult(result, { id, inText: parts.stateless ?? false });
}
