import type { Emit, EventContext } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import { todoIdOf } from "../common/subagents.ts";
import { type Fields, fields, number, outputText, text } from "../common/values.ts";
import { foldWaymarkCall, isPatch, isWaymarkTool, refusalOf } from "../common/waymark-tool.ts";
import { emitStarted } from "./session.ts";
import { contextOf, type OpencodeState } from "./state.ts";
import { emitRejected, emitWrite, isTodoTool, WRITE_TOOL } from "./todo-write.ts";
import { readStep } from "./usage.ts";

/** Reads a part of a message, such as a text or a tool call, of the stream, the server or a file. */
export function readPart(
  state: OpencodeState,
  part: Fields,
  session: string,
  at: number | undefined,
  emit: Emit,
): void {
  const context = { ...contextOf(state, session), at };
  if (part.type === "tool") readTool(state, part, session, context, emit);
  else if (part.type === "step-finish") readStep(state, part, session, at, emit);
  else if (part.type === "compaction")
    emit(
      { type: "session.compacted", ...(part.auto === true && { trigger: "auto" }) },
      { ...context, key: text(part.id) },
    );
  else if (part.type === "text") {
    const content = text(part.text);
    const end = number(fields(part.time)?.end);
    if (content !== undefined && end !== undefined)
      emit(
        { type: "message", role: "assistant", text: shorten(content, 500) },
        { ...context, at: end, key: text(part.id) },
      );
  }
}

function readTool(
  state: OpencodeState,
  part: Fields,
  session: string,
  context: EventContext,
  emit: Emit,
): void {
  const call = fields(part.state);
  const given = text(part.tool);
  if (!call || given === undefined) return;
  const input = fields(call.input);
  // opencode passes invalid calls to a tool that only returns the error.
  const invalid = given === "invalid";
  const name = (invalid && text(input?.tool)) || given;
  const callId = text(part.callID);
  const time = fields(call.time);
  const done = call.status === "completed" || call.status === "error";
  const start = { ...context, key: callId, at: number(time?.start) ?? context.at };
  const end = { ...context, key: callId, at: number(time?.end) ?? context.at };

  if (isTodoTool(name)) {
    if (name !== WRITE_TOOL) return;
    if (!done) remember(state.writing, session, callId ?? "");
    else {
      if (recall(state.writing, session) === (callId ?? "")) forget(state.writing, session);
      if (invalid) emitRejected(text(input?.error) ?? "the call was invalid", end, emit);
      else emitWrite(name, call, end, emit);
    }
    return;
  }
  if (isWaymarkTool(name)) {
    if (done) readWaymarkCall(state, session, call, end, emit);
    return;
  }
  readChild(state, call, emit);
  // A call appears before its input.
  if (call.status === "pending") return;
  const open = `${session}/${callId ?? ""}`;
  if (recall(state.calls, open) === undefined) {
    emit({ type: "tool.started", name, ...(callId && { callId }), ...(input && { input }) }, start);
    if (!done) remember(state.calls, open, true);
  }
  if (!done) return;
  forget(state.calls, open);
  const failed = invalid || call.status === "error";
  const output = outputText(call.status === "error" ? call.error : call.output);
  const exitCode = number(fields(call.metadata)?.exit);
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      name,
      ...(callId && { callId }),
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    end,
  );
}

/** Reads a call of Waymark's list tool over MCP. */
function readWaymarkCall(
  state: OpencodeState,
  session: string,
  call: Fields,
  context: EventContext,
  emit: Emit,
): void {
  if (call.status === "error") {
    emitRejected(refusalOf(text(call.error) ?? "the write failed"), context, emit);
    return;
  }
  const known = recall(state.waymarkLists, session) ?? [];
  const after = foldWaymarkCall(known, call.input, outputText(call.output), (body) =>
    emit(body, { ...context, key: undefined }),
  );
  if (!after) {
    emit(
      {
        type: "warning",
        code: "list_unknown",
        message: "the list was changed, but the list before the change is unknown",
      },
      context,
    );
    return;
  }
  remember(state.waymarkLists, session, after.slice(0, 1_000));
  const emitAfter = isPatch(call.input) ? stepwise(emit) : emit;
  emitAfter({ type: "todo_list", todoId: todoIdOf(context), items: after }, context);
}

/** Emits the start of a subagent, whose session is named in the call that starts it. */
function readChild(state: OpencodeState, call: Fields, emit: Emit): void {
  const metadata = fields(call.metadata);
  const id = text(metadata?.sessionId);
  const parent = text(metadata?.parentSessionId);
  if (id === undefined || parent === undefined) return;
  const input = fields(call.input);
  emitStarted(
    state,
    {
      id,
      parent,
      name: text(input?.subagent_type),
      title: text(input?.description),
      model: text(fields(metadata?.model)?.modelID),
      at: number(fields(call.time)?.start),
    },
    emit,
  );
}
