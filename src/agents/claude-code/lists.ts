import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { type Fields, fields, list, outputText, parsed } from "../common/values.ts";
import { aboutOf, agentOf, type ClaudeState, type Line } from "./state.ts";

const MAX_MESSAGE = 200;

/** A write that was accepted. */
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
    aboutOf(line, key),
  );
}

/**
 * A list that was shown, not written: it is news only if it differs from what is known. The program
 * empties a list once all of it is completed, which takes nothing back.
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
  emit({ type: "warning", code: "list_rejected", message: reasonOf(reason) }, aboutOf(line, key));
}

/** A write that was accepted, of which the record does not say enough. */
export function emitUnknown(line: Line, key: string, emit: Emit): void {
  emit(
    {
      type: "warning",
      code: "list_unknown",
      message: "the list was written, but the record does not say what stands in it",
    },
    aboutOf(line, key),
  );
}

/** A stream that begins in the middle of a session. */
export function emitMissed(line: Line, task: string, emit: Emit): void {
  emit(
    {
      type: "warning",
      code: "list_unknown",
      message: "the session has earlier tasks that are not in this stream",
    },
    aboutOf(line, `earlier-${task}`),
  );
}

/** The agent's own words, without the marks that are meant for the model. */
export function reasonOf(content: unknown): string {
  const said = (outputText(content) ?? "")
    .replace(/<\/?tool_use_error>/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return said === "" ? "refused without a reason" : shorten(said, MAX_MESSAGE);
}

/** What a tool returned as data; a server's tool hides it in an envelope or in the text. */
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
