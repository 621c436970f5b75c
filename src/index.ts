import { argumentError, hasMethods } from "./core/argument.ts";
import { borrowStore } from "./stores/borrow.ts";
import { memoryStore } from "./stores/memory.ts";
import type { Store } from "./stores/store.ts";
import { type ReadyTool, type ToolboxOptions, todoTools } from "./tools/toolbox.ts";
import { type SyncStore, type Tracker, type TrackerOptions, trackerOn } from "./tracker.ts";

export type { Observation, Observed } from "./core/activity/observation.ts";
export type { Awaitable } from "./core/awaitable.ts";
export { WaymarkError } from "./core/error.ts";
export { emptyTrack, evolve, foldEvents } from "./core/evolve.ts";
export {
  describeTool,
  footer,
  type Size,
  systemPrompt,
  type TaskToolId,
  type ToolId,
  taskPrompt,
} from "./core/guidance/prompts.ts";
export { type ReminderWords, reminderFor } from "./core/guidance/rules.ts";
export { decide } from "./core/list/decide.ts";
export type { Door, Intent, WriteRequest } from "./core/list/intent.ts";
export { type Parsed, type Problem, parseMarkdown, printMarkdown } from "./core/list/markdown.ts";
export { match, similarity } from "./core/list/match.ts";
export {
  DEFAULT_GUIDANCE,
  DEFAULT_POLICY,
  GUIDANCE_PRESETS,
  type GuidancePolicy,
  type GuidancePreset,
  guidanceFor,
  guidanceFromEnv,
  type Policy,
  PRESETS,
  policyFor,
} from "./core/list/policy.ts";
export * from "./core/model.ts";
export type {
  ApproveOptions,
  CommentOptions,
  DecisionOptions,
  PlanOptions,
} from "./core/plan/api.ts";
export { planMark } from "./core/plan/decide.ts";
export type { Plan, PlanComment } from "./core/plan/plan.ts";
export { type PlanStep, stepsOf } from "./core/plan/steps.ts";
export type { StreamBody, StreamItem } from "./core/stream/events.ts";
export { forHtml, forTerminal } from "./core/text/escape.ts";
export { checkId } from "./core/text/ids.ts";
export { type ModelText, quote } from "./core/text/model-text.ts";
export { readStatus } from "./core/text/status.ts";
export { type Remark, remarksOf, type Transition, transitionsOf } from "./core/views/history.ts";
export * from "./core/views/view.ts";
export { memoryStore } from "./stores/memory.ts";
export type { Recorded, Store, TrackFilter } from "./stores/store.ts";
export type { Task, TaskDraft, TaskOp, TaskRefusal } from "./tasks/model.ts";
export type { TaskStore } from "./tasks/store.ts";
export { findTool, TOOLS } from "./tools/index.ts";
export { type CallOptions, runTool, type ToolResult } from "./tools/run.ts";
export { CLAUDE_TASKS } from "./tools/tasks/index.ts";
export type { TaskToolResult } from "./tools/tasks/task-tool.ts";
export { type ReadyTaskTool, type TaskToolboxOptions, taskTools } from "./tools/tasks/toolbox.ts";
export { definitionOf, type Tool, type ToolDefinition } from "./tools/tool.ts";
export {
  type AnyReadyTool,
  type GateOptions,
  type ReadyTool,
  type ToolAnswer,
  type ToolboxOptions,
  type ToolCall,
  todoTools,
} from "./tools/toolbox.ts";
export type {
  ContextOptions,
  List,
  Observance,
  ObserveOptions,
  PlanDoor,
  Result,
  SubmitOptions,
  SyncStore,
  Tracker,
  TrackerOptions,
} from "./tracker.ts";

/** A tracker for people who write their own loop: with the tools that a model is handed. */
export interface AgentTracker<S extends Store = Store> extends Tracker<S> {
  /** The tools on the list of the agent that the tracker was made for. */
  tools(options?: ToolboxOptions): readonly ReadyTool[];
}

/** A tracker on the given store; without one, in memory and answering at once. */
export function createTracker(options?: TrackerOptions): AgentTracker<SyncStore>;
export function createTracker<S extends Store>(
  options: TrackerOptions & { readonly store: S },
): AgentTracker<S>;
export function createTracker({
  store,
  ...options
}: TrackerOptions & { readonly store?: Store } = {}): AgentTracker {
  if (store !== undefined) checkStore(store);
  // The tool that was handed out is the one that reminders name.
  let handedOut: { readonly name: string | undefined } | undefined;
  const tool = options.tool ?? (() => (handedOut ? handedOut.name : "todos"));
  const tracker = trackerOn(store ? borrowStore(store) : memoryStore(), { ...options, tool });
  // Not spread: `own` may throw, and only where it is used.
  return Object.assign(tracker as Tracker, {
    tools: (wanted?: ToolboxOptions) => {
      const tools = todoTools(tracker.own, {
        ...(options.policy && { policy: options.policy }),
        ...wanted,
      });
      handedOut = { name: tools[0]?.name };
      return tools;
    },
  });
}

function checkStore(store: Store): void {
  if (hasMethods(store, ["read", "commit", "events", "tracks", "watch", "close"])) return;
  throw argumentError(
    "createTracker({ store })",
    "a store",
    store,
    'Call createTracker({ store: await sqliteStore("todos.db"), session: "my-session" }).',
  );
}
