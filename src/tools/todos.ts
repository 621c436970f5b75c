import * as z from "zod/mini";
import type { Intent } from "../core/list/intent.ts";
import { type Change, type Op, type Outcome, STATUSES, type Todo } from "../core/model.ts";
import { joinText, type ModelText, modelText } from "../core/text/model-text.ts";
import { currentOf, isFinished, nextOf, progressOf } from "../core/views/view.ts";
import { renderBrief, renderCount, renderNumbered, renderTodos } from "./render.ts";
import { type Answer, defineTool } from "./tool.ts";

const ids = z.optional(z.array(z.string()));

const input = z.strictObject({
  todos: z.optional(
    z.array(
      z.strictObject({
        text: z.string(),
        status: z.optional(z.enum(STATUSES)),
        activeText: z.optional(z.string()),
      }),
    ),
  ),
  start: z.optional(z.string()),
  finish: ids,
  drop: ids,
  block: z.optional(z.strictObject({ todo: z.string(), reason: z.optional(z.string()) })),
  add: ids,
  note: z.optional(z.strictObject({ todo: z.optional(z.string()), text: z.string() })),
  evidence: z.optional(z.string()),
});

type Input = z.infer<typeof input>;

/** The native tool: the least a model must send and read for each step. */
export const todos = defineTool<Input>({
  id: "todos",
  name: "todos",
  title: "Todos",
  input,
  examples: [
    { todos: [{ text: "Add the index", status: "in_progress" }, { text: "Run the tests" }] },
    { finish: ["1"], start: "2", evidence: "npm test" },
    { add: ["Update the changelog"] },
    {},
  ],
  strict: true,
  policy: {},
  nudges: true,
  words: { add: modelText`add`, note: modelText`note.text` },
  repair,
  reads: (call) => Object.keys(call).length === 0,
  decode,
  answer: (outcome, call) =>
    call.todos || Object.keys(call).length === 0 ? wholeList(outcome) : whatChanged(outcome),
});

const LISTS = ["finish", "drop", "add"] as const;
/** What a whole list is answered with and may be sent back, though the text says which todo it is. */
const ECHOED = ["id", "notes", "evidence"];

/** Numbers for ids, texts for todos, one value for a list of one, null for what is left out: all are understood. */
function repair(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const call: Record<string, unknown> = Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== null),
  );
  const text = (value: unknown) => (typeof value === "number" ? String(value) : value);
  for (const field of LISTS) {
    if (!(field in call)) continue;
    const value = call[field];
    call[field] = (Array.isArray(value) ? value : [value]).map(text);
  }
  if (Array.isArray(call.todos)) call.todos = call.todos.map(asTodo);
  if (Array.isArray(call.start) && call.start.length === 1) call.start = call.start[0];
  if ("start" in call) call.start = text(call.start);
  if (typeof call.note === "string") call.note = { text: call.note };
  if (["string", "number"].includes(typeof call.block)) call.block = { todo: call.block };
  for (const field of ["note", "block"] as const) {
    const value = call[field];
    if (typeof value === "object" && value !== null && "todo" in value)
      call[field] = { ...value, todo: text(value.todo) };
  }
  return call;
}

function asTodo(entry: unknown): unknown {
  if (typeof entry === "string") return { text: entry };
  if (typeof entry !== "object" || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !ECHOED.includes(field)));
}

function refuse(message: ModelText): Intent {
  return { rejected: [{ code: "invalid_input", message }] };
}

function decode(call: Input, track: { readonly todos: readonly Todo[] }): Intent {
  const { todos: list, start, finish = [], drop = [], block, add = [], note, evidence } = call;
  if (list) {
    if (Object.keys(call).length > 1)
      return refuse(
        modelText`Send either todos (the whole list) or changes, not both in one call.`,
      );
    return { ops: [{ op: "replace", todos: list.map(withoutUndefined) }] };
  }
  if (evidence !== undefined && finish.length + drop.length === 0)
    return refuse(modelText`evidence goes with finish or drop.`);
  const about = note && (note.todo ?? currentOf(track.todos)?.id);
  if (note && about === undefined)
    return refuse(modelText`note.todo is missing: no todo is in progress to put the note on.`);
  const proof = evidence === undefined ? {} : { evidence };
  const ops: Op[] = [
    ...finish.map((any): Op => ({ op: "finish", target: { any }, ...proof })),
    ...drop.map((any): Op => ({ op: "drop", target: { any }, ...proof })),
    ...(block
      ? [
          {
            op: "block" as const,
            target: { any: block.todo },
            ...(block.reason !== undefined && { reason: block.reason }),
          },
        ]
      : []),
    ...(note && about !== undefined
      ? [{ op: "note" as const, target: { any: about }, text: note.text }]
      : []),
    ...(add.length > 0 ? [{ op: "add" as const, todos: add.map((text) => ({ text })) }] : []),
    ...(start !== undefined ? [{ op: "start" as const, target: { any: start } }] : []),
  ];
  return { ops };
}

function withoutUndefined<T extends object>(
  value: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function brief(todo: Todo | undefined) {
  return todo ? { id: todo.id, text: todo.text, status: todo.status } : null;
}

function wholeList({ after: { todos } }: Outcome): Answer {
  return {
    text: renderTodos(todos, renderNumbered),
    data: {
      todos: todos.map((todo) => ({
        id: todo.id,
        text: todo.text,
        status: todo.status,
        ...(todo.activeText !== undefined && { activeText: todo.activeText }),
        ...(todo.notes && { notes: todo.notes }),
        ...(todo.evidence && { evidence: todo.evidence }),
      })),
      progress: progressOf(todos),
      current: brief(currentOf(todos)),
      next: brief(nextOf(todos)),
    },
  };
}

/** Bytes of one line; the answer to one change has at most three of them. */
const LINE = 88;
const MAX_LINES = 6;

function whatChanged({ event, after: { todos } }: Outcome): Answer {
  const touched = new Set((event?.changes ?? []).map(idOf));
  const changed = todos.filter((todo) => touched.has(todo.id));
  const current = currentOf(todos);
  const next = nextOf(todos);
  const lines = changed.slice(0, MAX_LINES).map((todo) => renderBrief(todo, LINE));
  if (changed.length > MAX_LINES)
    lines.push(modelText`\u2026 and ${changed.length - MAX_LINES} more changed`);
  if (current && !touched.has(current.id)) lines.push(renderBrief(current, LINE));
  if (next && !touched.has(next.id)) lines.push(modelText`Next: ${renderBrief(next, LINE - 6)}`);
  const count = renderCount(todos);
  lines.push(isFinished(todos) ? modelText`${count} The list is finished.` : count);
  return {
    text: joinText(lines, "\n"),
    data: {
      changed: changed.map(brief),
      current: brief(current),
      next: brief(next),
      progress: progressOf(todos),
    },
  };
}

function idOf(change: Change): string | undefined {
  if (change.type === "todo.added") return change.todo.id;
  return "id" in change ? change.id : undefined;
}
