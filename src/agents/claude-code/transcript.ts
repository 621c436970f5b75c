import type { Writable } from "../../core/writable.ts";
import type { Emit } from "../agent.ts";
import { type Fields, fields, items, list, outputText, text } from "../common/values.ts";
import { emitSnapshot } from "./lists.ts";
import { readAssistant, readUser } from "./messages.ts";
import { modeOf, readMode } from "./plans.ts";
import { agentOf, type ClaudeState, contextOf, enterSession, type Line } from "./state.ts";
import { readTaskReminder } from "./tasks.ts";
import { TODO } from "./todo-write.ts";
import { endTurn } from "./turns.ts";
import { readUsage } from "./usage.ts";

/** Reads a line of a session file. */
export function readTranscript(state: ClaudeState, given: Fields, emit: Emit): void {
  enterSession(state, text(given.sessionId));
  const cwd = text(given.cwd);
  const version = text(given.version);
  if (cwd !== undefined) state.cwd ??= cwd;
  if (version !== undefined) state.version ??= version;
  if (given.entrypoint === "cli") state.interactive = true;

  const line = lineOf(state, given);
  const message = fields(given.message);
  if (isWarmUp(given, message)) agentOf(state, line.agent).ignored = true;
  if (agentOf(state, line.agent).ignored) {
    if (given.type === "assistant") readUsage(state, line, given, emit);
    return;
  }
  // Lines that only have a mode have no time. Every prompt repeats the mode.
  const hasMode = line.agent === "main" && given.type === "user";
  const mode = hasMode ? modeOf(given.permissionMode) : undefined;
  if (mode !== undefined) readMode(state, line, mode, line.uuid, emit);

  if (given.type === "assistant" && message) {
    readAssistant(state, line, message, emit);
    readStop(state, line, given, message, emit);
    readUsage(state, line, given, emit);
  } else if (given.type === "user" && message) {
    const isInternal = given.isMeta === true || given.isCompactSummary === true;
    if (!isInternal) readUser(state, line, message, emit);
  } else if (given.type === "attachment") readAttachment(state, line, given, emit);
  else if (given.type === "system") readSystem(state, line, given, emit);
}

/** Reads the usage of a line, of which only `USAGE_FIELDS` are needed. */
export function readTranscriptUsage(state: ClaudeState, record: unknown, emit: Emit): void {
  const given = fields(record);
  if (given?.type !== "assistant" || given.sessionId === undefined) return;
  enterSession(state, text(given.sessionId));
  readUsage(state, lineOf(state, given), given, emit);
}

function lineOf(state: ClaudeState, given: Fields): Line {
  const sidechain = given.isSidechain === true;
  // The first versions wrote subagents to the file of their session, without a name.
  const agent =
    text(given.agentId) ?? (sidechain && state.agent === "main" ? "sidechain" : state.agent);
  const kind = text(given.attributionAgent);
  const data = fields(fields(given.mcpMeta)?.structuredContent) ?? given.toolUseResult;
  const line: Writable<Line> = { agent, at: text(given.timestamp), uuid: text(given.uuid) };
  if (kind !== undefined) line.name = kind;
  if (data !== undefined) line.result = data;
  return line;
}

/** 2.0 warms its cache with agents that do no work. */
function isWarmUp(given: Fields, message: Fields | undefined): boolean {
  return given.isSidechain === true && given.parentUuid === null && message?.content === "Warmup";
}

/** Ends a turn by the stop reason, which every block of a message repeats. */
function readStop(
  state: ClaudeState,
  line: Line,
  given: Fields,
  message: Fields,
  emit: Emit,
): void {
  const id = text(message.id);
  const isError = given.isApiErrorMessage === true;
  if (!isError && message.stop_reason !== "end_turn") return;
  const failure = isError ? outputText(message.content) || "the model request failed" : undefined;
  endTurn(state, line, failure, line.uuid, emit);
  if (id !== undefined) agentOf(state, line.agent).endedBy = id;
}

function readSystem(state: ClaudeState, line: Line, given: Fields, emit: Emit): void {
  if (given.subtype === "turn_duration") endTurn(state, line, undefined, line.uuid, emit);
  if (given.subtype !== "compact_boundary") return;
  const trigger = text(fields(given.compactMetadata)?.trigger);
  emit(
    { type: "session.compacted", ...(trigger !== undefined && { trigger }) },
    contextOf(line, line.uuid),
  );
}

function readAttachment(state: ClaudeState, line: Line, given: Fields, emit: Emit): void {
  const attachment = fields(given.attachment);
  const shown = list(attachment?.content);
  switch (attachment?.type) {
    case "todo_reminder": {
      const warn: Emit = (body) => emit(body, contextOf(line, undefined));
      if (shown) emitSnapshot(state, line, line.uuid, items(shown, TODO, warn), emit);
      return;
    }
    case "task_reminder":
      if (shown) readTaskReminder(state, line, shown, emit);
      return;
    case "plan_mode":
      if (attachment.isSubAgent !== true) readMode(state, line, "plan", line.uuid, emit);
      return;
    case "plan_mode_exit":
      readMode(state, line, "work", line.uuid, emit);
  }
}
