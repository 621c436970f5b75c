import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
  IGNORED,
  promptSubmitted,
  responseText,
  SESSION_ENDED,
  sessionStart,
  stopped,
  TOOL_STARTED,
  toolEnded,
} from "../common/hooks/events.ts";
import { fullList } from "../common/hooks/lists.ts";
import { PERMISSION_ANSWERED, PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, fields, list, number } from "../common/values.ts";
import { nativeEvent } from "./hook-events.ts";

function endedOf(input: Fields): CallResult {
  const exitCode = number(fields(fields(input.tool_response)?.metadata)?.exit);
  return { output: responseText(input.tool_response), exitCode };
}

/** The plugin that setup writes sends events in Claude Code's format. Native plugin events work, too. */
export const hooks: AgentHooks = {
  waymarkTool: () => "waymark_todos",
  nativeTool: () => "todowrite",
  events: {
    SessionStart: sessionStart("SessionStart"),
    UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
    PreToolUse: TOOL_STARTED,
    PostToolUse: toolEnded("PostToolUse", endedOf),
    PermissionRequest: PERMISSION_REQUESTED,
    PermissionResult: PERMISSION_ANSWERED,
    Stop: stopped(() => undefined, "block"),
    PreCompact: IGNORED,
    PostCompact: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  normalize: nativeEvent,
  editTools: ["edit", "write", "multiedit", "patch", "apply_patch"],
  listTools: {
    todowrite: fullList(
      { text: ["content"], priority: ["priority"], id: ["id"] },
      (input) =>
        list(fields(fields(input.tool_response)?.metadata)?.todos) ??
        list(fields(input.tool_input)?.todos),
    ),
  },
};
