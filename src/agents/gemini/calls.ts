import type { About, Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import {
  fields,
  type ItemShape,
  items,
  list,
  outputText,
  shellExitCode,
  text,
} from "../common/values.ts";
import {
  foldNative,
  isNativeTool,
  isPatch,
  MAX_NATIVE,
  refusalOf,
} from "../common/waymark-tool.ts";
import { isPlanTool, notePlanFile, settlePlan } from "./plan.ts";
import { type GeminiState, todoIdOf } from "./state.ts";
import { applyCall, applyShown, listOf, trackerKind } from "./tracker.ts";

const ITEM: ItemShape = { text: ["description"] };

/** A call with its result, as stream and chat file both have it. */
export interface Answered {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
  /** The reason, where the call did not succeed. */
  readonly failed: string | undefined;
  /** What is shown to the user: a text, or an object. A stream leaves objects out. */
  readonly display: unknown;
  /** What the model was told; only chat files have it. */
  readonly answer: string | undefined;
  readonly at: string | undefined;
}

/** Older versions hand tools of MCP servers on under their bare name. */
function isNative(name: string): boolean {
  return name === "todos" || isNativeTool(name);
}

/** Whether calls of a tool are told as something else than tool events. */
export function isListOrPlan(name: string): boolean {
  return (
    name === "write_todos" || trackerKind(name) !== undefined || isNative(name) || isPlanTool(name)
  );
}

export function emitToolStarted(
  call: Pick<Answered, "id" | "name" | "args" | "at">,
  emit: Emit,
): void {
  const { id, name, args } = call;
  emit(
    {
      type: "tool.started",
      ...(id !== undefined && { callId: id }),
      name,
      ...(args !== undefined && { input: args }),
    },
    { key: id, at: call.at },
  );
}

/** Says what a finished call means. */
export function settle(state: GeminiState, call: Answered, emit: Emit): void {
  const who: About = { key: call.id, at: call.at };
  if (isPlanTool(call.name)) settlePlan(call, emit);
  else if (!isListOrPlan(call.name)) {
    notePlanFile(state, call);
    emitToolEnded(call, who, emit);
  } else if (trackerKind(call.name) === "read") return;
  else if (call.failed !== undefined) reject(call.failed, who, emit);
  else if (call.name === "write_todos") {
    const todos = list(fields(call.display)?.todos) ?? list(fields(call.args)?.todos);
    if (todos) emitList(state, items(todos, ITEM, silent(emit, who)), who, emit);
    else unknown("a list was written that the record does not show", who, emit);
  } else if (isNative(call.name)) settleNative(state, call, who, emit);
  else settleTracker(state, call, who, emit);
}

/** Warnings of single entries must not share the key of the list. */
function silent(emit: Emit, who: About): Emit {
  return (body) => emit(body, { at: who.at });
}

function settleNative(state: GeminiState, call: Answered, who: About, emit: Emit): void {
  const output = text(call.display) ?? call.answer;
  const after = foldNative(state.native, call.args, output, silent(emit, who));
  if (!after) {
    unknown("the list was changed, but what it was before is not known", who, emit);
    return;
  }
  state.native = after.length > MAX_NATIVE ? [] : after;
  emitList(state, after, who, isPatch(call.args) ? stepwise(emit) : emit);
}

function settleTracker(state: GeminiState, call: Answered, who: About, emit: Emit): void {
  // A link to a task that does not exist counts as success: only the text shown says that it failed.
  const refusal = text(call.display);
  if (refusal !== undefined) {
    reject(refusal, who, emit);
    return;
  }
  applyCall(state.tracker, call.name, fields(call.args) ?? {}, call.answer);
  const shown = list(fields(call.display)?.todos);
  if (shown) applyShown(state.tracker, shown);
  const after = listOf(state.tracker);
  if (after) emitList(state, after, who, stepwise(emit));
  else unknown("a task was changed, but which one the stream does not show", who, emit);
}

export function emitList(
  state: GeminiState,
  after: Parameters<typeof foldNative>[0],
  who: About,
  emit: Emit,
): void {
  state.listed = true;
  emit({ type: "todo_list", todoId: todoIdOf(state), items: after }, who);
}

export function unknown(message: string, who: About, emit: Emit): void {
  emit({ type: "warning", code: "list_unknown", message }, who);
}

function reject(message: string, who: About, emit: Emit): void {
  const said = shorten(refusalOf(message), 200);
  emit({ type: "warning", code: "list_rejected", message: said }, who);
}

/**
 * The exit code in what the shell tool tells the model. Only a code that is not zero is written
 * down, behind the command's own output; a failure to start and a signal have lines of their own.
 */
export function shellCodeOf(answer: string): number | undefined {
  const isReport = /^(?:<\w+>\n)?(?:Command: [\s\S]*?^)?Output: /m.exec(answer)?.index === 0;
  return (
    shellExitCode(answer) ?? (isReport && !/^(?:Error|Signal): /m.test(answer) ? 0 : undefined)
  );
}

function exitCodeOf(call: Answered): number | undefined {
  if (call.name !== "run_shell_command" || call.failed !== undefined) return undefined;
  return shellCodeOf(call.answer ?? "");
}

function emitToolEnded(call: Answered, who: About, emit: Emit): void {
  const exitCode = exitCodeOf(call);
  const output = outputText(call.failed ?? text(call.display) ?? call.answer);
  emit(
    {
      type: call.failed !== undefined || (exitCode ?? 0) !== 0 ? "tool.failed" : "tool.completed",
      ...(call.id !== undefined && { callId: call.id }),
      name: call.name,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    who,
  );
}
