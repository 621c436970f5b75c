import {
  type CallOptions,
  createTracker,
  type List,
  type Op,
  PRESETS,
  type SyncStore,
  type ToolId,
  type ToolResult,
} from "../../src/index.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";
import type { Tool } from "../../src/tools/tool.ts";

export type MemoryList = List<SyncStore>;

export const ID = { session: "s", agent: "main" };

/** An empty list in memory. Its clock moves on by a second with every write. */
export function newList(): MemoryList {
  let now = 0;
  let key = 0;
  const clock = () => {
    now += 1_000;
    return now;
  };
  const newKey = () => {
    key += 1;
    return `k${key}`;
  };
  return createTracker({ clock, newKey }).list(ID);
}

export function toolOf(id: ToolId): Tool {
  const tool = TOOLS.find((known) => known.id === id);
  if (!tool) throw new Error(`There is no tool ${id}.`);
  return tool;
}

export function call(
  list: MemoryList,
  id: ToolId,
  input: unknown,
  options?: CallOptions,
): ToolResult {
  const result = runTool(toolOf(id), input, list, options);
  if (result instanceof Promise) throw new Error("A list in memory answers at once.");
  return result;
}

/** One call of the op tool. */
export function ops(list: MemoryList, ...entries: readonly unknown[]): ToolResult {
  return call(list, "todo_write.ops", { ops: entries });
}

/** Applies an edit by the user. */
export function edit(list: MemoryList, ...done: readonly Op[]): void {
  const { ok, rejected } = list.submit(done, { by: "user", via: "test" });
  if (!ok) throw new Error(JSON.stringify(rejected));
}

/** Any list at all, however unlikely. */
export function prepare(list: MemoryList, ...done: readonly Op[]): MemoryList {
  const { ok, rejected } = list.submit(done, { policy: PRESETS.external });
  if (!ok) throw new Error(JSON.stringify(rejected));
  return list;
}

const MARKS = { pending: " ", in_progress: ">", completed: "x", cancelled: "-", blocked: "!" };

/** The list in short: id, mark, text. */
export function shown(list: MemoryList): readonly string[] {
  return list.get().map(({ id, status, text }) => `${id} [${MARKS[status]}] ${text}`);
}

export function lines(...all: readonly string[]): string {
  return all.join("\n");
}
