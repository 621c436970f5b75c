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

/** What a tool of a tracker on this store returns. */
export type AnswerOf<S extends Store> = S extends SyncStore ? ToolResult : Awaitable<ToolResult>;

/** A tracker for your own agent loop, with the tools for the model. */
export interface AgentTracker<S extends Store = Store> extends Tracker<S> {
  /**
   * The tools on the tracker's own list.
   *
   * @param options which tools, and when they are off
   * @returns the tools in the order of `options.tools`; none where they are switched off
   */
  tools<const T extends readonly ToolId[] = readonly ["todos"]>(
    options?: OfferedOptions<ToolboxOptions, T>,
  ): ReadyTools<T, AnswerOf<S>>;
  tools(options?: ToolboxOptions): readonly ReadyTool<ToolResult, ToolId, AnswerOf<S>>[];
}

/**
 * Creates a tracker: the object that reads and writes todo lists.
 *
 * Without a store, lists are in memory and every method returns its result at once. With a store,
 * methods return what the store returns: promises for SQLite, PostgreSQL and snapshots.
 *
 * @param options the store, the session of the tracker's own list, and its limits and reminders
 * @returns the tracker; close it when you no longer need it
 * @throws TypeError for a store that is not one, such as a promise of a store
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
