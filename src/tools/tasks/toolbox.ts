import { argumentError, hasMethods } from "../../core/argument.ts";
import type { TaskToolId } from "../../core/guidance/prompts.ts";
import type { ProveTask } from "../../tasks/prove.ts";
import type { TaskStore } from "../../tasks/store.ts";
import {
  chosenTools,
  type GateOptions,
  isOffered,
  type OfferedOptions,
  type ReadyTool,
} from "../toolbox.ts";
import { TASK_TOOLS } from "./index.ts";
import { gatedTask, runTaskTool } from "./run.ts";
import { type TaskAgent, type TaskToolResult, taskDefinitionOf } from "./task-tool.ts";

/** Options of the tools on a team's tasks. */
export interface TaskToolboxOptions extends GateOptions {
  /** Which tools, in this order (default: `["tasks"]`). */
  readonly tools?: readonly TaskToolId[];
  /** The name of the agent as owner of its claims (default: `agent`). Agents that share a store need different names. */
  readonly owner?: string;
  /** Lease duration of its claims in milliseconds (default: 5 minutes). */
  readonly lease?: number;
  /** Runs the check of a task that has one, when the agent finishes it (default: such tasks cannot be finished). */
  readonly prove?: ProveTask;
}

/** A tool on the team's tasks, ready for a model. */
export type ReadyTaskTool<Id extends TaskToolId = TaskToolId> = ReadyTool<
  TaskToolResult,
  Id,
  Promise<TaskToolResult>
>;

/** The task tools with these ids, in their order. */
export type ReadyTaskTools<T extends readonly TaskToolId[]> = {
  readonly [K in keyof T]: ReadyTaskTool<T[K]>;
};

/**
 * The tools on a team's tasks, for one agent. Create them once for each agent: they remember its
 * claims and their epochs.
 *
 * @param store where the tasks are: `memoryTaskStore()`, `await sqliteTaskStore(file)`, …
 * @param options which tools, and the agent's name as owner
 * @returns the tools in the order of `options.tools`; none where they are switched off
 * @throws TypeError for unknown tool names
 * @example
 * ```ts
 * import { taskTools } from "waymark";
 * import { memoryTaskStore } from "waymark/tasks/memory";
 *
 * const [tasks] = taskTools(memoryTaskStore(), { owner: "ann" });
 * const { text } = await tasks.execute({ add: [{ subject: "Run the tests" }] });
 * ```
 */
export function taskTools<const T extends readonly TaskToolId[] = readonly ["tasks"]>(
  store: TaskStore,
  options?: OfferedOptions<TaskToolboxOptions, T>,
): ReadyTaskTools<T>;
export function taskTools(store: TaskStore, options?: TaskToolboxOptions): readonly ReadyTaskTool[];
export function taskTools(
  store: TaskStore,
  options: TaskToolboxOptions = {},
): readonly ReadyTaskTool[] {
  const { tools = ["tasks"], owner = "agent", lease, size, prove, offIn = [] } = options;
  if (!hasMethods(store, ["apply", "get"]))
    throw argumentError(
      "taskTools(store)",
      "a task store",
      store,
      "Call taskTools(memoryTaskStore()), or await sqliteTaskStore(file) first.",
    );
  if (!isOffered(options)) return [];
  const chosen = chosenTools(tools, TASK_TOOLS);
  const agent: TaskAgent = { owner, lease, claims: new Map(), store: () => store };
  return chosen.map((tool) => ({
    id: tool.id,
    ...taskDefinitionOf(tool, size),
    execute: async (input, { context, key, planMode } = {}) => {
      if (context !== undefined && offIn.includes(context)) {
        return gatedTask(context);
      }
      // A call is activity, which renews the leases of the agent.
      for (const owner of ownersOf(agent)) await store.renewByObservation(owner);
      return runTaskTool(tool, input, {
        agent,
        key: keyFor(agent, tool.id, key),
        planMode,
        prove,
      });
    },
  }));
}

/** The owner names that the agent claims tasks under. */
function ownersOf({ owner, claims }: TaskAgent): ReadonlySet<string> {
  return new Set([owner, ...[...claims.values()].map((claim) => claim.owner)]);
}

/** Keys are unique per store, and two agents may number their calls alike. */
function keyFor({ owner }: TaskAgent, tool: string, key: string | undefined): string | undefined {
  return key === undefined ? undefined : `${owner}/${tool}/${key}`;
}
