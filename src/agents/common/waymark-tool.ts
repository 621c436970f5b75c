import type { Status } from "../../core/model.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import { withoutEscapes } from "../../core/text/model-text.ts";
import { progressOf } from "../../core/views/view.ts";
import type { Emit } from "../agent.ts";
import { type Fields, fields, items, list, number, parsed, text } from "./values.ts";

/** The names that agents give to Waymark's tool `todos` when they use it over MCP. */
const NAMES = /^(?:mcp_+)?waymark[_.:/-]+todos$/;

export const WAYMARK_NEEDLES = ["_", "__", ".", ":", "/", "-"].map(
  (separator) => `waymark${separator}todos`,
);

export function isWaymarkTool(name: string): boolean {
  return NAMES.test(name);
}

/** Whether a call changes part of the list: it neither replaces nor only reads it. */
export function isPatch(input: unknown): boolean {
  const call = fields(parsed(input)) ?? {};
  return call.todos === undefined && Object.keys(call).length > 0;
}

/** Longer lists are not kept for later changes. */
export const MAX_WAYMARK_ITEMS = 1_000;

const ITEM = { text: ["text", "content"], activeText: ["activeText", "activeForm"], id: ["id"] };

/**
 * The list after an accepted call, or undefined if it is unknown. The answer to a change shows only part of the list.
 * It is applied to the known list; the count in the answer tells whether the result is right.
 */
export function foldWaymarkCall(
  known: readonly StreamItem[],
  input: unknown,
  output: string | undefined,
  emit: Emit,
): readonly StreamItem[] | undefined {
  const call = fields(parsed(input)) ?? {};
  const answer = answerOf(output ?? "", emit);
  const sent = list(parsed(call.todos));
  if (sent) return whole(items(sent, ITEM, emit), answer);
  if (Object.keys(call).length === 0) return answer.empty ? [] : checked(answer.items, answer);
  return checked(patched(known, call, answer.items), answer);
}

/**
 * The list after a structured answer, which has all todos or only the changed ones. Changed todos are applied to the
 * known list; the progress in the answer tells whether the result is right.
 */
export function foldWaymarkAnswer(
  known: readonly StreamItem[] | undefined,
  data: Fields,
  emit: Emit,
): readonly StreamItem[] | undefined {
  const whole = list(data.todos);
  if (whole) return whole.flatMap((todo) => withNotes(answerItems([todo], emit), todo));
  const changed = list(data.changed);
  if (!changed || !known) return undefined;
  const byId = new Map(answerItems(changed, emit).map((item) => [item.id, item]));
  const after = known.map((item) => ({ ...item, ...byId.get(item.id) }));
  for (const { id } of known) byId.delete(id);
  after.push(...byId.values());
  const { completed, total } = progressOf(after);
  const progress = fields(data.progress);
  const isRight =
    progress && number(progress.completed) === completed && number(progress.total) === total;
  return isRight === false ? undefined : after;
}

/** Reads todos of a structured answer, in which tags and invisible characters are escaped. */
function answerItems(entries: readonly unknown[], emit: Emit): StreamItem[] {
  return items(entries, ITEM, emit).map((item) => ({
    ...item,
    text: withoutEscapes(item.text),
    ...(item.activeText !== undefined && { activeText: withoutEscapes(item.activeText) }),
  }));
}

function textOf(value: unknown): string | undefined {
  const escaped = text(value);
  return escaped === undefined ? undefined : withoutEscapes(escaped);
}

function withNotes(read: readonly StreamItem[], todo: unknown): readonly StreamItem[] {
  const notes = list(fields(todo)?.notes)?.flatMap((note) => textOf(note) ?? []) ?? [];
  return notes.length === 0 ? read : read.map((item) => ({ ...item, notes }));
}

interface Answer {
  readonly items: readonly StreamItem[];
  /** The number of todos that are not cancelled. */
  readonly total?: number | undefined;
  readonly empty: boolean;
}

const MARKS: Readonly<Record<string, Status>> = {
  " ": "pending",
  ">": "in_progress",
  x: "completed",
  "-": "cancelled",
  "!": "blocked",
};
// `3 [x] "Text"` and `1 of 3 done.`; earlier versions wrote `3. [x] Text` and `(1/3 completed)`.
const LINE = /^(\d+)\.? \[([ >x!-])\] (.+)$/;
const COUNT = /^(?:\d+ of (\d+) done\b|\(\d+\/(\d+) completed\))/;

function answerOf(output: string, emit: Emit): Answer {
  const data = output.startsWith("{") ? fields(parsed(output)) : undefined;
  if (data) return structured(data, emit);
  const found: StreamItem[] = [];
  for (const line of output.split("\n")) {
    const count = COUNT.exec(line);
    if (count) return { items: found, total: Number(count[1] ?? count[2]), empty: false };
    const [, id, mark, rest] = LINE.exec(line) ?? [];
    const status = MARKS[mark ?? ""];
    if (id === undefined || rest === undefined || status === undefined) continue;
    const { text: first, active } = textsIn(rest);
    const activeText = status === "in_progress" ? active : undefined;
    found.push({ text: first, status, ...(activeText !== undefined && { activeText }), id });
  }
  return { items: found, empty: /^(?:No todos|The list is empty)\.$/m.test(output) };
}

const QUOTED = /^("(?:[^"\\]|\\.)*")(?: <- ("(?:[^"\\]|\\.)*"))?/;

/** The text and active text of a line: quoted, or plain as in earlier versions. */
function textsIn(line: string): { readonly text: string; readonly active?: string | undefined } {
  const [, first, second] = QUOTED.exec(line) ?? [];
  const unquoted = text(parsed(first));
  if (unquoted !== undefined) return { text: unquoted, active: text(parsed(second)) };
  const [, plain = line, active] = /^(.+) <- (.+)$/s.exec(line) ?? [];
  return { text: plain, active };
}

function structured(data: Fields, emit: Emit): Answer {
  const todos = list(data.todos);
  const shown = todos ?? [...(list(data.changed) ?? []), data.current, data.next].filter(fields);
  return {
    items: answerItems(shown, emit),
    total: number(fields(data.progress)?.total),
    empty: todos?.length === 0,
  };
}

/** Takes ids and statuses from the answer, and texts from the call, where they are not escaped. */
function whole(sent: readonly StreamItem[], answer: Answer): readonly StreamItem[] {
  if (answer.items.length === 0) return answer.empty ? [] : sent;
  return answer.items.map((shown, index) => {
    const { text: content, activeText } =
      answer.items.length === sent.length ? (sent[index] ?? shown) : shown;
    return {
      text: content,
      status: shown.status,
      ...(activeText !== undefined && { activeText }),
      ...(shown.id !== undefined && { id: shown.id }),
    };
  });
}

function patched(
  known: readonly StreamItem[],
  call: Fields,
  shown: readonly StreamItem[],
): readonly StreamItem[] {
  const after = [...known];
  const indexOf = (target: string) =>
    after.findIndex((item) => item.id === target || item.text === target);
  const move = (targets: unknown, status: Status) => {
    for (const target of list(targets) ?? [targets]) {
      const index = indexOf(text(target) ?? String(target));
      const item = after[index];
      if (item) after[index] = { ...item, status };
    }
  };
  move(call.finish, "completed");
  move(call.drop, "cancelled");
  move(fields(call.block)?.todo ?? call.block, "blocked");
  const added = (list(call.add) ?? [call.add]).flatMap((content) => text(content) ?? []);
  for (const item of shown) {
    const index = after.findIndex(({ id }) => id === item.id);
    const old = after[index];
    if (old) after[index] = { ...old, status: item.status };
    else after.push({ ...item, text: takeFull(added, item.text) });
  }
  after.push(...added.map((content): StreamItem => ({ text: content, status: "pending" })));
  return after;
}

/** Returns the full text of a new todo, as it was sent. Answers shorten long texts. */
function takeFull(added: string[], shown: string): string {
  const index = added.findIndex(
    (sent) => sent === shown || (shown.endsWith("…") && sent.startsWith(shown.slice(0, -1))),
  );
  return (index === -1 ? undefined : added.splice(index, 1)[0]) ?? shown;
}

function checked(after: readonly StreamItem[], answer: Answer): readonly StreamItem[] | undefined {
  const total = after.filter(({ status }) => status !== "cancelled").length;
  return after.length > 0 && (answer.total === undefined || answer.total === total)
    ? after
    : undefined;
}

/** Some agents report a refusal of an MCP server as the JSON of its whole answer. */
const WRAPPED = /"text":\s*("(?:[^"\\]|\\.)*")/;

/** The reason a server gave for a refusal, without the text that the agent adds. */
export function refusalOf(message: string): string {
  const inner = message.startsWith("MCP tool") ? WRAPPED.exec(message)?.[1] : undefined;
  return text(parsed(inner)) ?? message;
}
