import type { About, DialectState, Emit, Source } from "../agent.ts";
import { answersTo } from "./answers.ts";
import { forget, type Memory, remember, shorten } from "./memory.ts";
import { type Fields, fields, list, number, outputText, text } from "./values.ts";

/**
 * The session files and event lines of pi, which several agents are built on. They differ in the
 * tool that keeps the list, so that is handed in.
 */

export interface PiState extends DialectState {
  /** Given by the place of the file: then the header's own id does not count. */
  root: string;
  agent: string;
  parent: string;
  started: boolean;
  planning: boolean;
  /** Calls without a result yet. */
  calls: Memory<PiCall>;
}

interface PiCall {
  readonly name: string;
  /** Only of list calls: results of other calls say enough. */
  readonly input?: unknown;
}

/** The result of a call of the list tool. */
export interface PiResult {
  readonly name: string;
  readonly failed: boolean;
  readonly details: Fields | undefined;
  readonly output: string | undefined;
  /** What the call was made with, where it was seen. */
  readonly input: unknown;
}

export interface PiLists {
  readonly tools: readonly string[];
  result(result: PiResult, todoId: string, who: About, emit: Emit): void;
  /** Entries of the agent's own. */
  custom?(type: string, data: Fields, todoId: string, who: About, emit: Emit): void;
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

/** Answers to open calls of the list tool. */
export function wantedPi({ calls }: PiState, { tools }: PiLists): readonly string[] {
  const ids = calls.filter(([, { name }]) => tools.includes(name)).map(([id]) => id);
  return answersTo(ids, "toolCallId");
}

/** A line of a session file, or an event of the live output. */
export function readPi(state: PiState, record: unknown, lists: PiLists, emit: Emit): void {
  const entry = fields(record);
  if (!entry) return;
  const who: About = { at: timeOf(entry.timestamp) };
  const own = { ...who, key: text(entry.id) };
  const message = fields(entry.message);
  switch (entry.type) {
    case "session":
      readHeader(state, entry, who, emit);
      return;
    case "message":
      if (message) readMessage(state, message, who, lists, emit);
      return;
    case "message_end":
      // The result of a call comes as an event of its own too.
      if (message && message.role !== "toolResult")
        readMessage(state, message, { at: timeOf(message.timestamp) }, withoutCalls(lists), emit);
      return;
    case "tool_execution_start":
      startCall(state, text(entry.toolCallId), text(entry.toolName), entry.args, who, lists, emit);
      return;
    case "tool_execution_end":
      endCall(state, entry, fields(entry.result) ?? {}, who, lists, emit);
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

interface MessageLists extends PiLists {
  /** Calls are said by events of their own. */
  readonly silent?: true;
}

function withoutCalls(lists: PiLists): MessageLists {
  return { ...lists, silent: true };
}

function readHeader(state: PiState, header: Fields, who: About, emit: Emit): void {
  const id = text(header.id);
  if (state.root === "" && id !== undefined) state.session = id;
  if (state.started) return;
  state.started = true;
  const cwd = text(header.cwd);
  const title = text(header.title);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(title !== undefined && { title }),
      ...(state.agent !== "main" && { parentId: state.parent || "main", name: state.agent }),
    },
    { ...who, key: id ?? state.session },
  );
}

function readMessage(
  state: PiState,
  message: Fields,
  who: About,
  lists: MessageLists,
  emit: Emit,
): void {
  const content = message.content;
  if (message.role === "user") {
    const prompt = outputText(content);
    emit({ type: "turn.started", ...(prompt && { prompt: shorten(prompt, 500) }) }, who);
  } else if (message.role === "toolResult") endCall(state, message, message, who, lists, emit);
  else if (message.role === "assistant") {
    for (const block of list(content) ?? []) {
      const part = fields(block);
      const said = text(part?.text);
      if (part?.type === "toolCall" && !lists.silent)
        startCall(state, text(part.id), text(part.name), part.arguments, who, lists, emit);
      else if (part?.type === "text" && said !== undefined)
        emit({ type: "message", role: "assistant", text: shorten(said, 500) }, who);
    }
    endTurn(message, who, emit);
  }
}

function endTurn(message: Fields, who: About, emit: Emit): void {
  switch (message.stopReason) {
    case "stop":
    case "length":
      emit({ type: "turn.completed" }, who);
      return;
    case "aborted":
      emit({ type: "turn.cancelled" }, who);
      return;
    case "error":
      emit(
        {
          type: "turn.failed",
          message: shorten(text(message.errorMessage) ?? "the model gave an error", 500),
        },
        who,
      );
      return;
  }
}

function startCall(
  state: PiState,
  callId: string | undefined,
  name: string | undefined,
  input: unknown,
  who: About,
  lists: PiLists,
  emit: Emit,
): void {
  if (callId === undefined || name === undefined) return;
  const hidden = lists.tools.includes(name);
  remember(state.calls, callId, { name, ...(hidden && input != null && { input }) });
  if (!hidden)
    emit(
      { type: "tool.started", callId, name, ...(input != null && { input }) },
      { ...who, key: callId },
    );
}

/** `said` names the call, `result` says how it went: one object in files, two in events. */
function endCall(
  state: PiState,
  said: Fields,
  result: Fields,
  who: About,
  lists: PiLists,
  emit: Emit,
): void {
  const callId = text(said.toolCallId);
  const call = callId === undefined ? undefined : forget(state.calls, callId);
  const name = text(said.toolName) ?? call?.name;
  if (name === undefined) return;
  const about = { ...who, key: callId };
  const failed = said.isError === true;
  const details = fields(result.details);
  const output = outputText(result.content);
  if (lists.tools.includes(name)) {
    lists.result(
      { name, failed, details, output, input: call?.input },
      todoIdOf(state),
      about,
      emit,
    );
    return;
  }
  const exitCode = number(details?.exitCode);
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      name,
      ...(callId !== undefined && { callId }),
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    about,
  );
}

function setMode(state: PiState, planning: boolean, who: About, emit: Emit): void {
  if (state.planning === planning) return;
  state.planning = planning;
  emit({ type: "mode.changed", mode: planning ? "plan" : "work" }, who);
}

function todoIdOf(state: PiState): string {
  return `${state.session || "unknown"}-${state.agent}`;
}

function timeOf(value: unknown): string | number | undefined {
  return text(value) ?? number(value);
}

/** Whether a record has the form that all of these agents share. */
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
