import type { Decoder, Emit } from "../agent.ts";
import { forget, remember } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { identity } from "./identity.ts";
import { readCursorPlan, readCursorTodos } from "./plan.ts";
import { type AcpState, contextOf, emitStarted, type PendingRequest, startState } from "./state.ts";
import { endTurn, flushMessage, readUpdate, setMode, startTurn } from "./update.ts";

/** Decodes Agent Client Protocol messages of both sides of a connection. */
export const acp: Decoder<AcpState> = {
  ...identity,
  needles: [],
  score,
  start: startState,
  read,
  end: (state, emit) => {
    for (const [session] of [...state.chunks]) flushMessage(state, session, emit);
  },
};

function read(state: AcpState, record: unknown, emit: Emit): void {
  const given = fields(record);
  if (!given) return;
  const method = text(given.method);
  const params = fields(given.params);
  if (method !== undefined && params) readCall(state, method, idOf(given.id), params, emit);
  else if (fields(given.update)) readUpdates(state, given, emit);
  else if (given.result !== undefined || given.error !== undefined) readAnswer(state, given, emit);
}

function readCall(
  state: AcpState,
  method: string,
  id: string | undefined,
  params: Fields,
  emit: Emit,
): void {
  const session = text(params.sessionId) ?? state.session;
  const cwd = text(params.cwd);
  const mode = text(params.modeId);
  const expect = (kind: string, request: PendingRequest) => {
    if (id !== undefined) remember(state.requests, `${kind} ${id}`, request);
  };
  switch (method) {
    case "session/update":
      readUpdates(state, params, emit);
      return;
    case "session/new":
    case "session/fork":
      expect("session", { session, ...(cwd !== undefined && { cwd }) });
      return;
    case "session/load":
    case "session/resume":
      emitStarted(state, session, { cwd }, emit);
      return;
    case "session/prompt":
      expect("prompt", { session });
      startTurn(state, session, textOf(list(params.prompt)), emit);
      return;
    case "session/set_mode":
      if (mode !== undefined) expect("mode", { session, mode });
      return;
    case "session/request_permission": {
      const call = fields(params.toolCall) ?? {};
      const callId = text(call.toolCallId);
      const title = text(call.title);
      expect("permission", { session });
      emit(
        {
          type: "input.requested",
          kind: "permission",
          ...(title !== undefined && { text: title }),
          ...(callId !== undefined && { callId }),
        },
        { ...contextOf(state, session), key: id },
      );
      return;
    }
    case "cursor/update_todos":
      readCursorTodos(state, params, emit);
      return;
    case "cursor/create_plan":
      readCursorPlan(state, id, params, emit);
      return;
  }
}

function readUpdates(state: AcpState, params: Fields, emit: Emit): void {
  const update = fields(params.update);
  if (update) readUpdate(state, text(params.sessionId) ?? state.session, update, emit);
}

/**
 * Reads a response. Its content shows which kind of request it belongs to, because the output of an agent alone has
 * only responses.
 */
function readAnswer(state: AcpState, answer: Fields, emit: Emit): void {
  const id = idOf(answer.id) ?? "";
  const result = fields(answer.result);
  const error = fields(answer.error);
  const answered = (kind: string) => forget(state.requests, `${kind} ${id}`);
  const reason = text(result?.stopReason);
  const session = text(result?.sessionId);
  const outcome = text(result?.outcome) ?? text(fields(result?.outcome)?.outcome);
  const info = fields(result?.agentInfo);
  const permission = answered("permission");
  if (permission) {
    emit({ type: "input.resolved" }, { ...contextOf(state, permission.session), key: id });
    return;
  }
  if (info) state.version = [text(info.name), text(info.version)].filter(Boolean).join(" ");
  else if (outcome !== undefined) decidePlan(state, answered("plan"), outcome, emit);
  else if (reason !== undefined)
    endTurn(state, answered("prompt")?.session ?? state.session, reason, undefined, emit);
  else if (session !== undefined) {
    emitStarted(state, session, { cwd: answered("session")?.cwd }, emit);
    setMode(state, session, text(fields(result?.modes)?.currentModeId), emit);
  } else if (error) {
    const request = answered("prompt");
    if (request) endTurn(state, request.session, undefined, error, emit);
  } else {
    const request = answered("mode");
    if (request) setMode(state, request.session, request.mode, emit);
  }
}

function decidePlan(
  state: AcpState,
  request: PendingRequest | undefined,
  outcome: string,
  emit: Emit,
): void {
  if (request?.planId === undefined || (outcome !== "accepted" && outcome !== "rejected")) return;
  emit(
    {
      type: "plan.decided",
      planId: request.planId,
      decision: outcome === "accepted" ? "approved" : "rejected",
    },
    { ...contextOf(state, request.session), key: request.planId },
  );
}

function textOf(blocks: readonly unknown[] | undefined): string | undefined {
  const parts = blocks?.map((block) => text(fields(block)?.text)).filter(Boolean);
  return parts && parts.length > 0 ? parts.join("\n") : undefined;
}

/** Request ids are numbers or strings. */
function idOf(id: unknown): string | undefined {
  return typeof id === "number" || typeof id === "string" ? JSON.stringify(id) : undefined;
}

function score(record: unknown): 0 | 1 | 2 {
  const given = fields(record);
  if (!given) return 0;
  const method = text(given.method);
  if (method !== undefined)
    return /^(?:session\/(?:update|new|load|resume|fork|prompt|cancel|set_mode|request_permission)|cursor\/\w+)$/.test(
      method,
    )
      ? 2
      : method === "initialize" && fields(given.params)?.clientCapabilities !== undefined
        ? 1
        : 0;
  if (text(fields(given.update)?.sessionUpdate)) return 2;
  const result = fields(given.result);
  return given.jsonrpc === "2.0" && (result?.stopReason || result?.agentCapabilities) ? 2 : 0;
}
