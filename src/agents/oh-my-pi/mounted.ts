import { remember } from "../common/memory.ts";
import type { PiState } from "../common/pi-entries.ts";
import { type Fields, fields, list, parsed, text } from "../common/values.ts";

const DEVICE = /^xd:\/\/([\w.-]+)$/;

/**
 * MCP tools are mounted as devices: the model writes the arguments to `xd://NAME`. Returns the record as if it had called
 * the tool by its name.
 */
export function withMountedCalls(state: PiState, record: unknown): unknown {
  const entry = fields(record);
  if (!entry) return record;
  if (entry.type === "tool_execution_start")
    return { ...entry, ...renamed(entry, "toolName", "args") };
  if (entry.type === "tool_execution_end") return resultOf(state, entry, fields(entry.result));
  const message = fields(entry.message);
  if (message?.role === "assistant" && Array.isArray(message.content)) {
    const content = message.content.map((block: unknown) => {
      const part = fields(block);
      return part?.type === "toolCall" ? { ...part, ...renamed(part, "name", "arguments") } : block;
    });
    return { ...entry, message: { ...message, content } };
  }
  if (message?.role !== "toolResult") return record;
  return { ...entry, message: resultOf(state, message, message) };
}

function renamed(call: Fields, nameField: string, inputField: string): Fields {
  const input = fields(call[inputField]);
  const [, name] = DEVICE.exec(text(input?.path) ?? "") ?? [];
  if (call[nameField] !== "write" || name === undefined) return {};
  return { [nameField]: name, [inputField]: fields(parsed(input?.content)) };
}

/** The result has the arguments that ran; those of the call may have been repaired. */
function resultOf(state: PiState, entry: Fields, result: Fields | undefined): Fields {
  const mounted = fields(fields(result?.details)?.xdev);
  const toolName = text(mounted?.tool);
  const callId = text(entry.toolCallId);
  if (entry.toolName !== "write" || toolName === undefined || callId === undefined) return entry;
  remember(state.calls, callId, { name: toolName, input: mounted?.args });
  const inner = { content: list(result?.content), details: mounted?.inner };
  return { ...entry, toolName, ...(result === entry ? inner : { result: inner }) };
}
