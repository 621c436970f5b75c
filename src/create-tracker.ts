import { argumentError, hasMethods } from "./core/argument.ts";
import type { Awaitable } from "./core/awaitable.ts";
import type { ToolId } from "./core/guidance/prompts.ts";
import { borrowStore } from "./stores/borrow.ts";
import { memoryStore } from "./stores/memory.ts";
import type { Store } from "./stores/store.ts";
import type { ToolResult } from "./tools/run.ts";
import {
  type OfferedOptions,
  type ReadyTool,
  type ReadyTools,
  type ToolboxOptions,
  todoTools,
} from "./tools/toolbox.ts";
import { type SyncStore, type Tracker, type TrackerOptions, trackerOn } from "./tracker.ts";

/** The return type of a tool: a value on a store in memory, otherwise a value or a promise. */
export type AnswerOf<S extends Store> = S extends SyncStore ? ToolResult : Awaitable<ToolResult>;

/** A tracker with tools for the model, for your own agent loop. */
export interface AgentTracker<S extends Store = Store> extends Tracker<S> {
  /**
   * The tools on the tracker's own list.
   *
   * @param options which tools, and when they are off (default: `todos`)
   * @returns the tools in the order of `options.tools`; none if they are switched off
   */
  tools<const T extends readonly ToolId[] = readonly ["todos"]>(
    options?: OfferedOptions<ToolboxOptions, T>,
  ): ReadyTools<T, AnswerOf<S>>;
  tools(options?: ToolboxOptions): readonly ReadyTool<ToolResult, ToolId, AnswerOf<S>>[];
}

/**
 * Creates a tracker: the object that reads and writes todo lists.
 *
 * Without a store, lists are in memory and methods return their results directly. With SQLite, PostgreSQL
 * or snapshot files, they return promises.
 *
 * @param options the store, the session of the tracker's own list, and its limits and reminders
 * @returns the tracker; close it when you no longer need it
 * @throws TypeError if `store` is not a store, for example a promise of one
 * @example
 * ```ts
 * import { createTracker } from "waymark";
 *
 * const tracker = createTracker();
 * tracker.own.set([{ text: "Run the tests", status: "in_progress" }]);
 * tracker.own.progress(); // { completed: 0, total: 1, percent: 0, verified: 0 }
 * ```
 * @example Durable, shared by any number of processes
 * ```ts
 * import { createTracker } from "waymark";
 * import { sqliteStore } from "waymark/stores/sqlite";
 *
 * const store = await sqliteStore("todos.db");
 * const tracker = createTracker({ store, session: "my-session" });
 * await tracker.own.set([{ text: "Run the tests" }]);
 * await store.close();
 * ```
 */
export function createTracker(options?: TrackerOptions): AgentTracker<SyncStore>;
export function createTracker<S extends Store>(
  options: TrackerOptions & { readonly store: S },
): AgentTracker<S>;
export function createTracker({
  store,
  ...options
}: TrackerOptions & { readonly store?: Store } = {}): AgentTracker {
  if (store !== undefined) checkStore(store);
  // Reminders name the tool that the model has.
  let handedOut: { readonly name: string | undefined } | undefined;
  const tool = options.tool ?? (() => (handedOut ? handedOut.name : "todos"));
  const tracker = trackerOn(store ? borrowStore(store) : memoryStore(), { ...options, tool });
  // Not spread: that would read `own`, which may throw.
  return Object.assign(tracker as Tracker, {
    tools: (toolOptions?: ToolboxOptions) => {
      const tools = todoTools(tracker.own, {
        ...(options.policy && { policy: options.policy }),
        ...toolOptions,
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
