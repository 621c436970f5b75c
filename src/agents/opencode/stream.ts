import type { About, Emit } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, list, number, text } from "../common/values.ts";
import { readPart } from "./parts.ts";
import { readInfo } from "./session.ts";
import { about, type OpencodeState } from "./state.ts";
import { emitList } from "./todo-write.ts";

/** A line of `run --format json`. */
export function readRun(state: OpencodeState, record: Fields, emit: Emit): void {
  const session = text(record.sessionID) ?? state.session;
  const at = number(record.timestamp);
  const who = { ...about(state, session), at };
  const part = fields(record.part);
  switch (record.type) {
    case "step_start":
      startTurn(state, session, who, emit);
      return;
    case "step_finish":
      if (part && part.reason !== "tool-calls") endTurn(state, session, who, emit);
      return;
    case "error":
      failTurn(state, session, record.error, who, emit);
      return;
    default:
      if (part) readPart(state, part, session, at, emit);
  }
}

/** An event of the server. */
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
    case "todo.updated": {
      const todos = list(properties.todos);
      // The same list comes again with the end of the call, there with its id and time.
      if (todos && recall(state.writing, session) === undefined)
        emitList(todos, { ...about(state, session), key: id }, emit);
      return;
    }
    case "message.part.updated": {
      const at = number(properties.time);
      if (!part) return;
      // Only what a person wrote has no times of its own.
      if (part.type === "text" && part.time === undefined)
        startTurn(state, session, { ...about(state, session), at }, emit, text(part.text));
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
      const asked = shown ?? text(first?.question) ?? text(list(properties.patterns)?.[0]);
      const tool = text(properties.permission) ?? "question";
      emit(
        {
          type: "input.requested",
          kind: type === "question.asked" ? "question" : "permission",
          tool,
          ...(asked !== undefined && { text: asked }),
          ...(callId !== undefined && { callId }),
        },
        { ...about(state, session), key: text(properties.id) ?? id },
      );
      return;
    }
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      emit(
        { type: "input.resolved" },
        { ...about(state, session), key: text(properties.requestID) ?? id },
      );
      return;
    case "session.status": {
      const status = fields(properties.status)?.type;
      if (status === "busy") startTurn(state, session, about(state, session), emit);
      else if (status === "idle") endTurn(state, session, about(state, session), emit);
      return;
    }
    case "session.idle":
      forget(state.writing, session);
      endTurn(state, session, about(state, session), emit);
      return;
    case "session.error":
      failTurn(state, session, properties.error, about(state, session), emit);
      return;
    case "session.compacted":
      emit({ type: "session.compacted" }, { ...about(state, session), key: id });
      return;
    case "session.deleted": {
      const gone = text(info?.id) ?? session;
      emit({ type: "session.ended", reason: "deleted" }, { ...about(state, gone), key: gone });
      return;
    }
  }
}

function startTurn(
  state: OpencodeState,
  session: string,
  who: About,
  emit: Emit,
  prompt?: string,
): void {
  if (recall(state.turns, session)) return;
  remember(state.turns, session, true);
  emit(
    { type: "turn.started", ...(prompt !== undefined && { prompt: shorten(prompt, 500) }) },
    who,
  );
}

function endTurn(state: OpencodeState, session: string, who: About, emit: Emit): void {
  if (forget(state.turns, session)) emit({ type: "turn.completed" }, who);
}

function failTurn(
  state: OpencodeState,
  session: string,
  error: unknown,
  who: About,
  emit: Emit,
): void {
  forget(state.turns, session);
  const given = fields(error);
  const name = text(given?.name);
  if (name === "MessageAbortedError") {
    emit({ type: "turn.cancelled" }, who);
    return;
  }
  const message = text(fields(given?.data)?.message) ?? text(given?.message) ?? name ?? "failed";
  emit({ type: "turn.failed", message: shorten(message, 500) }, who);
}
