import type { Emit, EventContext } from "../agent.ts";
import { forget, recall, remember } from "../common/memory.ts";
import { resultNeedles } from "../common/result-needles.ts";
import { fields, number, outputText, shellExitCode, text } from "../common/values.ts";
import { finishPlan, isPlanTool, proposePlan } from "./plan.ts";
import type { QwenState } from "./state.ts";
import { finishTodos, isTodoTool } from "./todo-write.ts";

/** A call with its result, from a stream or a transcript. */
export interface CallWithResult {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** The reason, if the call failed. */
  readonly failed: string | undefined;
  /** The result shown to the user: a text or an object. Only transcripts have it. */
  readonly display: unknown;
  /** The result for the model. */
  readonly output: string | undefined;
}

export function isListOrPlan(name: string): boolean {
  return isTodoTool(name) || isPlanTool(name);
}

/** Needles for the results of pending list, plan and subagent calls, and for the start of the session. */
export function pendingNeedles({ open, started, agent }: QwenState): readonly string[] {
  const calls = open.filter(([, { name }]) => isListOrPlan(name) || name === "agent");
  const ids = resultNeedles(
    calls.map(([id]) => id),
    "functionResponse",
  );
  return recall(started, agent) ? ids : ["attribution_snapshot", ...ids];
}

/** Unwraps a call of a deferred tool, which is made through `tool_call`. */
export function unwrapCall(name: string, args: unknown): { name: string; args: unknown } {
  const given = name === "tool_call" ? fields(args) : undefined;
  const target = text(given?.name);
  return target === undefined ? { name, args } : { name: target, args: given?.arguments };
}

export function openCall(
  state: QwenState,
  call: Pick<CallWithResult, "id" | "name" | "args">,
  context: EventContext,
  emit: Emit,
): void {
  const { id } = call;
  const { name, args } = unwrapCall(call.name, call.args);
  const keyed = { ...context, key: id };
  // Arguments can be large. They are kept only if the result cannot be read without them.
  remember(state.open, id, { name, args: isListOrPlan(name) || name === "agent" ? args : null });
  if (isListOrPlan(name)) proposePlan({ id, name, args }, keyed, emit);
  else
    emit(
      { type: "tool.started", callId: id, name, ...(args !== undefined && { input: args }) },
      keyed,
    );
}

/** Reads a result. Name and arguments come from the call, if it was seen. */
export function answerCall(
  state: QwenState,
  answer: Omit<CallWithResult, "name" | "args"> & { readonly name: string | undefined },
  context: EventContext,
  emit: Emit,
): void {
  const call = forget(state.open, answer.id);
  const name = call?.name ?? answer.name;
  if (name === undefined) return;
  const finished: CallWithResult = { ...answer, name, args: call?.args };
  const keyed = { ...context, key: answer.id };
  if (isTodoTool(name)) finishTodos(state, finished, keyed, emit);
  else if (isPlanTool(name)) finishPlan(finished, keyed, emit);
  else emitEnded(finished, keyed, emit);
}

function emitEnded(call: CallWithResult, context: EventContext, emit: Emit): void {
  const display = fields(call.display);
  const exitCode =
    call.name === "run_shell_command"
      ? (number(display?.exitCode) ?? shellExitCode(call.failed ?? call.output ?? ""))
      : undefined;
  const output = outputText(
    text(display?.output) ?? call.failed ?? text(call.display) ?? call.output,
  );
  emit(
    {
      type: call.failed !== undefined || (exitCode ?? 0) !== 0 ? "tool.failed" : "tool.completed",
      callId: call.id,
      name: call.name,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    context,
  );
}
