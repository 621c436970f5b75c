import type { Emit } from "../agent.ts";
import { type Fields, fields, number, text } from "../common/values.ts";
import { isSpawn, openChild, type Phase, readItem, spawned } from "./items.ts";
import { emitPlan } from "./plan.ts";
import {
  announce,
  type CodexState,
  changeMode,
  get,
  newThread,
  put,
  type Thread,
  type ThreadEmit,
  threadEmit,
} from "./state.ts";
import { readAppServerUsage } from "./usage.ts";

/** The notifications that are read. Others do not make a thread known. */
const NOTIFICATIONS = new Set([
  "thread/settings/updated",
  "thread/compacted",
  "thread/tokenUsage/updated",
  "turn/started",
  "turn/completed",
  "turn/plan/updated",
  "item/plan/delta",
  "item/started",
  "item/updated",
  "item/completed",
]);

/** Returns a message of `codex app-server`, plain or wrapped in a recording of both directions. */
export function appServerMessage(record: Fields): Fields | undefined {
  const message = fields(record.msg) ?? record;
  const method = text(message.method);
  if (method !== undefined)
    return /^(?:thread|turn|item)\//.test(method) && fields(message.params) ? message : undefined;
  const result = fields(message.result);
  const thread = fields(result?.thread);
  return text(thread?.cliVersion) !== undefined || text(result?.codexHome) !== undefined
    ? message
    : undefined;
}

export function readAppServerMessage(state: CodexState, message: Fields, emit: Emit) {
  const at = number(message.emittedAtMs);
  const params = fields(message.params);
  if (!params) {
    const result = fields(message.result);
    return openThread(state, fields(result?.thread), text(result?.model), at, emit);
  }
  if (message.method === "thread/started")
    return openThread(state, fields(params.thread), undefined, at, emit);
  // Requests of the client are ignored: the server notifies about their effects.
  if (message.id !== undefined) return;
  const id = text(params.threadId);
  if (id === undefined) return;
  if (!NOTIFICATIONS.has(text(message.method) ?? "")) return;
  const thread = threadOf(state, id);
  const send = threadEmit(thread, at, emit);
  switch (message.method) {
    case "thread/settings/updated": {
      const settings = fields(params.threadSettings);
      return changeMode(thread, fields(settings?.collaborationMode)?.mode, send);
    }
    case "thread/compacted":
      return send({ type: "session.compacted" }, text(params.turnId));
    case "thread/tokenUsage/updated":
      return readAppServerUsage(thread, params, send);
    case "turn/started": {
      const turn = text(fields(params.turn)?.id);
      thread.turn = { prompted: false, ...(turn !== undefined && { id: turn }) };
      return;
    }
    case "turn/completed":
      return endTurn(thread, fields(params.turn), send);
    case "turn/plan/updated":
      return emitPlan(thread, params, `${text(params.turnId) ?? ""}.${++thread.writes}`, send);
    case "item/plan/delta": {
      const planId = text(params.itemId);
      const delta = text(params.delta);
      if (planId !== undefined && delta !== undefined) send({ type: "plan.delta", planId, delta });
      return;
    }
    case "item/started":
    case "item/updated":
    case "item/completed": {
      const item = fields(params.item);
      const phase = message.method.slice("item/".length) as Phase;
      if (item) readThreadItem(state, thread, item, phase, at, emit);
    }
  }
}

function readThreadItem(
  state: CodexState,
  thread: Thread,
  item: Fields,
  phase: Phase,
  at: number | undefined,
  emit: Emit,
) {
  readItem(state, thread, item, phase, threadEmit(thread, at, emit));
  if (!isSpawn(item)) return;
  if (phase !== "completed") {
    state.spawner = { session: thread.session, agent: thread.agent };
    return;
  }
  delete state.spawner;
  for (const id of spawned(item)) {
    const child = get(state.threads, id) ?? openChild(thread, id);
    put(state.threads, id, child);
    announce(child, undefined, threadEmit(child, at, emit));
  }
}

function openThread(
  state: CodexState,
  given: Fields | undefined,
  model: string | undefined,
  at: number | undefined,
  emit: Emit,
) {
  const id = text(given?.id);
  if (!given || id === undefined || get(state.threads, id)?.announced) return;
  const parent = text(given.parentThreadId);
  const session = parent === undefined ? id : (text(given.sessionId) ?? parent);
  const cwd = text(given.cwd);
  const version = text(given.cliVersion);
  const name = text(given.agentNickname);
  const thread: Thread = {
    ...newThread(session, parent === undefined ? "main" : id),
    facts: {
      ...(cwd !== undefined && { cwd }),
      ...(version !== undefined && { version }),
      ...(parent !== undefined && { parentId: parent === session ? "main" : parent }),
      ...(name !== undefined && parent !== undefined && { name }),
    },
  };
  put(state.threads, id, thread);
  state.session = session;
  announce(thread, text(given.model) ?? model, threadEmit(thread, at, emit));
}

/** Finds a thread or creates it: as a subagent while one is being spawned, otherwise as a session. */
function threadOf(state: CodexState, id: string): Thread {
  const known = get(state.threads, id);
  if (known) {
    state.session = known.session;
    return known;
  }
  const thread = state.spawner
    ? openChild(state.spawner, id)
    : { ...newThread(id, "main"), announced: true };
  put(state.threads, id, thread);
  state.session = thread.session;
  return thread;
}

function endTurn(thread: Thread, turn: Fields | undefined, send: ThreadEmit) {
  delete thread.turn;
  const key = text(turn?.id);
  if (turn?.status === "failed") {
    const message = text(fields(turn.error)?.message) ?? "the turn failed";
    return send({ type: "turn.failed", message }, key);
  }
  send({ type: turn?.status === "interrupted" ? "turn.cancelled" : "turn.completed" }, key);
}
