/**
 * The library: create a tracker, give its tools to a model, show the list.
 *
 * Stores, surfaces, servers and adapters for agent SDKs are separate entries, such as
 * `waymark/stores/sqlite`, `waymark/text`, `waymark/mcp` and `waymark/sdk/ai`.
 *
 * @packageDocumentation
 */
export type { ObservedEvent } from "./core/activity/observation.ts";
export type { Awaitable } from "./core/awaitable.ts";
export { WaymarkError } from "./core/error.ts";
export {
  type Size,
  systemPrompt,
  type TaskToolId,
  type ToolId,
  taskPrompt,
} from "./core/guidance/prompts.ts";
export type {
  Intent,
  ListAccess,
  SyncListAccess,
  WriteRequest,
} from "./core/list/access.ts";
export {
  type MarkdownProblem,
  type ParsedMarkdown,
  parseMarkdown,
  printMarkdown,
} from "./core/list/markdown.ts";
export {
  type ActiveRule,
  DEFAULT_GUIDANCE,
  DEFAULT_POLICY,
  GUIDANCE_PRESETS,
  type GuidancePolicy,
  type GuidancePreset,
  type Policy,
  PRESETS,
  type Preset,
} from "./core/list/policy.ts";
export {
  type AddedTodo,
  type Author,
  type Change,
  type Check,
  type Decision,
  type Draft,
  type Event,
  type Mode,
  type Op,
  type Origin,
  type Outcome,
  type Patch,
  type RefusedWrite,
  type Rejection,
  type RejectionCode,
  type Reminder,
  type ReminderKind,
  type ReminderMoment,
  STATUSES,
  type Status,
  type Todo,
  type TodoFields,
  type TodoTarget,
  type Track,
  type TrackId,
  type UnseenEdit,
} from "./core/model.ts";
export type {
  ApproveOptions,
  CommentOptions,
  DecisionOptions,
  PlanOptions,
} from "./core/plan/api.ts";
export type { Plan, PlanComment } from "./core/plan/plan.ts";
export type { StreamBody, StreamItem, WarningCode } from "./core/stream/events.ts";
export { forHtml, forTerminal } from "./core/text/escape.ts";
export { type ModelText, quote } from "./core/text/model-text.ts";
export type { EvidenceLevel } from "./core/views/evidence.ts";
export type { Remark, Transition } from "./core/views/history.ts";
export {
  currentOf,
  type Group,
  type Progress,
  progressOf,
  type Row,
  type View,
  viewOf,
} from "./core/views/view.ts";
export { type AgentTracker, type AnswerOf, createTracker } from "./create-tracker.ts";
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from "./stores/memory.ts";
export type { RecordedEvent, Store, TrackFilter } from "./stores/store.ts";
export type {
  ClaimRef as Held,
  ForcedFinish,
  GroupStats,
  Json,
  Metadata,
  PassedCheck,
  Priority,
  QueueChange,
  QueueCounts,
  QueuePause,
  QueueState,
  Spread,
  Task,
  TaskAnswer,
  TaskDraft,
  TaskEdit,
  TaskEvent,
  TaskEventType,
  TaskFields,
  TaskOp,
  TaskProof,
  TaskRefusal,
  TaskRefusalCode,
  TaskSender,
  TaskStats,
  TaskStatus,
} from "./tasks/model.ts";
export type { ProveTask, TaskProving } from "./tasks/prove.ts";
export type { TaskCounts, TaskEventFilter, TaskFilter, TaskStore } from "./tasks/store.ts";
export type { CallOptions, ToolResult } from "./tools/run.ts";
export { CLAUDE_TASKS } from "./tools/tasks/index.ts";
export type { TaskToolResult } from "./tools/tasks/task-tool.ts";
export {
  type ReadyTaskTool,
  type ReadyTaskTools,
  type TaskToolboxOptions,
  taskTools,
} from "./tools/tasks/toolbox.ts";
export type { ToolDefinition } from "./tools/tool.ts";
export {
  type AnswerOn,
  type AnyReadyTool,
  type GateOptions,
  type OfferedOptions,
  type ReadyTool,
  type ReadyTools,
  type ToolAnswer,
  type ToolboxOptions,
  type ToolCall,
  todoTools,
} from "./tools/toolbox.ts";
export type {
  ContextOptions,
  List,
  ObserveOptions,
  ObserveResult,
  PlanAccess,
  Result,
  SubmitOptions,
  SyncStore,
  Tracker,
  TrackerOptions,
} from "./tracker.ts";
