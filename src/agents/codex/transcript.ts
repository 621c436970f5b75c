import { headerCode } from "../../core/activity/evidence/exit-code.ts";
import type { Emit } from "../agent.ts";
import { sayClaim } from "../common/claim.ts";
import { type Fields, fields, number, outputText, parsed, text } from "../common/values.ts";
import { scriptWrites, touchesList } from "./code-mode.ts";
import { messageText, proposalId, readItem, sayMessage, sayPrompt } from "./items.ts";
import { sayPlan, sayProposed, sayRefused, sayUnknown, splitProposal } from "./plan.ts";
import { settleScript } from "./script.ts";
import {
  announce,
  type CodexState,
  changeMode,
  keep,
  newThread,
  type Say,
  sayAs,
  take,
} from "./state.ts";
import { sayTodos } from "./waymark.ts";

/** The lines of a session file, `rollout-<time>-<thread>.jsonl`. */
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
  const say = sayAs(state.self, text(record.timestamp), emit);
  switch (record.type) {
    case "turn_context":
      return readContext(state, payload, say);
    case "response_item":
      return readResponse(state, payload, say);
    case "event_msg":
      return readEvent(state, payload, say);
    case "compacted":
      return say({ type: "session.compacted" });
  }
}

/** The file of a fork or a subagent repeats the first line of its origin: the first one counts. */
function readMeta(state: CodexState, meta: Fields, emit: Emit) {
  const claimed = text(meta.id);
  if (state.metaSeen || claimed === undefined) return;
  state.metaSeen = true;
  // The name of a file is its thread, whatever stands in it.
  const id = state.kind === "file" && state.session !== "" ? state.session : claimed;
  if (id !== claimed) sayClaim(id, claimed, emit);
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

/** A subagent may be told all that was said before it: the plan in there is its parent's. */
function isInherited({ self }: CodexState, record: Fields): boolean {
  return self.agent !== "main" && fields(record.metadata)?.inherited_user_message === true;
}

function readContext(state: CodexState, context: Fields, say: Say) {
  announce(state.self, text(context.model), say);
  const turn = text(context.turn_id);
  if (turn !== undefined) openTurn(state, turn);
  changeMode(state.self, fields(context.collaboration_mode)?.mode, say);
}

function openTurn(state: CodexState, id: string | undefined) {
  if (id !== undefined && state.self.turn?.id === id) return;
  state.self.turn = { prompted: false, ...(id !== undefined && { id }) };
}

function readEvent(state: CodexState, event: Fields, say: Say) {
  const turn = text(event.turn_id);
  switch (event.type) {
    case "task_started":
    case "turn_started":
      state.marked = true;
      return openTurn(state, turn);
    case "user_message":
      // Old files have nothing else that a turn could be told by.
      if (!state.marked) delete state.self.turn;
      return sayPrompt(state.self, "", text(event.message) ?? "", say);
    case "agent_message":
      return sayMessage(state.self, "", text(event.message) ?? "", say);
    case "task_complete":
    case "turn_complete": {
      delete state.self.turn;
      const error = text(fields(event.error)?.message);
      return error === undefined
        ? say({ type: "turn.completed" }, turn)
        : say({ type: "turn.failed", message: error }, turn);
    }
    case "turn_aborted": {
      const inherited = state.self.agent !== "main" && state.self.turn?.prompted === false;
      delete state.self.turn;
      if (!inherited) say({ type: "turn.cancelled" }, turn);
      return;
    }
    case "item_completed": {
      const item = fields(event.item);
      if (item) readItem(state, state.self, item, "completed", say);
      return;
    }
  }
}

function readResponse(state: CodexState, item: Fields, say: Say) {
  const id = text(item.call_id) ?? "";
  switch (item.type) {
    case "function_call":
      return readCall(state, id, item, say);
    case "custom_tool_call":
      return readCustomCall(state, id, item, say);
    case "local_shell_call":
      return openTool(state, id, "local_shell", item.action, say);
    case "function_call_output":
    case "custom_tool_call_output":
      return readOutput(state, id, item, say);
    case "agent_message":
      // What another agent asks for begins a turn; its words may be encrypted.
      if (state.self.turn?.prompted === false) sayPrompt(state.self, text(item.id) ?? "", "", say);
      return;
    case "message": {
      if (item.role !== "assistant") return;
      // Files with items tell the plan as an item of its own, before the message.
      const { plan } = splitProposal(messageText(item));
      if (plan !== undefined)
        sayProposed(state.self, proposalId(state.self, text(item.id) ?? ""), plan, say);
    }
  }
}

function readCall(state: CodexState, id: string, call: Fields, say: Say) {
  const space = text(call.namespace);
  const name = (text(call.name) ?? "tool").replace(/^functions\./, "");
  const whole = space?.startsWith("mcp__") ? `${space}__${name}` : name;
  const key = `${state.self.agent}:${id}`;
  if (whole === "update_plan")
    return keep(state.open, key, { kind: "plan", name, plan: text(call.arguments) ?? "" });
  if (whole === "mcp__waymark__todos") return keep(state.open, key, { kind: "todos", name });
  const input = parsed(call.arguments) ?? call.arguments;
  const cell = name === "wait" ? text(fields(input)?.cell_id) : undefined;
  openTool(state, id, whole, input, say, cell);
}

function readCustomCall(state: CodexState, id: string, call: Fields, say: Say) {
  const name = text(call.name) ?? "tool";
  const source = text(call.input) ?? "";
  if (name !== "exec" || !touchesList(source)) return openTool(state, id, name, call.input, say);
  const writes = scriptWrites(source);
  keep(state.open, `${state.self.agent}:${id}`, { kind: "script", name, writes });
}

function openTool(
  state: CodexState,
  id: string,
  name: string,
  input: unknown,
  say: Say,
  cell?: string,
) {
  keep(state.open, `${state.self.agent}:${id}`, {
    kind: "tool",
    name,
    ...(cell !== undefined && { cell }),
  });
  say({ type: "tool.started", callId: id, name, input }, id);
}

const REFUSED = /^(?:unsupported call|failed to parse function arguments|Script failed)/;
const ABORTED = /^(?:Wall time: [^\n]*\n)?aborted by user/;

function readOutput(state: CodexState, id: string, item: Fields, say: Say) {
  const key = `${state.self.agent}:${id}`;
  const call = take(state.open, key);
  if (!call) return;
  const output = outputText(item.output) ?? outputText(fields(item.output)?.content) ?? "";
  switch (call.kind) {
    case "plan":
      if (output !== "Plan updated") return sayRefused(output, say);
      return sayPlan(state.self, parsed(call.plan), id, say);
    case "todos":
      return settleTodos(state, id, item.output, say);
    case "script":
      if (!settleScript(state, id, call, output, say)) keep(state.open, key, call);
      return;
    case "tool":
      if (call.cell !== undefined) settleCell(state, call.cell, output, say);
      if (/^Process running with session ID/m.test(output)) {
        keep(state.open, key, call);
        return say({ type: "tool.updated", callId: id, name: call.name, output }, id);
      }
      if (ABORTED.test(output)) keep(state.open, key, { ...call, kind: "ended" });
      return closeTool(id, call.name, output, say);
  }
}

/** A script that went on in the background is waited for by the number of its cell. */
function settleCell(state: CodexState, cell: string, output: string, say: Say) {
  const id = take(state.cells, cell);
  if (id === undefined) return;
  const key = `${state.self.agent}:${id}`;
  const script = take(state.open, key);
  if (script && !settleScript(state, id, script, output, say)) keep(state.open, key, script);
}

/** Where no item told the result, the output is the structured answer as text. */
function settleTodos(state: CodexState, id: string, output: unknown, say: Say) {
  const said = typeof output === "string" ? output : outputText(output);
  const answer = fields(parsed((said ?? "").replace(/^Wall time:[^\n]*\nOutput:\n/, "")));
  if (!answer) return sayRefused(said, say);
  if (!("todos" in answer) && !("changed" in answer)) return sayUnknown(say);
  sayTodos(state.self, answer, id, say);
}

function closeTool(id: string, name: string, output: string, say: Say) {
  const old = fields(output.startsWith("{") ? parsed(output) : undefined);
  const exitCode = headerCode(output) ?? number(fields(old?.metadata)?.exit_code);
  const failed =
    (exitCode !== undefined && exitCode !== 0) || REFUSED.test(output) || ABORTED.test(output);
  say(
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
