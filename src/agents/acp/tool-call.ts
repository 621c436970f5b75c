import type { Emit } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { isTodoTool } from "../common/todo-tools.ts";
import { bareName, type Fields, fields, list, number, outputText, text } from "../common/values.ts";
import { readListCall } from "./plan.ts";
import { type AcpState, contextOf } from "./state.ts";

export interface Call {
  readonly name: string;
  /** A call of a list tool, which is not reported as a tool event. */
  readonly hidden: boolean;
  readonly announced: boolean;
  /** The input of a list call. */
  readonly input?: unknown;
}

/** Reads a call or an update of one. In v1 `tool_call` starts a call, in v2 the first update of an unknown id. */
export function readToolCall(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const callId = text(update.toolCallId);
  if (callId === undefined) return;
  const open = `${session}/${callId}`;
  const status = text(update.status);
  const done = status === "completed" || status === "failed" || status === "cancelled";
  const before = recall(state.calls, open);
  // A reused id with another tool replaces the earlier call.
  const given = nameOf(update);
  const another = update.sessionUpdate === "tool_call" && given !== undefined;
  const known = another && before?.name !== given ? undefined : before;
  const name = known?.name ?? given;
  // Ignore updates of a call whose start was not seen: they do not name the tool.
  if (name === undefined && update.sessionUpdate === "tool_call_update" && !done) return;
  const call: Call = known ?? {
    name: name ?? "tool",
    hidden: name !== undefined && isTodoTool(bareName(name)),
    announced: false,
  };
  const input = isInput(update.rawInput) ? update.rawInput : undefined;
  // A call may appear before its input. It is announced once there is something to report.
  const announced =
    call.announced || (!call.hidden && (done || input !== undefined || status === "in_progress"));
  const updated = { ...call, announced, ...(call.hidden && input !== undefined && { input }) };
  if (done) forget(state.calls, open);
  else remember(state.calls, open, updated);
  const context = { ...contextOf(state, session), key: callId };
  const output = outputOf(update);
  if (call.hidden) {
    if (status === "completed")
      readListCall(state, session, callId, input ?? call.input, update.rawOutput, emit);
    else if (done)
      emit(
        {
          type: "warning",
          code: "list_rejected",
          message: shorten(output ?? `the call was ${status}`, 200),
        },
        context,
      );
    return;
  }
  if (announced && !call.announced)
    emit(
      { type: "tool.started", callId, name: call.name, ...(input !== undefined && { input }) },
      context,
    );
  const common = { callId, name: call.name, ...(output !== undefined && { output }) };
  const exitCode = exitOf(update.rawOutput);
  if (done)
    emit(
      {
        type: status === "completed" ? "tool.completed" : "tool.failed",
        ...common,
        ...(exitCode !== undefined && { exitCode }),
      },
      context,
    );
  else if (announced && output !== undefined)
    emit({ type: "tool.updated", ...common }, { ...context, key: undefined });
}

function exitOf(output: unknown): number | undefined {
  const raw = fields(output);
  return number(fields(raw?.metadata)?.exit) ?? number(raw?.exitCode) ?? number(raw?.exit_code);
}

/** Whether an input is complete. Before that it is empty or has only the working directory. */
function isInput(input: unknown): boolean {
  const given = fields(input);
  return given ? Object.keys(given).some((key) => key !== "cwd") : input != null;
}

function nameOf(update: Fields): string | undefined {
  const meta = fields(update._meta);
  const named = text(meta?.toolName) ?? text(fields(meta?.claudeCode)?.toolName);
  return text(update.name) ?? named ?? text(update.title);
}

function outputOf(update: Fields): string | undefined {
  const parts = list(update.content)?.map(
    (part) => text(fields(fields(part)?.content)?.text) ?? "",
  );
  const shown = parts?.filter((part) => part !== "").join("\n");
  const raw = fields(update.rawOutput);
  return outputText(shown || (raw ? (raw.output ?? raw.stdout ?? raw.content) : update.rawOutput));
}
