import type { Emit, EventContext } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, list, number, text } from "../common/values.ts";
import { readPart } from "./parts.ts";
import { readInfo } from "./session.ts";
import { contextOf, type OpencodeState } from "./state.ts";
import { emitList } from "./todo-write.ts";
import { noteModel, readStep } from "./usage.ts";

/** Reads a line of `run --format json`. */
export function readRun(state: OpencodeState, record: Fields, emit: Emit): void {
  const session = text(record.sessionID) ?? state.session;
  const at = number(record.timestamp);
  const context = { ...contextOf(state, session), at };
  const part = fields(record.part);
  switch (record.type) {
    case "step_start":
      startTurn(state, session, context, emit);
      return;
    case "step_finish":
      if (part) readStep(state, part, session, at, emit);
      if (part && part.reason !== "tool-calls") endTurn(state, session, context, emit);
      return;
    case "error":
      failTurn(state, session, record.error, context, emit);
      return;
    default:
      if (part) readPart(state, part, session, at, emit);
  }
}

/** Reads an event of the server. */
export function readServer(
  state: OpencodeState,
  type: string,
  properties: Fields,
  id: string | undefined,
  emit: Emit,
): void {
  const info = fields(properties.info);
  const part = fields(properties.part);
  const session = text(properties.sessionID) ?? text(part?.sessionID) ?? "";
  switch (type) {
    case "session.created":
    case "session.updated":
      if (info) readInfo(state, info, emit);
      return;
    case "message.updated":
      if (info) noteModel(state, info);
      return;
    case "todo.updated": {
      const todos = list(properties.todos);
      // The end of the call has the same list, with its id and time.
      if (todos && recall(state.writing, session) === undefined)
        emitList(todos, { ...contextOf(state, session), key: id }, emit);
      return;
    }
    case "message.part.updated": {
      const at = number(properties.time);
      if (!part) return;
      // Only text of the user has no time.
      if (part.type === "text" && part.time === undefined)
        startTurn(state, session, { ...contextOf(state, session), at }, emit, text(part.text));
      else readPart(state, part, session, at, emit);
      return;
    }
    case "permission.asked":
    case "question.asked": {
      const call = fields(properties.tool);
      const metadata = fields(properties.metadata);
      const callId = text(call?.callID);
      const shown = text(metadata?.command) ?? text(metadata?.filepath) ?? text(metadata?.url);
      const first = fields(list(properties.questions)?.[0]);
      const request = shown ?? text(first?.question) ?? text(list(properties.patterns)?.[0]);
      const tool = text(properties.permission) ?? "question";
      emit(
        {
          type: "input.requested",
          kind: type === "question.asked" ? "question" : "permission",
          tool,
          ...(request !== undefined && { text: request }),
          ...(callId !== undefined && { callId }),
        },
        { ...contextOf(state, session), key: text(properties.id) ?? id },
      );
      return;
    }
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      emit(
        { type: "input.resolved" },
        { ...contextOf(state, session), key: text(properties.requestID) ?? id },
      );
      return;
    case "session.status": {
      const status = fields(properties.status)?.type;
      if (status === "busy") startTurn(state, session, contextOf(state, session), emit);
      else if (status === "idle") endTurn(state, session, contextOf(state, session), emit);
      return;
    }
    case "session.idle":
      forget(state.writing, session);
      endTurn(state, session, contextOf(state, session), emit);
      return;
    case "session.error":
      failTurn(state, session, properties.error, contextOf(state, session), emit);
      return;
    case "session.compacted":
      emit({ type: "session.compacted" }, { ...contextOf(state, session), key: id });
      return;
    case "session.deleted": {
      const deleted = text(info?.id) ?? session;
      emit(
        { type: "session.ended", reason: "deleted" },
        { ...contextOf(state, deleted), key: deleted },
      );
      return;
    }
  }
}

function startTurn(
  state: OpencodeState,
  session: string,
  context: EventContext,
  emit: Emit,
  prompt?: string,
): void {
  if (recall(state.turns, session)) return;
  remember(state.turns, session, true);
  emit(
    { type: "turn.started", ...(prompt !== undefined && { prompt: shorten(prompt, 500) }) },
    context,
  );
}

function endTurn(state: OpencodeState, session: string, context: EventContext, emit: Emit): void {
  if (forget(state.turns, session)) emit({ type: "turn.completed" }, context);
}

function failTurn(
  state: OpencodeState,
  session: string,
  error: unknown,
  context: EventContext,
  emit: Emit,
): void {
  forget(state.turns, session);
  const given = fields(error);
  const name = text(given?.name);
  if (name === "MessageAbortedError") {
    emit({ type: "turn.cancelled" }, context);
    return;
  }
  const message = text(fields(given?.data)?.message) ?? text(given?.message) ?? name ?? "failed";
  emit({ type: "turn.failed", message: shorten(message, 500) }, context);
}
