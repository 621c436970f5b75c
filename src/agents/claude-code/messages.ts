import type { Emit } from "../agent.ts";
import { forget, recall, remember, shorten } from "../common/memory.ts";
import { bareName, type Fields, fields, list, outputText, text } from "../common/values.ts";
import { dataOf, emitRejected } from "./lists.ts";
import { readDecision, readMode, readPlanFile, readProposal } from "./plans.ts";
import { agentOf, type CallWithResult, type ClaudeState, contextOf, type Line } from "./state.ts";
import { readTaskAnswer } from "./tasks.ts";
import { readTodoWrite } from "./todo-write.ts";
import { endTurn, readPrompt, startSession, startTurn } from "./turns.ts";
import { isWaymarkTool, readWaymarkCall } from "./waymark.ts";

const MAX_TEXT = 500;

/** One name for Waymark's tool, whatever its server is called. */
const WAYMARK_TOOL = "mcp__waymark__todos";

const READS = new Set(["TaskList", "TaskGet"]);
const LISTS = new Set(["TodoWrite", "TaskCreate", "TaskUpdate", ...READS]);
const PLANS = new Set(["EnterPlanMode", "ExitPlanMode"]);

/** The canonical name of a list or plan tool. Undefined for any other tool. */
function listName(name: string): string | undefined {
  if (LISTS.has(name) || PLANS.has(name)) return name;
  if (!isWaymarkTool(name)) return undefined;
  const bare = bareName(name);
  if (bare === "todos") return WAYMARK_TOOL;
  return LISTS.has(bare) ? bare : undefined;
}

export function readAssistant(state: ClaudeState, line: Line, message: Fields, emit: Emit): void {
  const id = text(message.id);
  startSession(state, line, text(message.model), emit);
  const agent = agentOf(state, line.agent);
  if (id === undefined || agent.endedBy !== id) startTurn(state, line, undefined, emit);
  (list(message.content) ?? []).forEach((entry, index) => {
    const block = fields(entry);
    if (block?.type === "tool_use") readCall(state, line, block, emit);
    const content = block?.type === "text" ? text(block.text) : undefined;
    if (content !== undefined)
      emit(
        { type: "message", role: "assistant", text: shorten(content, MAX_TEXT) },
        contextOf(line, line.uuid && (index === 0 ? line.uuid : `${line.uuid}.${index}`)),
      );
  });
}

export function readUser(state: ClaudeState, line: Line, message: Fields, emit: Emit): void {
  const blocks = list(message.content);
  if (!blocks) {
    const prompt = text(message.content);
    if (prompt !== undefined) readPrompt(state, line, prompt, emit);
    return;
  }
  const results = blocks.map(fields).filter((block) => block?.type === "tool_result");
  // The data of a line belongs to its only result. With several results it is ambiguous.
  const own: Line = results.length === 1 ? line : withoutResult(line);
  for (const block of results) if (block) readResult(state, own, block, emit);
  if (results.length > 0) return;
  const prompt = outputText(blocks.filter((entry) => fields(entry)?.type === "text"));
  if (prompt) readPrompt(state, line, prompt, emit);
}

function withoutResult({ result: _, ...line }: Line): Line {
  return line;
}

function readCall(state: ClaudeState, line: Line, block: Fields, emit: Emit): void {
  const callId = text(block.id);
  const full = text(block.name);
  if (callId === undefined || full === undefined) return;
  const name = listName(full);
  // A reused id replaces the earlier call.
  forget(name === undefined ? state.awaited : state.calls, callId);
  if (name !== undefined) {
    remember(state.awaited, callId, {
      name,
      input: block.input,
      ...(READS.has(name) && { touched: [] }),
    });
    if (name === "ExitPlanMode") readProposal(state, line, callId, block.input, emit);
    return;
  }
  remember(state.calls, callId, { name: full });
  if (full === "Write") readPlanFile(state, line, block.input);
  if (full === "Agent" || full === "Task") {
    const kind = text(fields(block.input)?.subagent_type);
    remember(state.children, callId, {
      agent: callId,
      parent: line.agent,
      ...(kind !== undefined && { name: kind }),
    });
  }
  emit(
    {
      type: "tool.started",
      callId,
      name: full,
      ...(block.input !== undefined && { input: block.input }),
    },
    contextOf(line, callId),
  );
}

function readResult(state: ClaudeState, line: Line, block: Fields, emit: Emit): void {
  const callId = text(block.tool_use_id);
  if (callId === undefined) return;
  const call = forget(state.awaited, callId) ?? forget(state.calls, callId);
  if (!call) return;
  const { content } = block;
  const failed = block.is_error === true;
  const isList = call.name === WAYMARK_TOOL || LISTS.has(call.name);
  const answer = { callId, call, content, data: isList ? dataOf(line, content) : undefined };
  if (call.name === "ExitPlanMode") readDecision(state, line, answer, failed, emit);
  else if (call.name === "EnterPlanMode") {
    if (!failed) readMode(state, line, "plan", callId, emit);
  } else if (!isList) readToolAnswer(state, line, answer, failed, emit);
  else if (failed) {
    if (!READS.has(call.name)) emitRejected(line, callId, content, emit);
  } else if (call.name === "TodoWrite") readTodoWrite(state, line, answer, emit);
  else if (call.name === WAYMARK_TOOL) readWaymarkCall(state, line, answer, emit);
  else readTaskAnswer(state, line, answer, emit);
}

function readToolAnswer(
  state: ClaudeState,
  line: Line,
  { callId, call, content }: CallWithResult,
  isError: boolean,
  emit: Emit,
): void {
  const data = fields(line.result);
  const failed = isError || data?.interrupted === true;
  const output = outputText(content);
  const exitCode = call.name === "Bash" ? exitCodeOf(output, data, failed) : undefined;
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      callId,
      name: call.name,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    contextOf(line, callId),
  );
  const child = recall(state.children, callId);
  // A background subagent continues after its call has a result.
  if (child && data?.status !== "async_launched")
    endTurn(state, { ...line, agent: child.agent }, failed ? output : undefined, callId, emit);
}

/** Output of a failed command starts with its exit code. Other commands exited with 0, unless they still run. */
function exitCodeOf(
  output: string | undefined,
  data: Fields | undefined,
  failed: boolean,
): number | undefined {
  if (failed) {
    const code = /^(?:Error: )?Exit code (\d+)/.exec(output ?? "")?.[1];
    return code === undefined ? undefined : Number(code);
  }
  return data?.backgroundTaskId === undefined && data?.returnCodeInterpretation === undefined
    ? 0
    : undefined;
}
