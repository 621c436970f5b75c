import type { Emit } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { isTodoTool } from "../common/todo-tools.ts";
import { bareName, type Fields, fields, list, number, outputText, text } from "../common/values.ts";
import { readListCall } from "./plan.ts";
import { type AcpState, about } from "./state.ts";

export interface Call {
  readonly name: string;
  /** A call of a list tool: it is no event of its own. */
  readonly hidden: boolean;
  readonly told: boolean;
  /** Of a list call, what it was made with. */
  readonly input?: unknown;
}

/** v1 starts a call with `tool_call`; in v2 the first update of an unknown id does. */
export function readToolCall(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const callId = text(update.toolCallId);
  if (callId === undefined) return;
  const open = `${session}/${callId}`;
  const status = text(update.status);
  const done = status === "completed" || status === "failed" || status === "cancelled";
  const before = recall(state.calls, open);
  // Whoever uses an id again for another tool waits no longer for the first.
  const given = nameOf(update);
  const another = update.sessionUpdate === "tool_call" && given !== undefined;
  const known = another && before?.name !== given ? undefined : before;
  const name = known?.name ?? given;
  // An update of a call that was not seen to start says too little to be one of its own.
  if (name === undefined && update.sessionUpdate === "tool_call_update" && !done) return;
  const call: Call = known ?? {
    name: name ?? "tool",
    hidden: name !== undefined && isTodoTool(bareName(name)),
    told: false,
  };
  const input = isInput(update.rawInput) ? update.rawInput : undefined;
  // A call may show up before its input does: it is told of once there is something to tell.
  const told =
    call.told || (!call.hidden && (done || input !== undefined || status === "in_progress"));
  const kept = { ...call, told, ...(call.hidden && input !== undefined && { input }) };
  if (done) forget(state.calls, open);
  else remember(state.calls, open, kept);
  const who = { ...about(state, session), key: callId };
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
        who,
      );
    return;
  }
  if (told && !call.told)
    emit(
      { type: "tool.started", callId, name: call.name, ...(input !== undefined && { input }) },
      who,
    );
  const said = { callId, name: call.name, ...(output !== undefined && { output }) };
  const exitCode = exitOf(update.rawOutput);
  if (done)
    emit(
      {
        type: status === "completed" ? "tool.completed" : "tool.failed",
        ...said,
        ...(exitCode !== undefined && { exitCode }),
      },
      who,
    );
  else if (told && output !== undefined)
    emit({ type: "tool.updated", ...said }, { ...who, key: undefined });
}

function exitOf(output: unknown): number | undefined {
  const raw = fields(output);
  return number(fields(raw?.metadata)?.exit) ?? number(raw?.exitCode) ?? number(raw?.exit_code);
}

/** Until the input is there it is empty, or has no more than the folder in it. */
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
