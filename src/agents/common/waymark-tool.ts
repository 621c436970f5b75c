import type { Status } from "../../core/model.ts";
import type { StreamItem } from "../../core/stream/events.ts";
import { withoutEscapes } from "../../core/text/model-text.ts";
import { progressOf } from "../../core/views/view.ts";
import type { Emit } from "../agent.ts";
import { type Fields, fields, items, list, number, parsed, text } from "./values.ts";

/** Waymark's own tool `todos`, as agents name it that reach it over MCP. */
const NAMES = /^(?:mcp_+)?waymark[_.:/-]+todos$/;

export const NATIVE_NEEDLES = ["_", "__", ".", ":", "/", "-"].map((sign) => `waymark${sign}todos`);

export function isNativeTool(name: string): boolean {
  return NAMES.test(name);
}

/** Neither a write of the whole list nor a reading of it. */
export function isPatch(input: unknown): boolean {
  const call = fields(parsed(input)) ?? {};
  return call.todos === undefined && Object.keys(call).length > 0;
}

/** A longer list is not kept in mind for later changes. */
export const MAX_NATIVE = 1_000;

const ITEM = { text: ["text"], activeText: ["activeText"], id: ["id"] };

/**
 * The list after an accepted call, or nothing where it cannot be known. A change answers with a part
 * of the list only: it is folded into what was known, and the count in the answer says if that fits.
 */
export function foldNative(
  known: readonly StreamItem[],
  input: unknown,
  output: string | undefined,
  emit: Emit,
): readonly StreamItem[] | undefined {
  const call = fields(parsed(input)) ?? {};
  const answer = answerOf(output ?? "", emit);
  const sent = list(parsed(call.todos));
  if (sent) return whole(items(sent, ITEM, emit), answer);
  if (Object.keys(call).length === 0) return answer.empty ? [] : fitting(answer.items, answer);
  return fitting(patched(known, call, answer.items), answer);
}

/**
 * The list after an answer that came as data: all of it, or what changed, which is put into the list
 * that was known and counted against the progress that came with it.
 */
export function foldAnswer(
  known: readonly StreamItem[] | undefined,
  data: Fields,
  emit: Emit,
): readonly StreamItem[] | undefined {
  const whole = list(data.todos);
  if (whole) return whole.flatMap((todo) => withNotes(answered([todo], emit), todo));
  const changed = list(data.changed);
  if (!changed || !known) return undefined;
  const byId = new Map(answered(changed, emit).map((item) => [item.id, item]));
  const after = known.map((item) => ({ ...item, ...byId.get(item.id) }));
  for (const { id } of known) byId.delete(id);
  after.push(...byId.values());
  const { completed, total } = progressOf(after);
  const said = fields(data.progress);
  const fits = said && number(said.completed) === completed && number(said.total) === total;
  return fits === false ? undefined : after;
}

/** Todos of an answer that came as data: tags and invisible characters are escaped in it. */
function answered(entries: readonly unknown[], emit: Emit): StreamItem[] {
  return items(entries, ITEM, emit).map((item) => ({
    ...item,
    text: withoutEscapes(item.text),
    ...(item.activeText !== undefined && { activeText: withoutEscapes(item.activeText) }),
  }));
}

function textOf(value: unknown): string | undefined {
  const said = text(value);
  return said === undefined ? undefined : withoutEscapes(said);
}

function withNotes(read: readonly StreamItem[], todo: unknown): readonly StreamItem[] {
  const notes = list(fields(todo)?.notes)?.flatMap((note) => textOf(note) ?? []) ?? [];
  return notes.length === 0 ? read : read.map((item) => ({ ...item, notes }));
}

interface Answer {
  readonly items: readonly StreamItem[];
  /** Todos that are not cancelled. */
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
const LINE = /^(\d+)\. \[([ >x!-])\] (.+)$/;
const COUNT = /^\(\d+\/(\d+) completed\)/;

function answerOf(output: string, emit: Emit): Answer {
  const data = output.startsWith("{") ? fields(parsed(output)) : undefined;
  if (data) return structured(data, emit);
  const found: StreamItem[] = [];
  for (const line of output.split("\n")) {
    const count = COUNT.exec(line);
    if (count) return { items: found, total: Number(count[1]), empty: false };
    const [, id, mark, said] = LINE.exec(line) ?? [];
    const status = MARKS[mark ?? ""];
    if (id === undefined || said === undefined || status === undefined) continue;
    const { text: first, behind } = textsIn(said);
    const activeText = status === "in_progress" ? behind : undefined;
    found.push({ text: first, status, ...(activeText !== undefined && { activeText }), id });
  }
  return { items: found, empty: output.includes("No todos.") };
}

const QUOTED = /^("(?:[^"\\]|\\.)*")(?: <- ("(?:[^"\\]|\\.)*"))?/;

/** The texts of a line: quoted, or as earlier versions wrote them. */
function textsIn(said: string): { readonly text: string; readonly behind?: string | undefined } {
  const [, first, second] = QUOTED.exec(said) ?? [];
  const unquoted = text(parsed(first));
  if (unquoted !== undefined) return { text: unquoted, behind: text(parsed(second)) };
  const [, before = said, behind] = /^(.+) <- (.+)$/.exec(said) ?? [];
  return { text: before, behind };
}

function structured(data: Fields, emit: Emit): Answer {
  const todos = list(data.todos);
  const shown = todos ?? [...(list(data.changed) ?? []), data.current, data.next].filter(fields);
  return {
    items: answered(shown, emit),
    total: number(fields(data.progress)?.total),
    empty: todos?.length === 0,
  };
}

/** Ids and statuses are the answer's; texts are better in the call, where nothing was escaped. */
function whole(sent: readonly StreamItem[], answer: Answer): readonly StreamItem[] {
  if (answer.items.length === 0) return answer.empty ? [] : sent;
  return answer.items.map((shown, index) => {
    const { text: said, activeText } =
      answer.items.length === sent.length ? (sent[index] ?? shown) : shown;
    return {
      text: said,
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
  const place = (target: string) =>
    after.findIndex((item) => item.id === target || item.text === target);
  const move = (targets: unknown, status: Status) => {
    for (const target of list(targets) ?? [targets]) {
      const index = place(text(target) ?? String(target));
      const item = after[index];
      if (item) after[index] = { ...item, status };
    }
  };
  move(call.finish, "completed");
  move(call.drop, "cancelled");
  move(fields(call.block)?.todo ?? call.block, "blocked");
  const added = (list(call.add) ?? [call.add]).flatMap((said) => text(said) ?? []);
  for (const item of shown) {
    const index = after.findIndex(({ id }) => id === item.id);
    const old = after[index];
    if (old) after[index] = { ...old, status: item.status };
    else after.push({ ...item, text: takeFull(added, item.text) });
  }
  after.push(...added.map((said): StreamItem => ({ text: said, status: "pending" })));
  return after;
}

/** A new todo's text as it was sent: long ones are cut where they are shown. */
function takeFull(added: string[], shown: string): string {
  const index = added.findIndex(
    (said) => said === shown || (shown.endsWith("…") && said.startsWith(shown.slice(0, -1))),
  );
  return (index === -1 ? undefined : added.splice(index, 1)[0]) ?? shown;
}

function fitting(after: readonly StreamItem[], answer: Answer): readonly StreamItem[] | undefined {
  const total = after.filter(({ status }) => status !== "cancelled").length;
  return after.length > 0 && (answer.total === undefined || answer.total === total)
    ? after
    : undefined;
}

/** A refusal of an MCP server comes wrapped in its whole answer. */
const WRAPPED = /"text":\s*("(?:[^"\\]|\\.)*")/;

/** What a server said when it refused, without the agent's words around it. */
export function refusalOf(message: string): string {
  const inner = message.startsWith("MCP tool") ? WRAPPED.exec(message)?.[1] : undefined;
  return text(parsed(inner)) ?? message;
}
