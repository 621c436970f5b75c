import type { Emit } from "../agent.ts";
import { endTask, startTask } from "../common/jobs.ts";
import { recall, remember } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { readAssistant, readUser } from "./messages.ts";
import { modeOf, readMode } from "./plans.ts";
import { type ClaudeState, contextOf, enterSession, type Line } from "./state.ts";
import { cancelTurn, endTurn, startSession, startTurn } from "./turns.ts";
import { readRunUsage, readUsage } from "./usage.ts";

/** Reads a line of `--output-format stream-json`. */
export function readStream(state: ClaudeState, given: Fields, emit: Emit): void {
  const message = fields(given.message) ?? {};
  switch (given.type) {
    case "assistant": {
      enterSession(state, text(given.session_id));
      const line = lineOf(state, given);
      readAssistant(state, line, message, emit);
      readUsage(state, line, given, emit);
      return;
    }
    case "user":
      enterSession(state, text(given.session_id));
      if (given.isSynthetic !== true) readUser(state, lineOf(state, given), message, emit);
      return;
    case "result":
      enterSession(state, text(given.session_id));
      readRunUsage(state, lineOf(state, given), given, emit);
      readEnd(state, lineOf(state, given), given, emit);
      return;
    case "system":
      // Hook lines may have a session id that is replaced later.
      if (given.subtype === "init") enterSession(state, text(given.session_id));
      readSystem(state, lineOf(state, given), given, emit);
  }
}

function lineOf(state: ClaudeState, given: Fields): Line {
  const at = text(given.timestamp);
  const uuid = text(given.uuid);
  const callId = text(given.parent_tool_use_id);
  const result = given.tool_use_result;
  if (callId === undefined) return { agent: "main", at, uuid, result };
  // Older versions have only the id of the call that started the subagent.
  const agent = text(given.agent_id) ?? callId;
  const child = recall(state.children, callId);
  const parent = child?.parent ?? "main";
  const name = text(given.subagent_type) ?? child?.name;
  const own = name === undefined ? {} : { name };
  if (child?.agent !== agent) remember(state.children, callId, { agent, parent, ...own });
  return { agent, at, uuid, parent, result, ...own };
}

const TASK_KINDS = new Map<string, "agent" | "command">([
  ["local_agent", "agent"],
  ["local_bash", "command"],
]);

function readSystem(state: ClaudeState, line: Line, given: Fields, emit: Emit): void {
  switch (given.subtype) {
    case "init": {
      const cwd = text(given.cwd);
      const version = text(given.claude_code_version);
      if (cwd !== undefined) state.cwd = cwd;
      if (version !== undefined) state.version = version;
      startSession(state, line, text(given.model), emit);
      readPermission(state, line, given, emit);
      startTurn(state, line, undefined, emit);
      return;
    }
    case "status":
      readPermission(state, line, given, emit);
      return;
    case "compact_boundary": {
      const trigger = text(fields(given.compact_metadata)?.trigger);
      emit(
        { type: "session.compacted", ...(trigger !== undefined && { trigger }) },
        contextOf(line, line.uuid),
      );
      return;
    }
    // These tasks are background jobs, not todos.
    case "task_started": {
      const kind = TASK_KINDS.get(text(given.task_type) ?? "");
      startTask(given, kind, emit, contextOf(line, line.uuid));
      return;
    }
    case "task_notification": {
      endTask(given, emit, contextOf(line, line.uuid));
      // The job may be a subagent.
      const child = recall(state.children, text(given.tool_use_id) ?? "");
      const done = given.status === "completed";
      if (child)
        endTurn(
          state,
          { ...line, agent: child.agent },
          done ? undefined : (text(given.summary) ?? "the subagent did not finish"),
          line.uuid,
          emit,
        );
    }
  }
}

function readPermission(state: ClaudeState, line: Line, given: Fields, emit: Emit): void {
  const mode = modeOf(given.permissionMode);
  if (mode !== undefined) readMode(state, line, mode, line.uuid, emit);
}

function readEnd(state: ClaudeState, line: Line, given: Fields, emit: Emit): void {
  const reason = text(given.terminal_reason) ?? "";
  if (reason.startsWith("abort") || reason.startsWith("interrupt")) {
    cancelTurn(state, line, emit);
    return;
  }
  const failed = given.is_error === true || given.subtype !== "success";
  const message =
    text(given.result) ??
    (list(given.errors) ?? []).flatMap((error) => text(error) ?? [])[0] ??
    text(given.subtype) ??
    "the run failed";
  endTurn(state, line, failed ? message : undefined, line.uuid, emit);
}
