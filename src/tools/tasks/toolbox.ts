import { argumentError, hasMethods } from "../../core/argument.ts";
import type { TaskToolId } from "../../core/guidance/prompts.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { checkToolNames, type GateOptions, isOffered, type ReadyTool } from "../toolbox.ts";
import { TASK_TOOLS } from "./index.ts";
import { gatedTask, runTaskTool } from "./run.ts";
import { type TaskDesk, type TaskToolResult, taskDefinitionOf } from "./task-tool.ts";

export interface TaskToolboxOptions extends GateOptions {
  /** Which tools; the native one by default. */
  readonly tools?: readonly TaskToolId[];
  /** What the agent is called as a holder. Agents that share a store need names of their own. */
  readonly owner?: string;
  /** Milliseconds that its claims last without a sign of life; 5 minutes unless told. */
  readonly lease?: number;
}

export type ReadyTaskTool = ReadyTool<TaskToolResult, TaskToolId>;

/** The tools on the team's tasks for one agent: its claims and their epochs are remembered here. */
export function taskTools(
  store: TaskStore,
  options: TaskToolboxOptions = {},
): readonly ReadyTaskTool[] {
  const { tools = ["tasks"], owner = "agent", lease, size, offIn = [] } = options;
  if (!hasMethods(store, ["apply", "get"]))
    throw argumentError(
      "taskTools(store)",
      "a task store",
      store,
      "Call taskTools(memoryTaskStore()), or await sqliteTaskStore(file) first.",
    );
  checkToolNames(tools, TASK_TOOLS);
  if (!isOffered(options)) return [];
  const desk: TaskDesk = { owner, lease, claims: new Map(), store: () => store };
  return TASK_TOOLS.filter(({ id }) => tools.includes(id)).map((tool) => ({
    id: tool.id,
    ...taskDefinitionOf(tool, size),
    execute: async (input, { context, key, planMode } = {}) => {
      if (context !== undefined && offIn.includes(context)) {
        return gatedTask(context);
      }
      // Who calls is at work: what it holds stays its own.
      for (const holder of holdersAt(desk)) await store.renewByObservation(holder);
      return runTaskTool(tool, input, { desk, key: keyFor(desk, tool.id, key), planMode });
    },
  }));
}

function holdersAt({ owner, claims }: TaskDesk): ReadonlySet<string> {
  return new Set([owner, ...[...claims.values()].map((claim) => claim.owner)]);
}

/** The keys of tasks are those of all agents, which may count their calls alike. */
function keyFor({ owner }: TaskDesk, tool: string, key: string | undefined): string | undefined {
  return key === undefined ? undefined : `${owner}/${tool}/${key}`;
}
