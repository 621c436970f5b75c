import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { TaskToolId } from "../../../core/guidance/prompts.ts";
import { modelText } from "../../../core/text/model-text.ts";
import { isMcpSessionId, type Session } from "../../../sessions/caller/session.ts";
import type { ProveTask } from "../../../tasks/prove.ts";
import { TASK_TOOLS } from "../../../tools/tasks/index.ts";
import { gatedTask, runTaskTool } from "../../../tools/tasks/run.ts";
import type { TaskTool } from "../../../tools/tasks/task-tool.ts";
import { listOf, readOnlySituation } from "../lists.ts";
import { callerOf, callKey } from "../request.ts";
import { failedResult, taskResult } from "../result.ts";
import { type Client, isOmitted, type ServerParts } from "../server.ts";
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
  const result = off
    ? gatedTask(off)
    : await runTaskTool(tool, input, {
        agent,
        key,
        prove: proverFor(parts, session, context),
      });
  const id = isMcpSessionId(session.session) ? session.session : undefined;
  const inText = parts.stateless ?? false;
  return taskResult(result, { id, inText, isNew: inText && isOmitted(list) });
}

/** Less than the 60 s after which some clients give up on a call. Progress keeps the others waiting. */
const LIMIT = 50_000;
const LIMIT_WITH_PROGRESS = 30 * 60_000;
/** Milliseconds between two notifications. */
const PROGRESS_EVERY = 500;

/** Runs the check of a task for a call, with progress if the client asked for it. */
function proverFor(
  { prove, lists, cwd }: ServerParts,
  session: Session,
  { mcpReq }: ServerContext,
): ProveTask | undefined {
  if (!prove) return undefined;
  const progressToken = mcpReq._meta?.progressToken;
  const limit = progressToken === undefined ? LIMIT : LIMIT_WITH_PROGRESS;
  let progress = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  return async (task) => {
    const time = AbortSignal.timeout(limit);
    const directory = cwd ?? (await (await listOf(lists, session)).read()).cwd;
    const proving = await prove(task, {
      ...(directory !== undefined && { cwd: directory }),
      signal: AbortSignal.any([mcpReq.signal, time]),
      onProgress(message) {
        if (progressToken === undefined || performance.now() - sentAt < PROGRESS_EVERY) return;
        sentAt = performance.now();
        const params = { progressToken, progress: ++progress, message };
        mcpReq.notify({ method: "notifications/progress", params }).catch(() => {
          // The client has disconnected; the check ends with its call.
        });
      },
    });
    if (proving.ok || !time.aborted) return proving;
    const seconds = Math.round(limit / 1_000);
    const reason = `The check did not end within ${seconds} s. Run \`waymark verify --task ${task.id}\` in a shell, then finish the task.`;
    return { ...proving, reason };
  };
}
