import type { Decoder, Emit, Source } from "../agent.ts";
import { forget, type Memory, remember, shorten } from "../common/memory.ts";
import { type Fields, fields, list, number, outputText, parsed, text } from "../common/values.ts";
import { decoderOf } from "../table/decoder.ts";
import { type RowState, startState as startRow } from "../table/state.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { applyCall, emitTasks, put, type Task, type TaskCall, taskOf } from "./tasks.ts";

/** The messages of the extension. */
const extension = decoderOf({
  ...identity,
  format: "none",
  tools: [],
  snapshots: [
    {
      when: { type: "say", say: "task_progress", text: "*" },
      list: "text",
      kind: "markdown",
      markers: { " ": "pending", x: "completed", X: "completed" },
      key: "ts",
      at: "ts",
    },
  ],
  distinctive: [{ type: "say", say: "task_progress" }],
});

interface ClineState extends RowState {
  tasks: Memory<Task>;
  /** The messages of the main agent were read. */
  hasLead: boolean;
  cwd?: string;
  /** When the session ended, from its record. */
  endedAt?: number;
}

/**
 * Cline has no todo tool. Its list is the task board that it shares with its teammates: `team_task` calls in messages,
 * whole tasks in the live output.
 */
export const cline: Decoder<ClineState> = {
  ...identity,
  needles: [],
  score: (record) => {
    const given = fields(record);
    if (text(given?.session_id) && text(given?.messages_path)) return 2;
    if (list(given?.messages) && fields(given?.origin)) return 2;
    if (fields(given?.event) && /^(?:agent|team)_event$/.test(text(given?.type) ?? "")) return 2;
    return given?.type === "hook_event" && text(given.hookEventName) ? 2 : extension.score(record);
  },
  start: (source: Source) => ({ ...startRow(source), tasks: [], hasLead: false }),
  read: (state, record, emit) => {
    const given = fields(record);
    if (!given || given.say !== undefined) extension.read(state, record, emit);
    else if (given.session_id !== undefined) readRecord(state, given, emit);
    else if (list(given.messages)) readMessages(state, given, emit);
    else readEvent(state, given, emit);
  },
  locations,
};

function todoIdOf({ session }: ClineState): string {
  return `${session || "unknown"}-main`;
}

/** Reads the record of a session, which comes before its messages. */
function readRecord(state: ClineState, given: Fields, emit: Emit): void {
  if (state.root === "") state.session = text(given.session_id) ?? "";
  const metadata = fields(given.metadata);
  const cwd = text(given.cwd);
  const model = text(given.model);
  const title = text(metadata?.title);
  const version = text(fields(metadata?.sessionHistoryOrigin)?.version);
  const at = text(given.started_at);
  if (cwd !== undefined) state.cwd = cwd;
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(model !== undefined && { model }),
      ...(title !== undefined && { title: withoutTag(title) }),
      ...(version !== undefined && { version }),
    },
    { key: "record", at },
  );
  const endedAt = Date.parse(text(given.ended_at) ?? "");
  if (!Number.isNaN(endedAt)) state.endedAt = endedAt;
}

/** Reads the messages of the main agent, a teammate or a subagent. */
function readMessages(state: ClineState, given: Fields, emit: Emit): void {
  const origin = fields(given.origin);
  const name = text(origin?.subagent);
  const lead = state.root || text(origin?.parentThreadId) || text(given.sessionId) || "";
  state.session = lead;
  const own: Emit = (body, context) => emit(body, name ? { agentId: name, ...context } : context);
  if (name !== undefined)
    own(
      { type: "session.started", parentId: "main", name, ...(state.cwd && { cwd: state.cwd }) },
      { key: `subagent-${name}` },
    );
  // The documents are read again as a whole.
  if (name === undefined) {
    if (state.hasLead) state.tasks = [];
    state.hasLead = true;
  }
  let changedAt: number | undefined;
  for (const value of list(given.messages) ?? []) {
    const message = fields(value) ?? {};
    const at = number(message.ts);
    readContent(message, at, own);
    for (const part of list(message.content) ?? []) {
      const block = fields(part) ?? {};
      if (block.type === "tool_use")
        startCall(state, text(block.id), text(block.name), block.input, at, own);
      else if (block.type === "tool_result") {
        const failed = block.is_error === true;
        const ended = { id: text(block.tool_use_id), output: block.content, failed };
        const call = endCall(state, ended, at, own);
        if (call && applyCall(state.tasks, call, at ?? 0, { lead, name })) changedAt = at ?? 0;
      }
    }
  }
  if (changedAt !== undefined)
    emitTasks(
      state.tasks,
      todoIdOf(state),
      name === undefined,
      { key: String(changedAt), at: changedAt },
      emit,
    );
  if (name === undefined && state.endedAt !== undefined)
    emit({ type: "session.ended" }, { key: String(state.endedAt), at: state.endedAt });
}

function readContent(message: Fields, at: number | undefined, emit: Emit): void {
  const context = { key: text(message.id), at };
  const parts = list(message.content)?.map(fields) ?? [];
  const said = parts.flatMap((part) => (part?.type === "text" ? (text(part.text) ?? []) : []));
  if (said.length === 0) return;
  const content = shorten(withoutTag(said.join("\n")), 500);
  if (message.role === "user") emit({ type: "turn.started", prompt: content }, context);
  else if (message.role === "assistant") {
    emit({ type: "message", role: "assistant", text: content }, context);
    if (parts.every((part) => part?.type !== "tool_use")) emit({ type: "turn.completed" }, context);
  }
}

/** The program wraps prompts into a tag with the mode. */
function withoutTag(prompt: string): string {
  return prompt.replace(/^<user_input mode="\w+">([\s\S]*)<\/user_input>$/, "$1");
}

const TASK_TOOL = "team_task";

function startCall(
  state: ClineState,
  id: string | undefined,
  name: string | undefined,
  given: unknown,
  at: number | undefined,
  emit: Emit,
): void {
  if (id === undefined || name === undefined) return;
  const input = fields(given);
  const isList = name === TASK_TOOL;
  remember(state.calls, id, { name, ...(isList && input && { input }) });
  if (!isList)
    emit({ type: "tool.started", callId: id, name, ...(input && { input }) }, { key: id, at });
}

interface Ended {
  readonly id: string | undefined;
  readonly output: unknown;
  readonly failed: boolean;
}

/** Returns an accepted call of the list tool. */
function endCall(
  state: ClineState,
  { id, output, failed }: Ended,
  at: number | undefined,
  emit: Emit,
): TaskCall | undefined {
  const call = id === undefined ? undefined : forget(state.calls, id);
  if (!call || id === undefined) return undefined;
  const context = { key: id, at };
  if (call.name === TASK_TOOL) {
    const answer = fields(parsed(output)) ?? {};
    if (!failed) return { input: fields(call.input) ?? {}, answer };
    const message = shorten(text(answer.error) ?? "the call failed", 200);
    emit({ type: "warning", code: "list_rejected", message }, context);
    return undefined;
  }
  const results = list(output)?.map(fields) ?? [];
  const isFailed = failed || results.some((result) => result?.success === false);
  const shown =
    results.length > 0
      ? outputText(results.flatMap((result) => text(result?.result) ?? []).join("\n"))
      : outputText(output);
  emit(
    {
      type: isFailed ? "tool.failed" : "tool.completed",
      callId: id,
      name: call.name,
      ...(shown !== undefined && { output: shown }),
    },
    context,
  );
  return undefined;
}

/** Reads a line of `cline --json`. */
function readEvent(state: ClineState, given: Fields, emit: Emit): void {
  const at = text(given.ts);
  const event = fields(given.event) ?? {};
  switch (given.type) {
    case "hook_event":
      // Teammates start later.
      if (given.hookEventName !== "agent_start" || state.started) return;
      state.started = true;
      state.session = text(given.taskId) ?? "";
      emit({ type: "session.started" }, { key: "start", at });
      emit({ type: "turn.started" }, { at });
      return;
    case "agent_event":
      readStep(state, event, at, emit);
      return;
    case "team_event":
      readTeam(state, event, at, emit);
      return;
    case "run_result":
      if (given.finishReason === "completed") emit({ type: "turn.completed" }, { at });
      return;
    case "run_aborted":
      emit({ type: "turn.cancelled" }, { at });
      return;
  }
}

function readTeam(state: ClineState, event: Fields, at: string | undefined, emit: Emit): void {
  const agentId = text(event.agentId);
  const own: Emit = (body, context) => emit(body, agentId ? { agentId, ...context } : context);
  if (event.type === "agent_event") readStep(state, fields(event.event) ?? {}, at, own);
  else if (event.type === "teammate_spawned" && agentId !== undefined)
    own({ type: "session.started", parentId: "main", name: agentId }, { key: "start", at });
  else if (event.type === "team_task_updated") {
    const task = fields(event.task) ?? {};
    const id = text(task.id);
    if (text(task.title) === undefined) {
      emit({ type: "warning", code: "bad_item", message: "a task has no title" }, { at });
      return;
    }
    // In the order of the changes.
    if (put(state.tasks, id, taskOf(task, 0, text(task.createdBy))))
      emitTasks(
        state.tasks,
        todoIdOf(state),
        true,
        { key: `${id} ${text(task.updatedAt)}`, at },
        emit,
      );
  }
}

function readStep(state: ClineState, event: Fields, at: string | undefined, emit: Emit): void {
  const id = text(event.toolCallId);
  const time = Date.parse(at ?? "") || undefined;
  if (event.type === "content_start" && event.contentType === "tool")
    startCall(state, id, text(event.toolName), event.input, time, emit);
  else if (event.type === "content_end" && event.contentType === "tool") {
    // The task that a call changed has an event of its own.
    endCall(state, { id, output: event.output, failed: event.error !== undefined }, time, emit);
  } else if (event.type === "content_end" && text(event.text))
    emit(
      { type: "message", role: "assistant", text: shorten(text(event.text) ?? "", 500) },
      { at },
    );
}
