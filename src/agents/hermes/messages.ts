import type { DecoderState, Emit, EventContext, Source } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { resultNeedles } from "../common/result-needles.ts";
import { type Fields, fields, list, number, outputText, parsed, text } from "../common/values.ts";
import { isListTool, readListResult } from "./todo.ts";

export interface HermesState extends DecoderState {
  started: boolean;
  turn: boolean;
  /** Pending calls, oldest first. */
  open: OpenCall[];
  /** The revision of the last emitted list; -1 before the first. */
  revision: number;
  /** The highest revision in the results of the current message of the model. */
  newest: number;
  /** The number of messages of a document that were read. */
  read: number;
}

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** For a list call: whether it writes. */
  readonly writes?: boolean;
}

const MAX_OPEN = 1_000;

export function startState(source: Source): HermesState {
  return {
    session: source.session ?? "",
    started: false,
    turn: false,
    open: [],
    revision: -1,
    newest: -1,
    read: 0,
  };
}

/** Needles for the results of pending list calls, and for messages in between, which invalidate them. */
export function pendingNeedles({ open }: HermesState): readonly string[] {
  const ids = open.filter(({ name }) => isListTool(name)).map(({ id }) => id);
  return ids.length === 0 ? [] : ['"user"', '"system"', ...resultNeedles(ids, "tool_call_id")];
}

export function readMessage(state: HermesState, message: Fields, emit: Emit): void {
  const context: EventContext = { at: timeOf(message.timestamp) };
  switch (message.role) {
    case "session_meta":
      start(state, text(message.model), context, emit);
      return;
    case "user": {
      forgetLists(state);
      const prompt = outputText(message.content);
      state.turn = true;
      emit({ type: "turn.started", ...(prompt && { prompt: shorten(prompt, 500) }) }, context);
      return;
    }
    case "system":
      forgetLists(state);
      return;
    case "assistant":
      readAssistant(state, message, context, emit);
      return;
    case "tool":
      readResult(state, message, context, emit);
      return;
  }
}

function start(
  state: HermesState,
  model: string | undefined,
  context: EventContext,
  emit: Emit,
): void {
  if (state.started) return;
  state.started = true;
  emit(
    { type: "session.started", ...(model !== undefined && { model }) },
    { ...context, key: state.session || "start" },
  );
}

/** Drops pending list calls. A result after another message may not be from the tool. */
function forgetLists(state: HermesState): void {
  state.open = state.open.filter((call) => !isListTool(call.name));
}

function readAssistant(
  state: HermesState,
  message: Fields,
  context: EventContext,
  emit: Emit,
): void {
  const content = outputText(message.content);
  if (content) emit({ type: "message", role: "assistant", text: shorten(content, 500) }, context);
  const calls = list(message.tool_calls) ?? [];
  if (calls.length === 0) {
    if (state.turn) emit({ type: "turn.completed" }, context);
    state.turn = false;
    return;
  }
  for (const entry of calls) {
    const call = fields(entry);
    const made = fields(call?.function);
    const id = text(call?.id) ?? text(call?.call_id);
    const name = text(made?.name);
    if (name === undefined) continue;
    const input = parsed(made?.arguments);
    // A reused id replaces the earlier call.
    if (id !== undefined) state.open = state.open.filter((call) => call.id !== id);
    if (isListTool(name)) {
      state.newest = -1;
      const writes = fields(input)?.todos != null;
      if (id !== undefined) state.open.push({ id, name, writes });
    } else {
      state.open.push({ id: id ?? "", name });
      emit(
        {
          type: "tool.started",
          name,
          ...(id !== undefined && { callId: id }),
          ...(input != null && { input }),
        },
        { ...context, key: id },
      );
    }
  }
  if (state.open.length > MAX_OPEN) state.open.splice(0, state.open.length - MAX_OPEN);
}

function readResult(state: HermesState, message: Fields, context: EventContext, emit: Emit): void {
  const id = text(message.tool_call_id);
  const named = text(message.name) ?? text(message.tool_name);
  // Without ids, calls of the same name are answered in order. List calls need an id.
  const index = state.open.findIndex((call) =>
    id !== undefined ? call.id === id : call.name === named && !isListTool(call.name),
  );
  const [call] = index === -1 ? [] : state.open.splice(index, 1);
  if (!call) return;
  if (isListTool(call.name)) {
    readListResult(state, call, message.content, { ...context, key: call.id }, emit);
    return;
  }
  const output = outputText(message.content);
  const result = fields(parsed(message.content));
  const exitCode = number(result?.exit_code);
  const failed = text(result?.error) !== undefined || result?.success === false;
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      name: call.name,
      ...(call.id !== "" && { callId: call.id }),
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    { ...context, key: call.id || undefined },
  );
}

/** The time of a message. Some writers use seconds. */
function timeOf(value: unknown): string | number | undefined {
  const given = number(value);
  return given !== undefined && given < 1e11 ? given * 1_000 : (given ?? text(value));
}
