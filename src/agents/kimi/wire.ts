import type { Emit, EventContext } from "../agent.ts";
import { forget, remember, shorten } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import {
  type Fields,
  fields,
  items,
  list,
  number,
  outputText,
  shellExitCode,
  text,
} from "../common/values.ts";
import {
  foldWaymarkCall,
  isPatch,
  isWaymarkTool,
  MAX_WAYMARK_ITEMS,
  refusalOf,
} from "../common/waymark-tool.ts";
import { type KimiState, todoIdOf } from "./state.ts";
import { readUsage } from "./usage.ts";

export function isListTool(name: string): boolean {
  return name === "TodoList" || name === "SetTodoList";
}

/**
 * Reads a line of `wire.jsonl`. The lines `agent.message.appended` repeat the turn at its end and are skipped, like the
 * lines `context.append_message`, which repeat prompts.
 */
export function readWire(state: KimiState, record: Fields, emit: Emit): void {
  const context: EventContext = { at: number(record.time) };
  switch (record.type) {
    case "profile.bind":
      start(state, { cwd: text(fields(record.environmentDisclosure)?.cwd) }, context, emit);
      return;
    case "llm.request":
      nameModel(state, record, context, emit);
      return;
    case "usage.record":
      readUsage(state, record, emit);
      return;
    case "turn.prompt":
    case "turn.steer":
      readPrompt(record, context, emit);
      return;
    case "turn.ended":
      endTurn(record, context, emit);
      return;
    case "context.append_loop_event":
      readStep(state, fields(record.event) ?? {}, context, emit);
      return;
    case "tools.update_store":
      if (record.key === "todo") readStore(state, list(record.value) ?? [], context, emit);
      return;
    case "subagent.spawned":
      readChild(record, context, emit);
      return;
    case "interaction.request":
      readRequest(record, context, emit);
      return;
    case "interaction.resolved":
      emit({ type: "input.resolved" }, { ...context, key: text(record.id) });
      return;
    case "plan_mode.enter":
      emit({ type: "mode.changed", mode: "plan" }, context);
      return;
    case "plan_mode.exit":
    case "plan_mode.cancel":
      emit({ type: "mode.changed", mode: "work" }, context);
      return;
    case "context.apply_compaction":
      emit({ type: "session.compacted" }, context);
      return;
    default:
      readState(state, record, emit);
  }
}

function start(
  state: KimiState,
  known: { readonly cwd?: string | undefined; readonly title?: string | undefined },
  context: EventContext,
  emit: Emit,
): void {
  if (state.started) return;
  state.started = true;
  const { cwd, title } = known;
  const isChild = state.agent !== "main";
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(title !== undefined && { title }),
      ...(isChild && { parentId: state.parent || "main" }),
    },
    { ...context, key: "start" },
  );
}

/** Reads `state.json`, which is rewritten. A title of the program's own making is the start of the first prompt. */
function readState(state: KimiState, record: Fields, emit: Emit): void {
  const cwd = text(record.cwd);
  const title = text(record.title);
  if (record.version !== 2 || !fields(record.agents) || (cwd === undefined && title === undefined))
    return;
  const at = number(record.createdAt);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(title !== undefined && { title }),
    },
    { key: `state-${title ?? ""}`, at },
  );
  state.started = true;
}

/** A request has the name of the model; the usage of the request only has its name in the configuration. */
function nameModel(state: KimiState, record: Fields, context: EventContext, emit: Emit): void {
  const alias = text(record.modelAlias);
  const model = text(record.model);
  if (alias === undefined || model === undefined) return;
  const isNew = !state.models.some(([known, name]) => known === alias && name === model);
  remember(state.models, alias, model);
  if (isNew)
    emit({ type: "session.started", model }, { ...context, key: `model-${alias}-${model}` });
}

function readPrompt(record: Fields, context: EventContext, emit: Emit): void {
  if (record.type === "turn.steer" && fields(record.origin)?.kind !== "user") return;
  const prompt = outputText(record.input);
  emit(
    { type: "turn.started", ...(prompt && { prompt: shorten(prompt, 500) }) },
    { ...context, key: text(record.promptId) },
  );
}

function endTurn(record: Fields, context: EventContext, emit: Emit): void {
  switch (record.reason) {
    case "completed":
      emit({ type: "turn.completed" }, context);
      return;
    case "cancelled":
    case "aborted":
      emit({ type: "turn.cancelled" }, context);
      return;
    default: {
      const message = text(fields(record.error)?.message) ?? text(record.reason) ?? "failed";
      emit({ type: "turn.failed", message: shorten(message, 500) }, context);
    }
  }
}

function readStep(state: KimiState, event: Fields, context: EventContext, emit: Emit): void {
  const callId = text(event.toolCallId);
  const keyed = { ...context, key: callId };
  switch (event.type) {
    case "content.part": {
      const part = fields(event.part);
      const content = text(part?.text);
      if (part?.type === "text" && content !== undefined)
        emit(
          { type: "message", role: "assistant", text: shorten(content, 500) },
          { ...context, key: text(event.uuid) },
        );
      return;
    }
    case "tool.call": {
      const name = text(event.name);
      if (callId === undefined || name === undefined) return;
      const isList = isListTool(name) || isWaymarkTool(name);
      remember(state.calls, callId, { name, ...(isList && { input: event.args }) });
      if (isList) return;
      const input = fields(event.args);
      emit({ type: "tool.started", callId, name, ...(input && { input }) }, keyed);
      return;
    }
    case "tool.result":
      endCall(state, callId, fields(event.result) ?? {}, keyed, emit);
      return;
  }
}

function endCall(
  state: KimiState,
  callId: string | undefined,
  result: Fields,
  context: EventContext,
  emit: Emit,
): void {
  const call = callId === undefined ? undefined : forget(state.calls, callId);
  if (!call) return;
  const { name, input } = call;
  const failed = result.isError === true;
  const output = outputText(result.output);
  if (isListTool(name)) {
    if (failed) emitRejected(output, context, emit);
    return;
  }
  if (isWaymarkTool(name)) {
    if (failed) emitRejected(refusalOf(output ?? "the write failed"), context, emit);
    else readWaymarkCall(state, input, output, context, emit);
    return;
  }
  const exitCode = name === "Bash" && failed ? shellExitCode(output ?? "") : undefined;
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      name,
      ...(callId !== undefined && { callId }),
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    context,
  );
}

/**
 * The list after an accepted write. It comes before the result of the call, whose id counts once: a call without a result
 * stays known, and the lists after it are others.
 */
function readStore(
  state: KimiState,
  todos: readonly unknown[],
  context: EventContext,
  emit: Emit,
): void {
  const [callId, call] =
    state.calls.findLast(([, { name, isStored }]) => isListTool(name) && !isStored) ?? [];
  if (callId !== undefined && call) remember(state.calls, callId, { ...call, isStored: true });
  const warn: Emit = (body) => emit(body, context);
  emit(
    {
      type: "todo_list",
      todoId: todoIdOf(state),
      items: items(todos, { text: ["title"] }, warn),
    },
    { ...context, key: callId },
  );
}

function readWaymarkCall(
  state: KimiState,
  input: unknown,
  output: string | undefined,
  context: EventContext,
  emit: Emit,
): void {
  const warn: Emit = (body) => emit(body, { ...context, key: undefined });
  const after = foldWaymarkCall(state.waymarkList, input, output, warn);
  if (!after) {
    emit(
      {
        type: "warning",
        code: "list_unknown",
        message: "the list was changed, but the list before the change is unknown",
      },
      context,
    );
    return;
  }
  state.waymarkList = after.slice(0, MAX_WAYMARK_ITEMS);
  const emitAfter = isPatch(input) ? stepwise(emit) : emit;
  emitAfter({ type: "todo_list", todoId: todoIdOf(state), items: after }, context);
}

function emitRejected(output: string | undefined, context: EventContext, emit: Emit): void {
  const message = shorten(output ?? "the write failed", 200);
  emit({ type: "warning", code: "list_rejected", message }, context);
}

/** Reads the start of a subagent in the file of its parent. Its own file has its list. */
function readChild(record: Fields, context: EventContext, emit: Emit): void {
  const agentId = text(record.subagentId);
  if (agentId === undefined) return;
  const name = text(record.subagentName);
  const title = text(record.description);
  emit(
    {
      type: "session.started",
      parentId: text(record.parentAgentId) ?? "main",
      ...(name !== undefined && { name }),
      ...(title !== undefined && { title }),
    },
    { ...context, agentId, key: `spawned-${text(record.parentToolCallId) ?? ""}` },
  );
}

function readRequest(record: Fields, context: EventContext, emit: Emit): void {
  const request = fields(record.request) ?? {};
  const isQuestion = record.kind === "question";
  const tool = text(request.toolName) ?? (isQuestion ? "AskUserQuestion" : undefined);
  const display = fields(request.display);
  const asked = isQuestion
    ? text(fields(list(request.questions)?.[0])?.question)
    : (text(display?.command) ?? text(display?.path) ?? text(request.action));
  const callId = text(record.toolCallId);
  emit(
    {
      type: "input.requested",
      kind: isQuestion ? "question" : display?.kind === "plan_review" ? "plan" : "permission",
      ...(tool !== undefined && { tool }),
      ...(asked !== undefined && { text: asked }),
      ...(callId !== undefined && { callId }),
    },
    { ...context, key: text(record.id) },
  );
}
