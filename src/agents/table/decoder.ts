import type { Decoder, Emit, EventContext } from "../agent.ts";
import { forget, hashOf, recall, remember, shorten } from "../common/memory.ts";
import { resultNeedles } from "../common/result-needles.ts";
import { bareName, fields, list, number, outputText, text } from "../common/values.ts";
import { type Call, callsIn, type Result, resultsIn } from "./calls.ts";
import { locationsOf } from "./files.ts";
import { RECORD_FORMATS, type RecordFormat } from "./formats.ts";
import { readSnapshot, readWrite } from "./lists.ts";
import { at, matches } from "./paths.ts";
import { type RowState, startState } from "./state.ts";
import type { Row } from "./table.ts";

/** Creates the decoder of a row of the table. */
export function decoderOf(row: Row): Decoder<RowState> {
  const format: RecordFormat = RECORD_FORMATS[row.format];
  return {
    id: row.id,
    name: row.name,
    basis: row.basis,
    // Names may have a server or namespace as prefix.
    needles: [...row.tools.map((name) => `${name}"`), ...(row.needles ?? [])],
    pendingNeedles: (state) => pendingNeedles(row, format, state),
    score: (record) => score(row, format, record),
    start: startState,
    read: (state, record, emit) => readAll(row, format, state, record, emit),
    ...(row.locations && { locations: locationsOf(row.locations) }),
    ...(row.sql && { database: { queries: row.sql, records: (rows) => [rows] } }),
  };
}

/** Needles for the results of pending list calls. */
function pendingNeedles(row: Row, format: RecordFormat, { calls }: RowState): readonly string[] {
  const ids = calls.filter(([, { name }]) => isListTool(row, name)).map(([id]) => id);
  const [field = "id", ...others] = format.results.map(({ id }) => id.split(".").at(-1) ?? id);
  return resultNeedles(ids, field, ...others);
}

function readAll(
  row: Row,
  format: RecordFormat,
  state: RowState,
  record: unknown,
  emit: Emit,
): void {
  const entries = list(record);
  if (!entries) {
    readOne(row, format, state, record, emit);
    return;
  }
  // The document grows. A shorter one was rewritten and is read from the start.
  const from = entries.length < state.read ? 0 : state.read;
  state.read = entries.length;
  for (const entry of entries.slice(from)) readOne(row, format, state, entry, emit);
}

function readOne(
  row: Row,
  format: RecordFormat,
  state: RowState,
  record: unknown,
  emit: Emit,
): void {
  const context: EventContext = { at: timeOf(record) };
  for (const value of unwrapped(row, record)) {
    readSession(row, state, value, context, emit);
    readPrompt(format, state, value, context, emit);
    for (const call of callsIn(format, value)) startCall(row, state, call, context, emit);
    for (const result of resultsIn(format, value)) endCall(row, state, result, context, emit);
    for (const snapshot of row.snapshots ?? [])
      if (matches(value, snapshot.when)) readSnapshot(state, snapshot, value, context, emit);
  }
  const end = row.ends?.find(({ when }) => matches(record, when));
  if (!end) return;
  const turn = state.turn;
  state.turn = false;
  if (end.type === "turn.failed") {
    const message = shorten(text(at(record, end.message ?? "message")) ?? "failed", 500);
    emit({ type: "turn.failed", message }, context);
  } else if (end.type === "session.ended" || turn) emit({ type: end.type }, context);
}

/** The record itself and the contents of its envelopes. */
function unwrapped(row: Row, record: unknown): readonly unknown[] {
  const inside = (row.unwrap ?? []).flatMap((name) => fields(at(record, name)) ?? []);
  const deeper = inside.flatMap((value) =>
    (row.unwrap ?? []).flatMap((name) => fields(at(value, name)) ?? []),
  );
  return [record, ...inside, ...deeper];
}

function readSession(
  row: Row,
  state: RowState,
  value: unknown,
  context: EventContext,
  emit: Emit,
): void {
  const shape = row.session?.find(({ when }) => matches(value, when));
  if (!shape) return;
  const id = text(at(value, shape.id));
  if (state.root === "" && id !== undefined) state.session = id;
  if (state.started) return;
  state.started = true;
  const textAt = (path: string | undefined) =>
    path === undefined ? undefined : text(at(value, path));
  const cwd = textAt(shape.cwd);
  const model = textAt(shape.model);
  const version = textAt(shape.version);
  const title = textAt(shape.title);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(model !== undefined && { model }),
      ...(version !== undefined && { version }),
      ...(title !== undefined && { title }),
    },
    { ...context, key: id ?? (state.session || "start") },
  );
}

function readPrompt(
  format: RecordFormat,
  state: RowState,
  value: unknown,
  context: EventContext,
  emit: Emit,
): void {
  const shape = format.prompts?.find(({ when }) => matches(value, when));
  const prompt = shape && outputText(at(value, shape.text));
  if (!prompt?.trim()) return;
  state.turn = true;
  emit({ type: "turn.started", prompt: shorten(prompt, 500) }, context);
}

function isListTool(row: Row, name: string): boolean {
  return row.tools.includes(name) || row.tools.includes(bareName(name));
}

function startCall(row: Row, state: RowState, call: Call, context: EventContext, emit: Emit): void {
  const { id, name, input } = call;
  if (id === undefined || name === undefined) return;
  const hidden = isListTool(row, name);
  remember(state.calls, id, { name, ...(hidden && input != null && { input }) });
  if (!hidden)
    emit(
      { type: "tool.started", callId: id, name, ...(input != null && { input }) },
      { ...context, key: id },
    );
}

function endCall(
  row: Row,
  state: RowState,
  result: Result,
  context: EventContext,
  emit: Emit,
): void {
  const { id, failed, output, exitCode } = result;
  if (id === undefined) return;
  const call = forget(state.calls, id);
  const name = result.name ?? call?.name;
  if (name === undefined) return;
  const keyed = { ...context, key: id };
  if (isListTool(row, name)) {
    const hash = hashOf([result, call]);
    if (recall(state.done, id) === hash) return;
    remember(state.done, id, hash);
    readWrite(row, state, { ...result, input: result.input ?? call?.input }, keyed, emit);
    return;
  }
  if (!call && recall(state.done, id) !== undefined) return;
  if (!call) {
    // Some formats record a call only when it has ended.
    remember(state.done, id, "");
    emit({ type: "tool.started", callId: id, name }, keyed);
  }
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      callId: id,
      name,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    keyed,
  );
}

const TIMES = ["timestamp", "timestamp_ms", "ts", "created", "created_at"];

function timeOf(record: unknown): string | number | undefined {
  for (const name of TIMES) {
    const value = at(record, name);
    const count = number(value);
    // Goose uses seconds.
    if (count !== undefined) return count < 1e11 ? count * 1_000 : count;
    if (text(value) !== undefined) return text(value);
  }
  return undefined;
}

/** How many entries of an array are scored. */
const MAX_SCORED = 200;

function score(row: Row, format: RecordFormat, record: unknown): 0 | 1 | 2 {
  const entries = list(record)?.slice(0, MAX_SCORED) ?? [record];
  const values = entries.flatMap((entry) => unwrapped(row, entry));
  if (row.distinctive?.some((where) => values.some((value) => matches(value, where)))) return 2;
  return values.some((value) => isKnown(row, format, value)) ? 1 : 0;
}

function isKnown(row: Row, format: RecordFormat, value: unknown): boolean {
  return (
    row.session?.some(({ when }) => matches(value, when)) ||
    row.snapshots?.some(({ when }) => matches(value, when)) ||
    callsIn(format, value).some(
      ({ name, input }) =>
        name !== undefined && isListTool(row, name) && at(input, row.list?.args ?? "") != null,
    )
  );
}
