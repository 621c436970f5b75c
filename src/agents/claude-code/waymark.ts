import type { Emit } from "../agent.ts";
import { stepwise } from "../common/stepwise.ts";
import { fields, list } from "../common/values.ts";
import { foldAnswer } from "../common/waymark-tool.ts";
import { emitList, emitSnapshot, emitUnknown } from "./lists.ts";
import { type Answer, aboutOf, agentOf, type ClaudeState, type Line } from "./state.ts";

/** Our own server, also where a plugin brought it. */
const SERVER = /^mcp__(?:[A-Za-z0-9-]+_)*waymark__/;

export function isOurs(name: string): boolean {
  return SERVER.test(name);
}

/** A write of the whole list and a reading answer with all of it, a change with what it touched. */
export function readOurs(state: ClaudeState, line: Line, answer: Answer, emit: Emit): void {
  const { callId, call, data } = answer;
  const warn: Emit = (body) => emit(body, aboutOf(line, undefined));
  const known = agentOf(state, line.agent).items;
  const after = data && foldAnswer(known, data, warn);
  const asks = Object.keys(fields(call.input) ?? {}).length === 0;
  const say = list(data?.todos) ? emit : stepwise(emit);
  if (after) (asks ? emitSnapshot : emitList)(state, line, callId, after, say);
  else if (!asks) emitUnknown(line, callId, emit);
}
