import type { StreamItem } from "../../core/stream/events.ts";
import type { DatabaseFormat, Emit, EventContext } from "../agent.ts";
import { hashOf, recall, remember, shorten } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import { type Fields, fields, list, outputText, text } from "../common/values.ts";
import { foldWaymarkCall, isPatch, MAX_WAYMARK_ITEMS } from "../common/waymark-tool.ts";
import { checklist, type Markers } from "../table/checklist.ts";
import type { Result } from "./hook-list.ts";
import { itemsOf } from "./items.ts";
import { outcomeOf, type Rows, rowsAfter } from "./rows.ts";
import { type CopilotState, listContext, listIdOf } from "./state.ts";
import { concernsList } from "./statements.ts";

/** The tool that runs SQL on the database of the session. */
const SQL_TOOL = "sql";
/** Version 1.0.2 had a tool that wrote the list as a Markdown checklist. */
const CHECKLIST_TOOL = "update_todo";

/** Strings of the lines with list calls. */
export const LIST_NEEDLES = [`"${SQL_TOOL}"`, `"${CHECKLIST_TOOL}"`] as const;

const MARKERS: Markers = {
  " ": "pending",
  x: "completed",
  X: "completed",
  "-": "in_progress",
  "~": "in_progress",
};

export const database: DatabaseFormat<CopilotState> = {
  queries: {
    todos: "SELECT id, title, description, status FROM todos ORDER BY created_at, rowid",
    deps: "SELECT todo_id, depends_on FROM todo_deps ORDER BY rowid",
  },
  // The model may drop it.
  optional: ["deps"],
  records: ({ todos = [], deps = [] }) => [{ copilot: "rows", todos, deps }],
};

/** Whether a call is about the list. Other queries are ordinary calls. */
export function isListCall(name: string, input: unknown): boolean {
  return name === CHECKLIST_TOOL || (name === SQL_TOOL && concernsList(queryOf(input)));
}

function queryOf(input: unknown): string {
  return text(fields(input)?.query) ?? "";
}

/** Emits what a list call did. */
export function readListCall(
  state: CopilotState,
  name: string,
  input: unknown,
  result: Result,
  given: EventContext,
  emit: Emit,
): void {
  const context = listContext(given);
  if (result.failed) emitRejected(result.output, context, emit);
  if (name === SQL_TOOL) readQuery(state, queryOf(input), result, context, emit);
  else if (!result.failed) readChecklist(state, fields(input)?.todos, context, emit);
}

function readQuery(
  state: CopilotState,
  query: string,
  { failed, output }: Result,
  context: EventContext,
  emit: Emit,
): void {
  const before = state.rows;
  const after = rowsAfter(before, query, outcomeOf(output, failed));
  if (after) state.rows = after;
  else delete state.rows;
  if (after && after !== before) emitRows(state, after, context, stepwise(emit));
  else if (!after && !isOnlyRead(query)) emitUnknown(context, emit);
}

/** A query that reads leaves an unknown list as unknown as it was. */
function isOnlyRead(query: string): boolean {
  return /^\s*(?:select|explain|pragma)\b[^;]*(?:;\s*)?$/i.test(query);
}

function emitRows(state: CopilotState, rows: Rows, context: EventContext, emit: Emit): void {
  emitList(state, itemsOf(rows.todos, rows.deps, warnTo(context, emit)), context, emit);
}

/** Emits the list of a database. */
export function readRows(state: CopilotState, record: Fields, emit: Emit): void {
  const rowsIn = (given: unknown) =>
    (list(given) ?? []).flatMap((row): Fields[] => {
      const found = fields(row);
      return found ? [found] : [];
    });
  const todos = rowsIn(record.todos);
  const deps = rowsIn(record.deps);
  const context: EventContext = { agentId: "main", key: `rows-${hashOf([todos, deps])}` };
  emitList(state, itemsOf(todos, deps, warnTo(context, emit)), context, emit);
}

function readChecklist(
  state: CopilotState,
  given: unknown,
  context: EventContext,
  emit: Emit,
): void {
  if (typeof given !== "string") return;
  const found = checklist(given, MARKERS, warnTo(context, emit));
  if (found.length === 0 && given.trim() !== "") emitUnknown(context, emit);
  else emitList(state, found, context, emit);
}

/** Emits the list after a call of Waymark's list tool over MCP. Every agent has its own. */
export function readWaymarkCall(
  state: CopilotState,
  input: unknown,
  { failed, output }: Result,
  context: EventContext,
  emit: Emit,
): void {
  if (failed) {
    emitRejected(output, context, emit);
    return;
  }
  const agent = context.agentId ?? "main";
  const known = recall(state.waymarkLists, agent) ?? [];
  const after = foldWaymarkCall(known, input, output, warnTo(context, emit));
  if (!after) {
    emitUnknown(context, emit);
    return;
  }
  remember(state.waymarkLists, agent, after.slice(0, MAX_WAYMARK_ITEMS));
  emitList(state, after, context, isPatch(input) ? stepwise(emit) : emit, agent);
}

function emitList(
  state: CopilotState,
  found: readonly StreamItem[],
  context: EventContext,
  emit: Emit,
  agent?: string,
): void {
  emit({ type: "todo_list", todoId: listIdOf(state, agent), items: found }, context);
}

function emitUnknown(context: EventContext, emit: Emit): void {
  const message = "the list was changed, but the record does not contain it";
  emit({ type: "warning", code: "list_unknown", message }, context);
}

function emitRejected(output: string, context: EventContext, emit: Emit): void {
  const message = shorten(outputText(output) || "the write failed", 200);
  emit({ type: "warning", code: "list_rejected", message }, context);
}

function warnTo(context: EventContext, emit: Emit): Emit {
  return (body) => emit(body, { ...context, key: undefined });
}
