import type { DecoderState, Emit, EventContext, Source, UsageLines } from "../agent.ts";
import { forget, type Memory, remember, shorten } from "./memory.ts";
import { resultNeedles } from "./result-needles.ts";
import { type UsageShape, usageOf } from "./usage.ts";
import { type Fields, fields, list, number, outputText, shellExitCode, text } from "./values.ts";

/**
 * Reads the session files and live events of pi, which several agents are built on. The agents differ in their list
 * tool, which they pass as `PiLists`.
 */

export interface PiState extends DecoderState {
  /** The session id from the path of the file. If set, the id in the header is ignored. */
  root: string;
  agent: string;
  parent: string;
  started: boolean;
  planning: boolean;
  /** Calls whose result is pending. */
  calls: Memory<PiCall>;
  /** The title in the first line, which is rewritten in place. */
  title?: string;
  /** When the session started. Earlier entries are copies from the session that it continues. */
  begunAt?: number;
}

interface PiCall {
  readonly name: string;
  /** Kept for list calls only; the results of other calls are self-contained. */
  readonly input?: unknown;
}

/** The result of a call of the list tool. */
export interface PiResult {
  readonly name: string;
  readonly failed: boolean;
  readonly details: Fields | undefined;
  readonly output: string | undefined;
  /** The input of the call, if the call was seen. */
  readonly input: unknown;
}

export interface PiLists {
  readonly tools: readonly string[];
  result(result: PiResult, todoId: string, context: EventContext, emit: Emit): void;
  /** Reads custom entries of the agent. */
  custom?(type: string, data: Fields, todoId: string, context: EventContext, emit: Emit): void;
}

export function startPi(source: Source): PiState {
  return {
    session: source.session ?? "",
    root: source.session ?? "",
    agent: source.agent ?? "main",
    parent: source.parent ?? "",
    started: false,
    planning: false,
    calls: [],
  };
}

/** Needles for the results of pending list calls. */
export function wantedPi({ calls }: PiState, { tools }: PiLists): readonly string[] {
  const ids = calls.filter(([, { name }]) => tools.includes(name)).map(([id]) => id);
  return resultNeedles(ids, "toolCallId");
}

/** Reads a line of a session file or an event of the live output. */
export function readPi(state: PiState, record: unknown, lists: PiLists, emit: Emit): void {
  const entry = fields(record);
  if (!entry) return;
  const context: EventContext = { at: timeOf(entry.timestamp) };
  const own = { ...context, key: text(entry.id) };
  const message = fields(entry.message);
  switch (entry.type) {
    case "session":
      readHeader(state, entry, context, emit);
      return;
    case "title":
      readTitle(state, entry);
      return;
    case "message":
      if (message) readMessage(state, message, context, lists, emit);
      return;
    case "message_end":
      // The result of a call also comes as a separate event.
      if (message && message.role !== "toolResult")
        readMessage(state, message, { at: timeOf(message.timestamp) }, withoutCalls(lists), emit);
      return;
    case "tool_execution_start":
      startCall(
        state,
        text(entry.toolCallId),
        text(entry.toolName),
        entry.args,
        context,
        lists,
        emit,
      );
      return;
    case "tool_execution_end":
      endCall(state, entry, fields(entry.result) ?? {}, context, lists, emit);
      return;
    case "compaction":
      emit({ type: "session.compacted" }, own);
      return;
    case "mode_change":
      setMode(state, entry.mode === "plan", own, emit);
      return;
    case "custom": {
      const type = text(entry.customType);
      if (type === "session_exit") emit({ type: "session.ended" }, own);
      else if (type !== undefined)
        lists.custom?.(type, fields(entry.data) ?? {}, todoIdOf(state), own, emit);
      return;
    }
  }
}

function readTitle(state: PiState, { title }: Fields): void {
  const given = text(title);
  if (given !== undefined) state.title = given;
}

interface MessageLists extends PiLists {
  /** Calls are reported by separate events. */
  readonly skipsCalls?: true;
}

function withoutCalls(lists: PiLists): MessageLists {
  return { ...lists, skipsCalls: true };
}

function readHeader(state: PiState, header: Fields, context: EventContext, emit: Emit): void {
  const id = text(header.id);
  if (state.root === "" && id !== undefined) state.session = id;
  if (state.started) return;
  state.started = true;
  const begunAt = dateOf(header.timestamp);
  if (begunAt !== undefined) state.begunAt = begunAt;
  const cwd = text(header.cwd);
  const title = state.title ?? text(header.title);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(title !== undefined && { title }),
      ...(state.agent !== "main" && { parentId: state.parent || "main", name: state.agent }),
    },
    { ...context, key: id ?? state.session },
  );
}

function readMessage(
  state: PiState,
  message: Fields,
  context: EventContext,
  lists: MessageLists,
  emit: Emit,
): void {
  const content = message.content;
  if (message.role === "user") {
    const prompt = outputText(content);
    emit({ type: "turn.started", ...(prompt && { prompt: shorten(prompt, 500) }) }, context);
  } else if (message.role === "toolResult") endCall(state, message, message, context, lists, emit);
  else if (message.role === "assistant") {
    for (const block of list(content) ?? []) {
      const part = fields(block);
      const content = text(part?.text);
      if (part?.type === "toolCall" && !lists.skipsCalls)
        startCall(state, text(part.id), text(part.name), part.arguments, context, lists, emit);
      else if (part?.type === "text" && content !== undefined)
        emit({ type: "message", role: "assistant", text: shorten(content, 500) }, context);
    }
    endTurn(message, context, emit);
    emitUsage(state, message, context, emit);
  }
}

const USAGE: UsageShape = {
  input: ["input"],
  output: ["output"],
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite",
  reasoning: "reasoning",
};

/** How to read usage from session files. */
export const PI_USAGE: UsageLines<PiState> = {
  needle: ['"usage"', '"assistant"'],
  fields: { type: true, timestamp: true, message: { role: true, model: true, usage: true } },
  read(state, record, emit) {
    const entry = fields(record);
    const message = fields(entry?.message);
    if (entry?.type !== "message" || message?.role !== "assistant") return;
    emitUsage(state, message, { at: timeOf(entry.timestamp) }, emit);
  },
};

function emitUsage(state: PiState, message: Fields, context: EventContext, emit: Emit): void {
  const usage = usageOf(fields(message.usage) ?? {}, USAGE);
  const at = dateOf(context.at);
  if (!usage || (at !== undefined && at < (state.begunAt ?? at))) return;
  const model = text(message.model);
  const key = at === undefined ? undefined : String(at);
  emit({ type: "usage", ...(model !== undefined && { model }), usage }, { ...context, key });
}

function dateOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : number(value);
  return time === undefined || Number.isNaN(time) ? undefined : time;
}

function endTurn(message: Fields, context: EventContext, emit: Emit): void {
  switch (message.stopReason) {
    case "stop":
    case "length":
      emit({ type: "turn.completed" }, context);
      return;
    case "aborted":
      emit({ type: "turn.cancelled" }, context);
      return;
    case "error":
      emit(
        {
          type: "turn.failed",
          message: shorten(text(message.errorMessage) ?? "the model returned an error", 500),
        },
        context,
      );
      return;
  }
}

function startCall(
  state: PiState,
  callId: string | undefined,
  name: string | undefined,
  input: unknown,
  context: EventContext,
  lists: PiLists,
  emit: Emit,
): void {
  if (callId === undefined || name === undefined) return;
  const hidden = lists.tools.includes(name);
  remember(state.calls, callId, { name, ...(hidden && input != null && { input }) });
  if (!hidden)
    emit(
      { type: "tool.started", callId, name, ...(input != null && { input }) },
      { ...context, key: callId },
    );
}

/** `entry` names the call and `result` has its outcome: one object in files, two in live events. */
function endCall(
  state: PiState,
  entry: Fields,
  result: Fields,
  context: EventContext,
  lists: PiLists,
  emit: Emit,
): void {
  const callId = text(entry.toolCallId);
  const call = callId === undefined ? undefined : forget(state.calls, callId);
  const name = text(entry.toolName) ?? call?.name;
  if (name === undefined) return;
  const keyed = { ...context, key: callId };
  const failed = entry.isError === true;
  const details = fields(result.details);
  const output = outputText(result.content);
  if (lists.tools.includes(name)) {
    lists.result(
      { name, failed, details, output, input: call?.input },
      todoIdOf(state),
      keyed,
      emit,
    );
    return;
  }
  const isShell = name === "bash" && failed;
  const exitCode = number(details?.exitCode) ?? (isShell ? shellExitCode(output ?? "") : undefined);
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      name,
      ...(callId !== undefined && { callId }),
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    keyed,
  );
}

function setMode(state: PiState, planning: boolean, context: EventContext, emit: Emit): void {
  if (state.planning === planning) return;
  state.planning = planning;
  emit({ type: "mode.changed", mode: planning ? "plan" : "work" }, context);
}

function todoIdOf(state: PiState): string {
  return `${state.session || "unknown"}-${state.agent}`;
}

function timeOf(value: unknown): string | number | undefined {
  return text(value) ?? number(value);
}

/** Whether a record has the format that these agents share. */
export function isPiEntry(record: unknown): boolean {
  const entry = fields(record);
  if (!entry) return false;
  if (entry.type === "session")
    return text(entry.id) !== undefined && text(entry.cwd) !== undefined;
  if (entry.type === "message") return text(fields(entry.message)?.role) !== undefined;
  return /^(?:tool_execution_(?:start|update|end)|message_end|agent_start|agent_end)$/.test(
    String(entry.type),
  );
}
