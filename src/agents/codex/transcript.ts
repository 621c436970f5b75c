import { headerCode } from "../../core/activity/evidence/exit-code.ts";
import type { Emit } from "../agent.ts";
import { warnSessionMismatch } from "../common/session-mismatch.ts";
import { type Fields, fields, number, outputText, parsed, text } from "../common/values.ts";
import { scriptWrites, touchesList } from "./code-mode.ts";
import { emitMessage, emitPrompt, messageText, proposalId, readItem } from "./items.ts";
import { emitPlan, emitProposed, emitRejected, emitUnknown, splitProposal } from "./plan.ts";
import { finishScript } from "./script.ts";
import {
  announce,
  type CodexState,
  changeMode,
  newThread,
  put,
  type ThreadEmit,
  take,
  threadEmit,
} from "./state.ts";
import { readTokenCount } from "./usage.ts";
import { emitTodos } from "./waymark.ts";

/** Line types of a session file, `rollout-<time>-<thread>.jsonl`. */
const TYPES = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
  "world_state",
  "token_usage_record",
  "inter_agent_communication_metadata",
]);

export function isTranscriptLine(record: Fields): boolean {
  return TYPES.has(text(record.type) ?? "") && fields(record.payload) !== undefined;
}

export function readTranscriptLine(state: CodexState, record: Fields, emit: Emit) {
  const payload = fields(record.payload);
  if (!payload) return;
  if (record.type === "session_meta") return readMeta(state, payload, emit);
  if (isInherited(state, record)) return;
  const send = threadEmit(state.self, text(record.timestamp), emit);
  switch (record.type) {
    case "turn_context":
      return readContext(state, payload, send);
    case "response_item":
      return readResponse(state, payload, send);
    case "event_msg":
      return readEvent(state, payload, send);
    case "compacted":
      return send({ type: "session.compacted" });
  }
}

/** Reads the usage of a line, of which only `USAGE_FIELDS` are needed. */
export function readTranscriptUsage(state: CodexState, record: unknown, emit: Emit) {
  const given = fields(record);
  const payload = fields(given?.payload);
  if (given?.type === "event_msg" && payload?.type === "token_count")
    readTokenCount(state, payload, threadEmit(state.self, text(given.timestamp), emit));
}

/** Reads the first line. The file of a fork or subagent repeats the first line of its origin later; that is ignored. */
function readMeta(state: CodexState, meta: Fields, emit: Emit) {
  const named = text(meta.id);
  if (named === undefined) return;
  if (state.thread !== undefined && named !== state.thread) state.fork = state.thread;
  if (state.metaSeen) return;
  state.metaSeen = true;
  // The thread id in the file name takes precedence over the content.
  const id = state.kind === "file" && state.session !== "" ? state.session : named;
  if (id !== named) warnSessionMismatch(id, named, emit);
  state.thread = id;
  const spawn = fields(fields(fields(meta.source)?.subagent)?.thread_spawn);
  const parent = text(meta.parent_thread_id) ?? text(spawn?.parent_thread_id);
  const session = parent === undefined ? id : (text(meta.session_id) ?? parent);
  const name = text(meta.agent_nickname) ?? text(spawn?.agent_nickname);
  const cwd = text(meta.cwd);
  const version = text(meta.cli_version);
  state.session = session;
  state.self = {
    ...newThread(session, parent === undefined ? "main" : id),
    facts: {
      ...(cwd !== undefined && { cwd }),
      ...(version !== undefined && { version }),
      ...(parent !== undefined && { parentId: parent === session ? "main" : parent }),
      ...(name !== undefined && parent !== undefined && { name }),
    },
  };
}

/** A subagent's file may repeat the conversation of its parent, including the parent's plan. */
function isInherited({ self }: CodexState, record: Fields): boolean {
  return self.agent !== "main" && fields(record.metadata)?.inherited_user_message === true;
}

function readContext(state: CodexState, context: Fields, send: ThreadEmit) {
  announce(state.self, text(context.model), send);
  const turn = text(context.turn_id);
  if (turn !== undefined) openTurn(state, turn);
  changeMode(state.self, fields(context.collaboration_mode)?.mode, send);
}

function openTurn(state: CodexState, id: string | undefined) {
  if (id !== undefined && state.self.turn?.id === id) return;
  state.self.turn = { prompted: false, ...(id !== undefined && { id }) };
}

function readEvent(state: CodexState, event: Fields, send: ThreadEmit) {
  const turn = text(event.turn_id);
  switch (event.type) {
    case "task_started":
    case "turn_started":
      state.marked = true;
      return openTurn(state, turn);
    case "token_count":
      return readTokenCount(state, event, send);
    case "user_message":
      // In old files only prompts mark turns.
      if (!state.marked) delete state.self.turn;
      return emitPrompt(state.self, "", text(event.message) ?? "", send);
    case "agent_message":
      return emitMessage(state.self, "", text(event.message) ?? "", send);
    case "task_complete":
    case "turn_complete": {
      delete state.self.turn;
      const error = text(fields(event.error)?.message);
      return error === undefined
        ? send({ type: "turn.completed" }, turn)
        : send({ type: "turn.failed", message: error }, turn);
    }
    case "turn_aborted": {
      const inherited = state.self.agent !== "main" && state.self.turn?.prompted === false;
      delete state.self.turn;
      if (!inherited) send({ type: "turn.cancelled" }, turn);
      return;
    }
    case "item_completed": {
      const item = fields(event.item);
      if (item) readItem(state, state.self, item, "completed", send);
      return;
    }
  }
}

function readResponse(state: CodexState, item: Fields, send: ThreadEmit) {
  const id = text(item.call_id) ?? "";
  switch (item.type) {
    case "function_call":
      return readCall(state, id, item, send);
    case "custom_tool_call":
      return readCustomCall(state, id, item, send);
    case "local_shell_call":
      return openTool(state, id, "local_shell", item.action, send);
    case "function_call_output":
    case "custom_tool_call_output":
      return readOutput(state, id, item, send);
    case "agent_message":
      // A request of another agent starts a turn. Its text may be encrypted.
      if (state.self.turn?.prompted === false)
        emitPrompt(state.self, text(item.id) ?? "", "", send);
      return;
    case "message": {
      if (item.role !== "assistant") return;
      // Files with items have the plan as a separate item before the message.
      const { plan } = splitProposal(messageText(item));
      if (plan !== undefined)
        emitProposed(state.self, proposalId(state.self, text(item.id) ?? ""), plan, send);
    }
  }
}

function readCall(state: CodexState, id: string, call: Fields, send: ThreadEmit) {
  const namespace = text(call.namespace);
  const name = (text(call.name) ?? "tool").replace(/^functions\./, "");
  const fullName = namespace?.startsWith("mcp__") ? `${namespace}__${name}` : name;
  const key = `${state.self.agent}:${id}`;
  if (fullName === "update_plan")
    return put(state.open, key, { kind: "plan", name, plan: text(call.arguments) ?? "" });
  if (fullName === "mcp__waymark__todos") return put(state.open, key, { kind: "todos", name });
  const input = parsed(call.arguments) ?? call.arguments;
  const cell = name === "wait" ? text(fields(input)?.cell_id) : undefined;
  openTool(state, id, fullName, input, send, cell);
}

function readCustomCall(state: CodexState, id: string, call: Fields, send: ThreadEmit) {
  const name = text(call.name) ?? "tool";
  const source = text(call.input) ?? "";
  if (name !== "exec" || !touchesList(source)) return openTool(state, id, name, call.input, send);
  const writes = scriptWrites(source);
  put(state.open, `${state.self.agent}:${id}`, { kind: "script", name, writes });
}

function openTool(
  state: CodexState,
  id: string,
  name: string,
  input: unknown,
  send: ThreadEmit,
  cell?: string,
) {
  put(state.open, `${state.self.agent}:${id}`, {
    kind: "tool",
    name,
    ...(cell !== undefined && { cell }),
  });
  send({ type: "tool.started", callId: id, name, input }, id);
}

const REFUSED = /^(?:unsupported call|failed to parse function arguments|Script failed)/;
const ABORTED = /^(?:Wall time: [^\n]*\n)?aborted by user/;

function readOutput(state: CodexState, id: string, item: Fields, send: ThreadEmit) {
  const key = `${state.self.agent}:${id}`;
  const call = take(state.open, key);
  if (!call) return;
  const output = outputText(item.output) ?? outputText(fields(item.output)?.content) ?? "";
  switch (call.kind) {
    case "plan":
      if (output !== "Plan updated") return emitRejected(output, send);
      return emitPlan(state.self, parsed(call.plan), id, send);
    case "todos":
      return finishTodos(state, id, item.output, send);
    case "script":
      if (!finishScript(state, id, call, output, send)) put(state.open, key, call);
      return;
    case "tool":
      if (call.cell !== undefined) finishCell(state, call.cell, output, send);
      if (/^Process running with session ID/m.test(output)) {
        put(state.open, key, call);
        return send({ type: "tool.updated", callId: id, name: call.name, output }, id);
      }
      if (ABORTED.test(output)) put(state.open, key, { ...call, kind: "ended" });
      return closeTool(id, call.name, output, send);
  }
}

/** Finishes a background script by the number of its cell. */
function finishCell(state: CodexState, cell: string, output: string, send: ThreadEmit) {
  const id = take(state.cells, cell);
  if (id === undefined) return;
  const key = `${state.self.agent}:${id}`;
  const script = take(state.open, key);
  if (script && !finishScript(state, id, script, output, send)) put(state.open, key, script);
}

/** Without an item for the result, the output is the structured answer as text. */
function finishTodos(state: CodexState, id: string, output: unknown, send: ThreadEmit) {
  const answerText = typeof output === "string" ? output : outputText(output);
  const answer = fields(parsed((answerText ?? "").replace(/^Wall time:[^\n]*\nOutput:\n/, "")));
  if (!answer) return emitRejected(answerText, send);
  if (!("todos" in answer) && !("changed" in answer)) return emitUnknown(send);
  emitTodos(state.self, answer, id, send);
}

function closeTool(id: string, name: string, output: string, send: ThreadEmit) {
  const old = fields(output.startsWith("{") ? parsed(output) : undefined);
  const exitCode = headerCode(output) ?? number(fields(old?.metadata)?.exit_code);
  const failed =
    (exitCode !== undefined && exitCode !== 0) || REFUSED.test(output) || ABORTED.test(output);
  send(
    {
      type: failed ? "tool.failed" : "tool.completed",
      callId: id,
      name,
      output: text(old?.output)?.slice(0, 2_000) ?? output,
      ...(exitCode !== undefined && { exitCode }),
    },
    id,
  );
}
