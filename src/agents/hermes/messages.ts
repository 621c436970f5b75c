import type { About, DialectState, Emit, Source } from "../agent.ts";
import { answersTo } from "../common/answers.ts";
import { shorten } from "../common/memory.ts";
import { type Fields, fields, list, number, outputText, parsed, text } from "../common/values.ts";
import { isListTool, readListResult } from "./todo.ts";

export interface HermesState extends DialectState {
  started: boolean;
  turn: boolean;
  /** Calls without a result, oldest first. */
  open: OpenCall[];
  /** The revision of the list that was shown last; -1 before the first. */
  revision: number;
  /** The highest revision among the results of one message of the model. */
  newest: number;
  /** Messages of a document that were read before. */
  read: number;
}

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** Of a list call: whether it writes. */
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

/** Answers to open list calls. They count only if nobody spoke before, so that is read too. */
export function wanted({ open }: HermesState): readonly string[] {
  const ids = open.filter(({ name }) => isListTool(name)).map(({ id }) => id);
  return ids.length === 0 ? [] : ['"user"', '"system"', ...answersTo(ids, "tool_call_id")];
}

export function readMessage(state: HermesState, message: Fields, emit: Emit): void {
  const who: About = { at: timeOf(message.timestamp) };
  switch (message.role) {
    case "session_meta":
      start(state, text(message.model), who, emit);
      return;
    case "user": {
      forgetLists(state);
      const prompt = outputText(message.content);
      state.turn = true;
      emit({ type: "turn.started", ...(prompt && { prompt: shorten(prompt, 500) }) }, who);
      return;
    }
    case "system":
      forgetLists(state);
      return;
    case "assistant":
      readAssistant(state, message, who, emit);
      return;
    case "tool":
      readResult(state, message, who, emit);
      return;
  }
}

function start(state: HermesState, model: string | undefined, who: About, emit: Emit): void {
  if (state.started) return;
  state.started = true;
  emit(
    { type: "session.started", ...(model !== undefined && { model }) },
    { ...who, key: state.session || "start" },
  );
}

/** A result that comes after somebody else spoke cannot be trusted to be the tool's. */
function forgetLists(state: HermesState): void {
  state.open = state.open.filter((call) => !isListTool(call.name));
}

function readAssistant(state: HermesState, message: Fields, who: About, emit: Emit): void {
  const said = outputText(message.content);
  if (said) emit({ type: "message", role: "assistant", text: shorten(said, 500) }, who);
  const calls = list(message.tool_calls) ?? [];
  if (calls.length === 0) {
    if (state.turn) emit({ type: "turn.completed" }, who);
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
    // Whoever uses an id again waits no longer for what was asked under it before.
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
        { ...who, key: id },
      );
    }
  }
  if (state.open.length > MAX_OPEN) state.open.splice(0, state.open.length - MAX_OPEN);
}

function readResult(state: HermesState, message: Fields, who: About, emit: Emit): void {
  const id = text(message.tool_call_id);
  const named = text(message.name) ?? text(message.tool_name);
  // Where ids are missing, calls of one name are answered in order. A list needs its id.
  const place = state.open.findIndex((call) =>
    id !== undefined ? call.id === id : call.name === named && !isListTool(call.name),
  );
  const [call] = place === -1 ? [] : state.open.splice(place, 1);
  if (!call) return;
  if (isListTool(call.name)) {
    readListResult(state, call, message.content, { ...who, key: call.id }, emit);
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
    { ...who, key: call.id || undefined },
  );
}

/** Some writers give seconds. */
function timeOf(value: unknown): string | number | undefined {
  const given = number(value);
  return given !== undefined && given < 1e11 ? given * 1_000 : (given ?? text(value));
}
