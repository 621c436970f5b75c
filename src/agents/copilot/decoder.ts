import type { Decoder, Emit, EventContext } from "../agent.ts";
import { forget, remember, shorten } from "../common/memory.ts";
import { resultNeedles } from "../common/result-needles.ts";
import { type Fields, fields, list, number, outputText, text } from "../common/values.ts";
import { isWaymarkTool, WAYMARK_NEEDLES } from "../common/waymark-tool.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import {
  database,
  isListCall,
  LIST_NEEDLES,
  readListCall,
  readRows,
  readWaymarkCall,
} from "./lists.ts";
import { type CopilotState, startRows, startState } from "./state.ts";
import { readUsage, usageLines } from "./usage.ts";

export const copilot: Decoder<CopilotState> = {
  ...identity,
  needles: [
    ...LIST_NEEDLES,
    ...WAYMARK_NEEDLES,
    '"session.start"',
    '"subagent.started"',
    '"session.mode_changed"',
  ],
  pendingNeedles: ({ calls }) =>
    resultNeedles(
      calls.filter(([, { name, input }]) => isList(name, input)).map(([id]) => id),
      "toolCallId",
    ),
  usage: usageLines,
  score,
  start: startState,
  read,
  locations,
  database,
};

/** Records that only Copilot CLI writes. */
const OWN =
  /^(?:session\.(?:skills_loaded|custom_agents_updated|todos_changed|usage_record|mcp_servers_loaded|tools_updated|background_tasks_changed)|model\.call_\w+|assistant\.(?:turn_start|turn_end|idle|message_start|tool_call_delta)|subagent\.\w+|tool\.execution_\w+)$/;

function score(record: unknown): 0 | 1 | 2 {
  const given = fields(record);
  const data = fields(given?.data);
  const type = text(given?.type);
  if (given?.copilot === "rows") return 2;
  if (!data || type === undefined) return 0;
  if (type === "session.start") return data.copilotVersion === undefined ? 0 : 2;
  return given?.parentId !== undefined && OWN.test(type) ? 2 : 0;
}

function isList(name: string, input: unknown): boolean {
  return isListCall(name, input) || isWaymarkTool(name);
}

function read(state: CopilotState, given: unknown, emit: Emit): void {
  const record = fields(given);
  if (!record) return;
  if (record.copilot === "rows") {
    readRows(state, record, emit);
    return;
  }
  const data = fields(record.data) ?? {};
  const context: EventContext = { agentId: text(record.agentId), at: text(record.timestamp) };
  const own = { ...context, key: text(record.id) };
  const agent = context.agentId ?? "main";
  switch (record.type) {
    case "session.start":
      readStart(state, data, context, emit);
      return;
    case "subagent.started":
      readSubagent(data, own, emit);
      return;
    case "subagent.completed":
    case "subagent.failed":
      endSubagent(state, agent, own, emit);
      return;
    case "session.title_changed": {
      const title = text(data.title);
      if (title !== undefined) emit({ type: "session.started", title }, own);
      return;
    }
    case "session.mode_changed":
      emit({ type: "mode.changed", mode: data.newMode === "plan" ? "plan" : "work" }, own);
      return;
    case "session.compaction_complete":
      if (data.success !== false) emit({ type: "session.compacted" }, own);
      return;
    case "session.usage_record":
      readUsage(state, record, emit);
      return;
    case "user.message":
      startTurn(state, agent, data, own, emit);
      return;
    case "assistant.message":
      readMessage(state, agent, data, own, emit);
      return;
    case "assistant.turn_end":
      if (forget(state.answered, agent)) endTurn(state, agent, own, emit);
      return;
    case "assistant.idle":
    case "session.idle":
      endTurn(state, agent, own, emit);
      return;
    case "abort":
      forget(state.turns, agent);
      emit({ type: "turn.cancelled" }, own);
      return;
    case "session.error": {
      forget(state.turns, agent);
      const message = shorten(text(data.message) ?? "failed", 500);
      emit({ type: "turn.failed", message }, own);
      return;
    }
    case "session.shutdown":
      emit({ type: "session.ended" }, own);
      return;
    case "result":
      readResult(state, record, context, emit);
      return;
    case "permission.requested":
      readRequest(data, context, emit);
      return;
    case "permission.completed":
      emit({ type: "input.resolved" }, { ...context, key: text(data.requestId) });
      return;
    case "tool.execution_start":
      startCall(state, data, context, emit);
      return;
    case "tool.execution_complete":
      endCall(state, data, context, emit);
      return;
  }
}

function readStart(state: CopilotState, data: Fields, context: EventContext, emit: Emit): void {
  const id = text(data.sessionId);
  if (state.root === "" && id !== undefined) state.session = id;
  if (state.started) return;
  state.started = true;
  startRows(state);
  const cwd = text(fields(data.context)?.cwd);
  const model = text(data.selectedModel);
  const version = text(data.copilotVersion);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(model !== undefined && { model }),
      ...(version !== undefined && { version }),
    },
    { ...context, key: id ?? (state.session || "start") },
  );
}

function readSubagent(data: Fields, context: EventContext, emit: Emit): void {
  if (context.agentId === undefined) return;
  const name = text(data.agentName);
  const model = text(data.model);
  const title = text(data.agentDescription);
  emit(
    {
      type: "session.started",
      ...(model !== undefined && { model }),
      ...(title !== undefined && { title }),
      ...(name !== undefined && { name }),
      parentId: text(data.parentId) ?? "main",
    },
    context,
  );
}

function endSubagent(state: CopilotState, agent: string, context: EventContext, emit: Emit): void {
  if (context.agentId === undefined) return;
  endTurn(state, agent, context, emit);
  emit({ type: "session.ended" }, context);
}

function startTurn(
  state: CopilotState,
  agent: string,
  data: Fields,
  context: EventContext,
  emit: Emit,
): void {
  const prompt = outputText(data.content);
  remember(state.turns, agent, true);
  emit({ type: "turn.started", ...(prompt && { prompt: shorten(prompt, 500) }) }, context);
}

function endTurn(state: CopilotState, agent: string, context: EventContext, emit: Emit): void {
  if (forget(state.turns, agent)) emit({ type: "turn.completed" }, context);
}

function readMessage(
  state: CopilotState,
  agent: string,
  data: Fields,
  context: EventContext,
  emit: Emit,
): void {
  const content = text(data.content);
  if (content !== undefined)
    emit({ type: "message", role: "assistant", text: shorten(content, 500) }, context);
  if ((list(data.toolRequests) ?? []).length === 0) remember(state.answered, agent, true);
  else forget(state.answered, agent);
}

/** The last line of live output: the only one with the id of the session. */
function readResult(state: CopilotState, record: Fields, context: EventContext, emit: Emit): void {
  const id = text(record.sessionId);
  if (id === undefined) return;
  if (state.root === "") state.session = id;
  const failed = (number(record.exitCode) ?? 0) !== 0;
  if (failed && forget(state.turns, "main"))
    emit({ type: "turn.failed", message: `exit code ${record.exitCode}` }, context);
  emit({ type: "session.ended" }, { ...context, key: "result" });
}

/** Tools that ask the user, and wait for the answer. */
const ASKING = "ask_user";

function readRequest(data: Fields, context: EventContext, emit: Emit): void {
  const request = fields(data.permissionRequest) ?? {};
  const callId = text(request.toolCallId);
  const shown =
    text(request.fullCommandText) ??
    text(request.fileName) ??
    text(request.path) ??
    text(request.url) ??
    text(request.toolName) ??
    text(request.intention);
  emit(
    {
      type: "input.requested",
      kind: "permission",
      ...(shown !== undefined && { text: shorten(shown, 500) }),
      ...(callId !== undefined && { callId }),
    },
    { ...context, key: text(data.requestId) },
  );
}

function startCall(state: CopilotState, data: Fields, context: EventContext, emit: Emit): void {
  const callId = text(data.toolCallId);
  const name = text(data.toolName);
  if (callId === undefined || name === undefined) return;
  const input = data.arguments ?? undefined;
  const hidden = isList(name, input);
  remember(state.calls, callId, { name, ...(hidden && { input }) });
  if (hidden) return;
  const keyed = { ...context, key: callId };
  emit({ type: "tool.started", callId, name, ...(input !== undefined && { input }) }, keyed);
  if (name !== ASKING) return;
  const question = text(fields(input)?.message) ?? text(fields(input)?.question);
  emit(
    {
      type: "input.requested",
      kind: "question",
      tool: name,
      ...(question !== undefined && { text: shorten(question, 500) }),
      callId,
    },
    keyed,
  );
}

function endCall(state: CopilotState, data: Fields, context: EventContext, emit: Emit): void {
  const callId = text(data.toolCallId);
  const call = callId === undefined ? undefined : forget(state.calls, callId);
  if (callId === undefined || !call) return;
  const { name, input } = call;
  const keyed = { ...context, key: callId };
  const result = fields(data.result);
  const failed = data.success === false;
  const answer = failed ? fields(data.error)?.message : result?.content;
  if (isWaymarkTool(name)) {
    readWaymarkCall(state, input, { failed, output: text(answer) ?? "" }, keyed, emit);
    return;
  }
  if (isListCall(name, input)) {
    readListCall(state, name, input, { failed, output: text(answer) ?? "" }, keyed, emit);
    return;
  }
  if (name === ASKING) emit({ type: "input.resolved" }, keyed);
  const output = outputText(answer);
  const exitCode = number(fields(data.shellExecution)?.exitCode);
  emit(
    {
      type: failed || (exitCode ?? 0) !== 0 ? "tool.failed" : "tool.completed",
      name,
      callId,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    keyed,
  );
}
