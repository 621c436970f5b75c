import type { About, Dialect, Emit } from "../agent.ts";
import { answersTo } from "../common/answers.ts";
import { forget, printOf, recall, remember, shorten } from "../common/memory.ts";
import { bareName, fields, list, number, outputText, text } from "../common/values.ts";
import { type Call, callsIn, type Result, resultsIn } from "./calls.ts";
import { placesOf } from "./files.ts";
import { FORMS, type Form } from "./forms.ts";
import { readSnapshot, readWrite } from "./lists.ts";
import { at, fits } from "./paths.ts";
import { type RowState, startState } from "./state.ts";
import type { Row } from "./table.ts";

/** The dialect that a row of the table declares. */
export function dialectOf(row: Row): Dialect<RowState> {
  const form: Form = FORMS[row.form];
  return {
    id: row.id,
    name: row.name,
    proof: row.proof,
    // A server or namespace may be put in front of a name.
    needles: row.tools.map((name) => `${name}"`),
    wanted: (state) => wanted(row, form, state),
    sniff: (record) => sniff(row, form, record),
    start: startState,
    read: (state, record, emit) => readAll(row, form, state, record, emit),
    ...(row.places && { places: placesOf(row.places) }),
    ...(row.sql && { database: { queries: row.sql, records: (rows) => [rows] } }),
  };
}

/** Answers to open calls of the list tool. */
function wanted(row: Row, form: Form, { calls }: RowState): readonly string[] {
  const ids = calls.filter(([, { name }]) => isListTool(row, name)).map(([id]) => id);
  const [field = "id", ...others] = form.results.map(({ id }) => id.split(".").at(-1) ?? id);
  return answersTo(ids, field, ...others);
}

function readAll(row: Row, form: Form, state: RowState, record: unknown, emit: Emit): void {
  const entries = list(record);
  if (!entries) {
    readOne(row, form, state, record, emit);
    return;
  }
  // The document grows; a shorter one was rewritten and says everything anew.
  const from = entries.length < state.read ? 0 : state.read;
  state.read = entries.length;
  for (const entry of entries.slice(from)) readOne(row, form, state, entry, emit);
}

function readOne(row: Row, form: Form, state: RowState, record: unknown, emit: Emit): void {
  const who: About = { at: timeOf(record) };
  for (const value of opened(row, record)) {
    readSession(row, state, value, who, emit);
    readPrompt(form, state, value, who, emit);
    for (const call of callsIn(form, value)) startCall(row, state, call, who, emit);
    for (const result of resultsIn(form, value)) endCall(row, state, result, who, emit);
    for (const snapshot of row.snapshots ?? [])
      if (fits(value, snapshot.when)) readSnapshot(state, snapshot, value, who, emit);
  }
  const end = row.ends?.find(({ when }) => fits(record, when));
  if (!end) return;
  const turn = state.turn;
  state.turn = false;
  if (end.type === "turn.failed") {
    const message = shorten(text(at(record, end.message ?? "message")) ?? "failed", 500);
    emit({ type: "turn.failed", message }, who);
  } else if (end.type === "session.ended" || turn) emit({ type: end.type }, who);
}

/** The record itself, and what lies in its envelopes. */
function opened(row: Row, record: unknown): readonly unknown[] {
  const inside = (row.unwrap ?? []).flatMap((name) => fields(at(record, name)) ?? []);
  const deeper = inside.flatMap((value) =>
    (row.unwrap ?? []).flatMap((name) => fields(at(value, name)) ?? []),
  );
  return [record, ...inside, ...deeper];
}

function readSession(row: Row, state: RowState, value: unknown, who: About, emit: Emit): void {
  const shape = row.session?.find(({ when }) => fits(value, when));
  if (!shape) return;
  const id = text(at(value, shape.id));
  if (state.root === "" && id !== undefined) state.session = id;
  if (state.started) return;
  state.started = true;
  const said = (path: string | undefined) =>
    path === undefined ? undefined : text(at(value, path));
  const cwd = said(shape.cwd);
  const model = said(shape.model);
  const version = said(shape.version);
  const title = said(shape.title);
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(model !== undefined && { model }),
      ...(version !== undefined && { version }),
      ...(title !== undefined && { title }),
    },
    { ...who, key: id ?? (state.session || "start") },
  );
}

function readPrompt(form: Form, state: RowState, value: unknown, who: About, emit: Emit): void {
  const shape = form.prompts?.find(({ when }) => fits(value, when));
  const prompt = shape && outputText(at(value, shape.text));
  if (!prompt) return;
  state.turn = true;
  emit({ type: "turn.started", prompt: shorten(prompt, 500) }, who);
}

function isListTool(row: Row, name: string): boolean {
  return row.tools.includes(name) || row.tools.includes(bareName(name));
}

function startCall(row: Row, state: RowState, call: Call, who: About, emit: Emit): void {
  const { id, name, input } = call;
  if (id === undefined || name === undefined) return;
  const hidden = isListTool(row, name);
  remember(state.calls, id, { name, ...(hidden && input != null && { input }) });
  if (!hidden)
    emit(
      { type: "tool.started", callId: id, name, ...(input != null && { input }) },
      { ...who, key: id },
    );
}

function endCall(row: Row, state: RowState, result: Result, who: About, emit: Emit): void {
  const { id, failed, output, exitCode } = result;
  if (id === undefined) return;
  const call = forget(state.calls, id);
  const name = result.name ?? call?.name;
  if (name === undefined) return;
  const about = { ...who, key: id };
  if (isListTool(row, name)) {
    const print = printOf([result, call]);
    if (recall(state.done, id) === print) return;
    remember(state.done, id, print);
    readWrite(row, state, { ...result, input: result.input ?? call?.input }, about, emit);
    return;
  }
  if (!call && recall(state.done, id) !== undefined) return;
  if (!call) {
    // Some records tell of a call only when it is over.
    remember(state.done, id, "");
    emit({ type: "tool.started", callId: id, name }, about);
  }
  emit(
    {
      type: failed ? "tool.failed" : "tool.completed",
      callId: id,
      name,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    about,
  );
}

const TIMES = ["timestamp", "timestamp_ms", "ts", "created", "created_at"];

function timeOf(record: unknown): string | number | undefined {
  for (const name of TIMES) {
    const value = at(record, name);
    const count = number(value);
    // Goose counts seconds.
    if (count !== undefined) return count < 1e11 ? count * 1_000 : count;
    if (text(value) !== undefined) return text(value);
  }
  return undefined;
}

/** Of a document that is a list, the first entries tell. */
const MAX_SNIFFED = 200;

function sniff(row: Row, form: Form, record: unknown): 0 | 1 | 2 {
  const entries = list(record)?.slice(0, MAX_SNIFFED) ?? [record];
  const values = entries.flatMap((entry) => opened(row, entry));
  if (row.own?.some((where) => values.some((value) => fits(value, where)))) return 2;
  return values.some((value) => isKnown(row, form, value)) ? 1 : 0;
}

function isKnown(row: Row, form: Form, value: unknown): boolean {
  return (
    row.session?.some(({ when }) => fits(value, when)) ||
    row.snapshots?.some(({ when }) => fits(value, when)) ||
    callsIn(form, value).some(
      ({ name, input }) =>
        name !== undefined && isListTool(row, name) && at(input, row.list?.args ?? "") != null,
    )
  );
}
