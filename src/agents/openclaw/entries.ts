import type { Emit } from "../agent.ts";
import { recall } from "../common/memory.ts";
import { readPi } from "../common/pi-entries.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { listsOf } from "./lists.ts";
import type { SessionState } from "./state.ts";

/** The tool that calls a tool which the model found by searching. */
const WRAPPER = "tool_call";
const NESTED = /^openclaw\.nested-tool\b/;

/** Reads an entry of a session. */
export function readEntry(state: SessionState, entry: Fields, emit: Emit): void {
  const lists = listsOf(state);
  for (const each of unwrapped(state, entry)) readPi(state, each, lists, emit);
}

/** Replaces calls through the wrapper by the calls inside it. */
function unwrapped(state: SessionState, entry: Fields): readonly Fields[] {
  const message = fields(entry.message);
  switch (message?.role) {
    case "assistant": {
      const content = list(message.content)?.map(innerCall);
      return content ? [{ ...entry, message: { ...message, content } }] : [entry];
    }
    case "toolResult":
      return message.toolName === WRAPPER ? wrapperResult(state, entry, message) : [entry];
    case "custom":
      return NESTED.test(text(message.customType) ?? "")
        ? nestedCall(state, entry, fields(message.details) ?? {})
        : [];
    default:
      return [entry];
  }
}

function innerCall(block: unknown): unknown {
  const call = fields(block);
  if (call?.type !== "toolCall" || call.name !== WRAPPER) return block;
  const input = fields(call.arguments);
  const name = text(input?.id);
  return name === undefined ? block : { ...call, name: bareId(name), arguments: input?.args };
}

/** Ids may name the source of the tool: `openclaw:core:progress_card`. */
function bareId(id: string): string {
  return id.slice(id.lastIndexOf(":") + 1);
}

/** Nothing is left to report if the inner call has ended. */
function wrapperResult(state: SessionState, entry: Fields, message: Fields): readonly Fields[] {
  const call = recall(state.calls, text(message.toolCallId) ?? "");
  if (!call) return [];
  const inner = fields(fields(message.details)?.result);
  const { content, details } = inner ?? message;
  return [{ ...entry, message: { ...message, toolName: call.name, content, details } }];
}

/** The record of a call inside the wrapper. One call of a script may contain several. */
function nestedCall(state: SessionState, entry: Fields, nested: Fields): readonly Fields[] {
  const toolName = bareId(text(nested.toolName) ?? "");
  const parent = text(nested.parentToolCallId) ?? "";
  const isOnly = recall(state.calls, parent)?.name === toolName;
  const toolCallId = isOnly ? parent : text(nested.toolCallId);
  if (toolName === "" || toolCallId === undefined) return [];
  const { content, details } = fields(nested.result) ?? {};
  const { timestamp } = entry;
  const result = { role: "toolResult", toolCallId, toolName, content, details };
  const ended = { type: "message", timestamp, message: { ...result, isError: nested.isError } };
  const started = { type: "tool_execution_start", timestamp, toolCallId, toolName };
  return isOnly ? [ended] : [{ ...started, args: nested.input }, ended];
}
