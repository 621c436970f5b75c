import type { About, Emit } from "../agent.ts";
import { todoIdOf } from "../common/family.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import { type Fields, fields, number, outputText, text } from "../common/values.ts";
import { foldNative, isNativeTool, isPatch, refusalOf } from "../common/waymark-tool.ts";
import { emitStarted } from "./session.ts";
import { about, type OpencodeState } from "./state.ts";
import { emitRejected, emitWrite, isTodoTool, WRITE_TOOL } from "./todo-write.ts";

/** A part of a message: text or a tool call, as the stream, the server and the files have it. */
export function readPart(
  state: OpencodeState,
  part: Fields,
  session: string,
  at: number | undefined,
  emit: Emit,
): void {
  const who = { ...about(state, session), at };
  if (part.type === "tool") readTool(state, part, session, who, emit);
  else if (part.type === "compaction")
    emit(
      { type: "session.compacted", ...(part.auto === true && { trigger: "auto" }) },
      { ...who, key: text(part.id) },
    );
  else if (part.type === "text") {
    const said = text(part.text);
    const end = number(fields(part.time)?.end);
    if (said !== undefined && end !== undefined)
      emit(
        { type: "message", role: "assistant", text: shorten(said, 500) },
        { ...who, at: end, key: text(part.id) },
      );
  }
}

function readTool(
  state: OpencodeState,
  part: Fields,
  session: string,
  who: About,
  emit: Emit,
): void {
  const call = fields(part.state);
  const given = text(part.tool);
  if (!call || given === undefined) return;
  const input = fields(call.input);
  // A call that could not be made is given to a tool that only answers with the error.
  const invalid = given === "invalid";
  const name = (invalid && text(input?.tool)) || given;
  const callId = text(part.callID);
  const time = fields(call.time);
  const done = call.status === "completed" || call.status === "error";
  const start = { ...who, key: callId, at: number(time?.start) ?? who.at };
  const end = { ...who, key: callId, at: number(time?.end) ?? who.at };

  if (isTodoTool(name)) {
    if (name !== WRITE_TOOL) return;
    if (!done) remember(state.writing, session, callId ?? "");
    else {
      if (recall(state.writing, session) === (callId ?? "")) forget(state.writing, session);
      if (invalid) emitRejected(text(input?.error) ?? "the call was not valid", end, emit);
      else emitWrite(name, call, end, emit);
    }
    return;
  }
  if (isNativeTool(name)) {
    if (done) readNative(state, session, call, end, emit);
    return;
  }
  readChild(state, call, emit);
  // A call shows up before its input is there.
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

/** Waymark's own list, as opencode reaches it over MCP. */
function readNative(
  state: OpencodeState,
  session: string,
  call: Fields,
  who: About,
  emit: Emit,
): void {
  if (call.status === "error") {
    emitRejected(refusalOf(text(call.error) ?? "the write failed"), who, emit);
    return;
  }
  const known = recall(state.native, session) ?? [];
  const after = foldNative(known, call.input, outputText(call.output), (body) =>
    emit(body, { ...who, key: undefined }),
  );
  if (!after) {
    emit(
      { type: "warning", code: "list_unknown", message: "a list was changed that is not shown" },
      who,
    );
    return;
  }
  remember(state.native, session, after.slice(0, 1_000));
  const say = isPatch(call.input) ? stepwise(emit) : emit;
  say({ type: "todo_list", todoId: todoIdOf(who), items: after }, who);
}

/** The call that starts a subagent names the session of it. */
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
