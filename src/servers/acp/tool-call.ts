import type { ToolCall, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import { labelOf, type Observation } from "../../core/activity/observation.ts";
import type { StreamBody } from "../../core/stream/events.ts";
import type { AcpEra } from "./plan.ts";

/** A tool call, or an update of one. */
export type ToolMessage =
  | (ToolCall & { sessionUpdate: "tool_call" })
  | (ToolCallUpdate & { sessionUpdate: "tool_call_update" });

/**
 * An observed or recorded tool call as an update for the client.
 *
 * @param body the observation
 * @param era the protocol version
 * @returns the update; undefined for a call without an id
 */
export function toolMessage(body: StreamBody | Observation, era: AcpEra): ToolMessage | undefined {
  if (!("callId" in body) || body.callId === undefined) return undefined;
  const toolCallId = body.callId;
  if (body.type === "tool.started") {
    const call = {
      toolCallId,
      title: "label" in body ? body.label : labelOf(body.name, body.input),
      name: body.name,
      kind: kindOf(body.name),
      status: "in_progress" as const,
      ...("input" in body && body.input !== undefined && { rawInput: body.input }),
    };
    // Version 2 has no separate start: the first update with an unknown id creates the call.
    return era === "v1"
      ? { sessionUpdate: "tool_call", ...call }
      : { sessionUpdate: "tool_call_update", ...call };
  }
  const status = STATUS_OF[body.type as keyof typeof STATUS_OF];
  if (status === undefined) return undefined;
  const output = "output" in body ? body.output : undefined;
  const exitCode = "exitCode" in body ? body.exitCode : undefined;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status,
    ...(output !== undefined && {
      content: [{ type: "content", content: { type: "text", text: output } }],
    }),
    ...(exitCode !== undefined && { rawOutput: { exitCode } }),
  };
}

const STATUS_OF = {
  "tool.updated": "in_progress",
  "tool.completed": "completed",
  "tool.failed": "failed",
} as const;

/** Patterns for tool names; the first match counts. Clients choose an icon by the kind. */
const KINDS: readonly (readonly [ToolKind, RegExp])[] = [
  ["execute", /bash|shell|exec|terminal|command|run/i],
  ["edit", /edit|write|patch|replace|insert/i],
  ["delete", /delete|remove/i],
  ["move", /move|rename/i],
  ["fetch", /fetch|http|url|web/i],
  ["search", /search|grep|glob|find|list|ls/i],
  ["read", /read|view|open|cat/i],
  ["think", /think|plan/i],
];

function kindOf(name: string): ToolKind {
  return KINDS.find(([, fits]) => fits.test(name))?.[0] ?? "other";
}
