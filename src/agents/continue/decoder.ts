import type { Decoder, DecoderState, Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { type UsageShape, usageOf } from "../common/usage.ts";
import { type Fields, fields, list, outputText, parsed, text } from "../common/values.ts";
import { checklist } from "../table/checklist.ts";
import { identity } from "./identity.ts";

/** Reads `sessions/<id>.json`, which is rewritten with every step. Its entries have no times. */
export const continueCli: Decoder = {
  ...identity,
  needles: [],
  score: (record) => {
    const given = fields(record);
    return text(given?.sessionId) && list(given?.history) && text(given?.workspaceDirectory)
      ? 2
      : 0;
  },
  start: ({ session = "" }) => ({ session }),
  read: (state, record, emit) => {
    const given = fields(record);
    if (given) readSession(state, given, emit);
  },
  locations: ({ home, env, join }) => [
    {
      root: join(env.CONTINUE_GLOBAL_DIR || join(home, ".continue"), "sessions"),
      depth: 0,
      kind: "document",
      accept: ([file, ...more]) => {
        const [, session] = /^([\w-]+)\.json$/.exec(file ?? "") ?? [];
        // The index of all sessions is beside them.
        return more.length > 0 || session === undefined || session === "sessions"
          ? undefined
          : { session };
      },
    },
  ],
};

const USAGE: UsageShape = { input: ["prompt_tokens"], output: ["completion_tokens"] };

function readSession(state: DecoderState, given: Fields, emit: Emit): void {
  const id = text(given.sessionId);
  const history = list(given.history);
  if (!history) return;
  if (state.session === "" && id !== undefined) state.session = id;
  const cwd = text(given.workspaceDirectory);
  const title = text(given.title);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(title !== undefined && title !== "Untitled Session" && { title }),
    },
    { key: "start" },
  );
  for (const [index, value] of history.entries()) {
    const entry = fields(value) ?? {};
    readEntry(state, entry, fields(entry.message) ?? {}, String(index), emit);
  }
}

function readEntry(
  state: DecoderState,
  entry: Fields,
  message: Fields,
  key: string,
  emit: Emit,
): void {
  const said = outputText(message.content);
  if (message.role === "user") {
    emit({ type: "turn.started", ...(said && { prompt: shorten(said, 500) }) }, { key });
    return;
  }
  if (message.role !== "assistant") return;
  if (said) emit({ type: "message", role: "assistant", text: shorten(said, 500) }, { key });
  const used = fields(message.usage);
  const usage = used && usageOf(used, USAGE);
  const model = text(used?.model);
  if (usage) emit({ type: "usage", ...(model !== undefined && { model }), usage }, { key });
  const calls = list(entry.toolCallStates) ?? [];
  for (const call of calls) readCall(state, fields(call) ?? {}, emit);
  if (calls.length === 0 && said) emit({ type: "turn.completed" }, { key });
}

function readCall(state: DecoderState, call: Fields, emit: Emit): void {
  const callId = text(call.toolCallId);
  const called = fields(fields(call.toolCall)?.function);
  const name = text(called?.name);
  if (callId === undefined || name === undefined) return;
  const context = { key: callId };
  const input = fields(call.parsedArgs) ?? fields(parsed(called?.arguments));
  const isOpen = call.status === "generated" || call.status === "calling";
  const failed = call.status === "errored" || call.status === "canceled";
  const output = list(call.output)
    ?.flatMap((part) => outputText(fields(part)?.content) ?? [])
    .join("\n");
  if (name === "Checklist") {
    if (call.status === "done") readList(state, input, context, emit);
    else if (failed) {
      const message = shorten(output || "the write failed", 200);
      emit({ type: "warning", code: "list_rejected", message }, context);
    }
    return;
  }
  if (!isOpen && !failed && call.status !== "done") return;
  emit({ type: "tool.started", callId, name, ...(input && { input }) }, context);
  // A call that needs no permission is stored as running.
  if (call.status === "generated")
    emit(
      {
        type: "input.requested",
        kind: "permission",
        callId,
        tool: name,
        ...(input && { input }),
      },
      context,
    );
  if (isOpen) return;
  const type = failed ? "tool.failed" : "tool.completed";
  emit({ type, callId, name, ...(output !== undefined && { output }) }, context);
}

function readList(
  { session }: DecoderState,
  input: Fields | undefined,
  context: { readonly key: string },
  emit: Emit,
): void {
  const given = input?.checklist;
  const found =
    typeof given === "string" &&
    checklist(given, { " ": "pending", x: "completed", X: "completed" }, (body) => emit(body));
  if (!found || (found.length === 0 && given.trim() !== "")) {
    const message = "the list was written, but it is not a checklist";
    emit({ type: "warning", code: "list_unknown", message }, context);
  } else emit({ type: "todo_list", todoId: `${session || "unknown"}-main`, items: found }, context);
}
