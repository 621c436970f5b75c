import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { TaskToolId } from "../../../core/guidance/prompts.ts";
import { modelText } from "../../../core/text/model-text.ts";
import { isMinted } from "../../../sessions/caller/session.ts";
import { TASK_TOOLS } from "../../../tools/tasks/index.ts";
import { gatedTask, runTaskTool } from "../../../tools/tasks/run.ts";
import type { TaskTool } from "../../../tools/tasks/task-tool.ts";
import { offNow } from "../off-in.ts";
import { askerOf, callKey } from "../request.ts";
import { failedResult, taskResult } from "../result.ts";
import type { Client } from "../server.ts";
import type { Called } from "../tools.ts";

export function selectTaskTools(ids: readonly TaskToolId[]): readonly TaskTool[] {
  return TASK_TOOLS.filter(({ id }) => ids.includes(id));
}

/** One call on the team's tasks, by the agent that it comes from. */
export async function taskCall(
  { server, parts, meant }: Client,
  tool: TaskTool,
  { list, input }: Called,
  context: ServerContext,
): Promise<CallToolResult> {
  const session = await meant(list, context);
  const desk = parts.desks?.(session);
  if (!desk) return failedResult(modelText`There are no tasks here.`);
  // The keys of tasks are those of all agents, which may count their calls alike.
  const key = callKey(askerOf(server, context), `${tool.id} of ${desk.owner}`, input);
  const off = await offNow(parts, session);
  const result = off ? gatedTask(off) : await runTaskTool(tool, input, { desk, key });
  const id = isMinted(session.session) ? session.session : undefined;
  return taskResult(result, { id, told: parts.stateless ?? false });
}
