import type { Emit } from "../agent.ts";
import { stepwise } from "../common/stepwise.ts";
import { fields, list } from "../common/values.ts";
import { foldWaymarkAnswer } from "../common/waymark-tool.ts";
import { emitList, emitSnapshot, emitUnknown } from "./lists.ts";
import { agentOf, type CallWithResult, type ClaudeState, contextOf, type Line } from "./state.ts";

/** Tools of Waymark's MCP server, also if a plugin installed it. */
const SERVER = /^mcp__(?:[A-Za-z0-9-]+_)*waymark__/;

export function isWaymarkTool(name: string): boolean {
  return SERVER.test(name);
}

/** Reads a call of Waymark's list tool. Full writes and reads return the whole list, changes the changed todos. */
export function readWaymarkCall(
  state: ClaudeState,
  line: Line,
  answer: CallWithResult,
  emit: Emit,
): void {
  const { callId, call, data } = answer;
  const warn: Emit = (body) => emit(body, contextOf(line, undefined));
  const known = agentOf(state, line.agent).items;
  const after = data && foldWaymarkAnswer(known, data, warn);
  const isRead = Object.keys(fields(call.input) ?? {}).length === 0;
  const emitAfter = list(data?.todos) ? emit : stepwise(emit);
  if (after) (isRead ? emitSnapshot : emitList)(state, line, callId, after, emitAfter);
  else if (!isRead) emitUnknown(line, callId, emit);
}
