import type { About, Emit } from "../agent.ts";
import { answersTo } from "../common/answers.ts";
import { forget, recall, remember } from "../common/memory.ts";
import { fields, number, outputText, shellExitCode, text } from "../common/values.ts";
import { isPlanTool, proposePlan, settlePlan } from "./plan.ts";
import type { QwenState } from "./state.ts";
import { isTodoTool, settleTodos } from "./todo-write.ts";

/** A call with its result, as stream and transcript both have it. */
export interface Answered {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** The reason, where the call did not succeed. */
  readonly failed: string | undefined;
  /** What the user is shown: a text or an object; only transcripts have it. */
  readonly display: unknown;
  /** What the model was told. */
  readonly output: string | undefined;
}

export function isListOrPlan(name: string): boolean {
  return isTodoTool(name) || isPlanTool(name);
}

/** Answers to open calls that matter, and what tells of the session as long as nothing did. */
export function wanted({ open, started, agent }: QwenState): readonly string[] {
  const calls = open.filter(([, { name }]) => isListOrPlan(name) || name === "agent");
  const ids = answersTo(
    calls.map(([id]) => id),
    "functionResponse",
  );
  return recall(started, agent) ? ids : ["attribution_snapshot", ...ids];
}

/** Tools that are not shown to the model at once are called through another one. */
export function reached(name: string, args: unknown): { name: string; args: unknown } {
  const given = name === "tool_call" ? fields(args) : undefined;
  const target = text(given?.name);
  return target === undefined ? { name, args } : { name: target, args: given?.arguments };
}

export function openCall(
  state: QwenState,
  call: Pick<Answered, "id" | "name" | "args">,
  who: About,
  emit: Emit,
): void {
  const { id } = call;
  const { name, args } = reached(call.name, call.args);
  const keyed = { ...who, key: id };
  // Arguments can be large: they are kept for calls that mean something only with them.
  remember(state.open, id, { name, args: isListOrPlan(name) || name === "agent" ? args : null });
  if (isListOrPlan(name)) proposePlan({ id, name, args }, keyed, emit);
  else
    emit(
      { type: "tool.started", callId: id, name, ...(args !== undefined && { input: args }) },
      keyed,
    );
}

/** A result; its name and arguments come from the call, where that was seen. */
export function answerCall(
  state: QwenState,
  answer: Omit<Answered, "name" | "args"> & { readonly name: string | undefined },
  who: About,
  emit: Emit,
): void {
  const call = forget(state.open, answer.id);
  const name = call?.name ?? answer.name;
  if (name === undefined) return;
  const settled: Answered = { ...answer, name, args: call?.args };
  const keyed = { ...who, key: answer.id };
  if (isTodoTool(name)) settleTodos(state, settled, keyed, emit);
  else if (isPlanTool(name)) settlePlan(settled, keyed, emit);
  else emitEnded(settled, keyed, emit);
}

function emitEnded(call: Answered, who: About, emit: Emit): void {
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
    who,
  );
}
