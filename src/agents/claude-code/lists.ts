import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { type Fields, fields, list, outputText, parsed } from "../common/values.ts";
import { agentOf, type ClaudeState, contextOf, type Line } from "./state.ts";

const MAX_MESSAGE = 200;

/** Emits the list after an accepted write. */
export function emitList(
  state: ClaudeState,
  line: Line,
  key: string | undefined,
  items: readonly StreamItem[],
  emit: Emit,
): void {
  agentOf(state, line.agent).items = items;
  emit(
    { type: "todo_list", todoId: `${state.session || "unknown"}-${line.agent}`, items },
    contextOf(line, key),
  );
}

/**
 * Emits a list that was shown, not written, if it differs from the known one. Claude Code empties a list once all of it
 * is completed; that is not a change.
 */
export function emitSnapshot(
  state: ClaudeState,
  line: Line,
  key: string | undefined,
  items: readonly StreamItem[],
  emit: Emit,
): void {
  const known = agentOf(state, line.agent).items ?? [];
  if (items.length === 0 && known.every((item) => item.status === "completed")) return;
  if (JSON.stringify(items) !== JSON.stringify(known)) emitList(state, line, key, items, emit);
}

export function emitRejected(line: Line, key: string, reason: unknown, emit: Emit): void {
  emit({ type: "warning", code: "list_rejected", message: reasonOf(reason) }, contextOf(line, key));
}

/** Warns about an accepted write whose content is not in the record. */
export function emitUnknown(line: Line, key: string, emit: Emit): void {
  emit(
    {
      type: "warning",
      code: "list_unknown",
      message: "the list was written, but the record does not contain it",
    },
    contextOf(line, key),
  );
}

/** Warns about a stream that starts in the middle of a session. */
export function emitMissed(line: Line, task: string, emit: Emit): void {
  emit(
    {
      type: "warning",
      code: "list_unknown",
      message: "the session has earlier tasks that are not in this stream",
    },
    contextOf(line, `earlier-${task}`),
  );
}

/** The agent's error message, without the tags for the model. */
export function reasonOf(content: unknown): string {
  const message = (outputText(content) ?? "")
    .replace(/<\/?tool_use_error>/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return message === "" ? "refused without a reason" : shorten(message, MAX_MESSAGE);
}

/** The structured result of a tool. MCP tools have it in an envelope or as JSON in the text. */
export function dataOf(line: Line, content: unknown): Fields | undefined {
  const given = fields(line.result);
  return (
    fields(given?.structuredContent) ??
    given ??
    textData(line.result) ??
    (line.result === undefined ? textData(wholeText(content)) : undefined)
  );
}

function wholeText(content: unknown): unknown {
  return list(content)?.map((part) => fields(part)?.text)[0] ?? content;
}

function textData(value: unknown): Fields | undefined {
  return typeof value === "string" && value.startsWith("{") ? fields(parsed(value)) : undefined;
}
