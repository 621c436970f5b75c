import type { NormalizedEvent } from "../common/hooks/agent.ts";
import { type Fields, fields, list, text } from "../common/values.ts";

/**
 * Converts an event that opencode sends to plugins into the common format. Undefined for events that do not report
 * what the agent does.
 */
export function nativeEvent(name: string, payload: Fields): NormalizedEvent | undefined {
  const { session_id: own, sessionID, parent_session_id: parent, ...event } = payload;
  const base = (session: unknown, more: Fields): Fields => ({
    session_id: text(own) ?? text(session),
    ...(parent !== undefined && { parent_session_id: parent }),
    ...more,
  });
  switch (name.replace(/^hook:/, "")) {
    case "session.created": {
      const info = fields(event.info) ?? {};
      const parentId = text(info.parentID);
      return {
        event: "SessionStart",
        input: base(sessionID ?? info.id, {
          source: "startup",
          cwd: info.directory,
          ...(parentId !== undefined && { parent_session_id: parentId }),
        }),
      };
    }
    case "tool.execute.before": {
      const call = fields(event.input) ?? {};
      return {
        event: "PreToolUse",
        input: base(call.sessionID, {
          tool_name: call.tool,
          tool_input: fields(event.output)?.args,
          tool_use_id: call.callID,
        }),
      };
    }
    case "tool.execute.after": {
      const call = fields(event.input) ?? {};
      return {
        event: "PostToolUse",
        input: base(call.sessionID, {
          tool_name: call.tool,
          tool_input: call.args,
          tool_response: event.output,
          tool_use_id: call.callID,
        }),
      };
    }
    case "permission.asked":
    // Before 1.1.
    case "permission.updated":
      return { event: "PermissionRequest", input: base(sessionID, permission(event)) };
    case "question.asked":
      return {
        event: "PermissionRequest",
        input: base(sessionID, {
          tool_name: "question",
          tool_input: { questions: event.questions },
          tool_use_id: fields(event.tool)?.callID,
        }),
      };
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      return { event: "PermissionResult", input: base(sessionID, {}) };
    case "session.idle":
      return { event: "Stop", input: base(sessionID, {}) };
    case "session.deleted":
      return { event: "SessionEnd", input: base(sessionID ?? fields(event.info)?.id, {}) };
    default:
      return undefined;
  }
}

/** `metadata` has what the dialog shows. The patterns are what an approval would cover. */
function permission(event: Fields): Fields {
  const metadata = fields(event.metadata) ?? {};
  const patterns = list(event.patterns) ?? list(event.pattern) ?? [event.pattern];
  const shown = text(metadata.command) ?? text(metadata.filepath) ?? text(metadata.url);
  return {
    tool_name: text(event.permission) ?? text(event.type),
    tool_input:
      shown !== undefined && metadata.command === undefined
        ? { ...metadata, path: shown }
        : shown === undefined
          ? { path: patterns.filter((each) => typeof each === "string").join(" ") }
          : metadata,
    tool_use_id: fields(event.tool)?.callID ?? event.callID,
  };
}
