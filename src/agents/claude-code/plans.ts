import type { Emit } from "../agent.ts";
import { fields, outputText, text } from "../common/values.ts";
import { reasonOf } from "./lists.ts";
import { agentOf, type CallWithResult, type ClaudeState, contextOf, type Line } from "./state.ts";

const MAX_PLAN_FILE = 100_000;

export function readMode(
  state: ClaudeState,
  line: Line,
  mode: "work" | "plan",
  key: string | undefined,
  emit: Emit,
): void {
  const agent = agentOf(state, line.agent);
  if ((mode === "plan") === (agent.planning === true)) return;
  if (mode === "plan") agent.planning = true;
  else delete agent.planning;
  emit({ type: "mode.changed", mode }, contextOf(line, key));
}

export function modeOf(permissionMode: unknown): "work" | "plan" | undefined {
  const mode = text(permissionMode);
  return mode === undefined ? undefined : mode === "plan" ? "plan" : "work";
}

/** Keeps the text of the plan file. Some versions propose a plan without its text. */
export function readPlanFile(state: ClaudeState, line: Line, input: unknown): void {
  const path = text(fields(input)?.file_path);
  const content = text(fields(input)?.content);
  if (path === undefined || content === undefined || content.length > MAX_PLAN_FILE) return;
  if (/[\\/]plans[\\/][^\\/]+\.md$/.test(path))
    agentOf(state, line.agent).planFile = { path, text: content };
}

export function readProposal(
  state: ClaudeState,
  line: Line,
  callId: string,
  input: unknown,
  emit: Emit,
): void {
  const file = agentOf(state, line.agent).planFile;
  const plan = text(fields(input)?.plan) ?? file?.text;
  const path = text(fields(input)?.planFilePath) ?? file?.path;
  if (plan !== undefined) propose(line, callId, callId, plan, path, emit);
}

export function readDecision(
  state: ClaudeState,
  line: Line,
  { callId, call, content }: CallWithResult,
  failed: boolean,
  emit: Emit,
): void {
  const result = fields(line.result);
  if (result?.awaitingLeaderApproval === true) return;
  if (failed) {
    const comment = commentOf(line.result, content);
    emit(
      {
        type: "plan.decided",
        planId: callId,
        decision: "rejected",
        ...(comment !== undefined && { comment }),
      },
      contextOf(line, callId),
    );
    return;
  }
  // The user may have edited the plan before approving it.
  const plan = text(result?.plan);
  const proposed = text(fields(call.input)?.plan) ?? agentOf(state, line.agent).planFile?.text;
  if (plan !== undefined && plan !== proposed)
    propose(line, callId, `${callId}.approved`, plan, text(result?.filePath), emit);
  emit({ type: "plan.decided", planId: callId, decision: "approved" }, contextOf(line, callId));
  readMode(state, line, "work", callId, emit);
}

function propose(
  line: Line,
  planId: string,
  key: string,
  plan: string,
  path: string | undefined,
  emit: Emit,
): void {
  emit(
    { type: "plan.proposed", planId, text: plan, ...(path !== undefined && { path }) },
    contextOf(line, key),
  );
}

/** The comment of the user, or the reason if Claude Code itself refused the plan. */
function commentOf(result: unknown, content: unknown): string | undefined {
  const comment = /the user said:\s*([\s\S]+)/i.exec(outputText(content) ?? "")?.[1];
  if (comment !== undefined) return reasonOf(comment);
  return result === "User rejected tool use" ? undefined : reasonOf(content);
}
