import * as z from "zod/mini";
import { INPUT_REFUSALS } from "../core/guidance/refusal-texts.ts";
import type { Intent } from "../core/list/access.ts";
import { type Change, type Op, type Outcome, STATUSES, type Todo } from "../core/model.ts";
import { joinText, type ModelText, modelText } from "../core/text/model-text.ts";
import { isRecord } from "../core/values.ts";
import { currentOf, nextOf, progressOf } from "../core/views/view.ts";
import { renderBrief, renderNumbered, renderProgress } from "./render.ts";
import { type Answer, defineTool } from "./tool.ts";

const ids = z.optional(z.array(z.string()));
const text = z.optional(z.string());

const fields = {
  todos: z.optional(
    z.array(
      z.strictObject({
        text: z.string(),
        status: z.optional(z.enum(STATUSES)),
        activeText: text,
      }),
    ),
  ),
  start: text,
  finish: ids,
  evidence: text,
  drop: ids,
  block: text,
  reason: text,
  add: ids,
  note: text,
};

const input = z.strictObject(fields);

/** Earlier versions published the note as an object that can name its todo. */
const older = z.strictObject({
  ...fields,
  note: z.optional(z.strictObject({ todo: text, text: z.string() })),
});

interface Input extends Omit<z.infer<typeof input>, "note"> {
  readonly note?:
    | string
    | { readonly todo?: string | undefined; readonly text: string }
    | undefined;
}

/** Waymark's own list tool. A step costs the model one short call and a short answer. */
export const todos = defineTool<Input>({
  id: "todos",
  name: "todos",
  title: "Todos",
  input: input as z.ZodMiniType<Input>,
  older: older as z.ZodMiniType<Input>,
  examples: [
    { todos: [{ text: "Add the index", status: "in_progress" }, { text: "Run the tests" }] },
    { finish: ["1"], start: "2", evidence: "npm test" },
    { add: ["Update the changelog"] },
    {},
  ],
  strict: true,
  policy: {},
  reminds: true,
  fieldNames: { add: modelText`add`, note: modelText`note` },
  repair,
  reads: (call) => Object.keys(call).length === 0,
  decode,
  answer: (outcome, call) =>
    call.todos || Object.keys(call).length === 0 ? wholeList(outcome) : whatChanged(outcome),
});

const LISTS = ["finish", "drop", "add"] as const;
/** Fields of our answers that models send back with a whole list. The text identifies the todo. */
const ECHOED = ["id", "notes", "evidence"];
/** Names from other list tools that models use out of habit. */
const ALIASES: Readonly<Record<string, string>> = { content: "text", activeForm: "activeText" };

/**
 * Accepts what models send instead of the published form: numbers as ids, a string as a todo, a single value as a list, null for
 * an omitted field, `content` and `activeForm`, and `block: { todo, reason }` of earlier versions.
 */
function repair(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const call: Record<string, unknown> = Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== null),
  );
  for (const field of LISTS) {
    if (!(field in call)) continue;
    const value = call[field];
    call[field] = (Array.isArray(value) ? value : [value]).map(asText);
  }
  if (Array.isArray(call.todos)) call.todos = call.todos.map(asTodo);
  const { block, note } = call;
  if (isRecord(block) && "todo" in block) {
    const { todo, reason, ...rest } = block;
    // An unknown field stays where it is, so that the refusal names it.
    if (Object.keys(rest).length === 0) {
      call.block = todo;
      if (reason !== undefined && reason !== null) call.reason ??= reason;
    }
  }
  for (const field of ["start", "block"] as const) {
    const value = call[field];
    if (Array.isArray(value) && value.length === 1) call[field] = asText(value[0]);
    else if (field in call) call[field] = asText(value);
  }
  if (isRecord(note)) {
    const { todo, ...rest } = note;
    call.note =
      todo === undefined || todo === null
        ? Object.keys(rest).length === 1 && "text" in rest
          ? rest.text
          : rest
        : { ...rest, todo: asText(todo) };
  }
  return call;
}

function asText(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

function asTodo(entry: unknown): unknown {
  if (typeof entry === "string") return { text: entry };
  if (!isRecord(entry)) return entry;
  const known = Object.entries(entry).filter(([field]) => !ECHOED.includes(field));
  return Object.fromEntries(
    known.map(([field, value]) => {
      const name = ALIASES[field] ?? field;
      return [name in entry ? field : name, value];
    }),
  );
}

function refuse(message: ModelText): Intent {
  return { rejected: [{ code: "invalid_input", message }] };
}

function decode(call: Input, track: { readonly todos: readonly Todo[] }): Intent {
  const { todos: list, start, finish = [], evidence, drop = [], block, reason, add = [] } = call;
  if (list) {
    if (Object.keys(call).length > 1) return refuse(INPUT_REFUSALS.mixed);
    return { ops: [{ op: "replace", todos: list.map(withoutUndefined) }] };
  }
  if (evidence !== undefined && finish.length + drop.length === 0)
    return refuse(INPUT_REFUSALS.evidence);
  if (reason !== undefined && block === undefined) return refuse(INPUT_REFUSALS.reason);
  const note = typeof call.note === "string" ? { text: call.note } : call.note;
  // The model moves on to what it starts, so that is the todo its note is about.
  const noted = note && (note.todo ?? start ?? currentOf(track.todos)?.id);
  if (note && noted === undefined) return refuse(INPUT_REFUSALS.note);
  const proof = evidence === undefined ? {} : { evidence };
  const ops: Op[] = [
    ...finish.map((any): Op => ({ op: "finish", target: { any }, ...proof })),
    ...drop.map((any): Op => ({ op: "drop", target: { any }, ...proof })),
    ...(block === undefined
      ? []
      : [
          {
            op: "block" as const,
            target: { any: block },
            ...(reason !== undefined && { reason }),
          },
        ]),
    ...(add.length > 0 ? [{ op: "add" as const, todos: add.map((text) => ({ text })) }] : []),
    ...(start !== undefined ? [{ op: "start" as const, target: { any: start } }] : []),
    ...(note && noted !== undefined
      ? [{ op: "note" as const, target: { any: noted }, text: note.text }]
      : []),
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
    text: renderNumbered(todos),
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

/** Bytes of one line. The answer to a single change has at most three lines and the progress. */
const LINE = 88;
const MAX_LINES = 6;

function whatChanged({ event, before, after: { todos } }: Outcome): Answer {
  const touched = new Set((event?.changes ?? []).map(idOf));
  const changed = todos.filter((todo) => touched.has(todo.id));
  const current = currentOf(todos);
  const next = nextOf(todos);
  const lines = changed.slice(0, MAX_LINES).map((todo) => renderBrief(todo, LINE));
  if (changed.length > MAX_LINES)
    lines.push(modelText`\u2026 and ${changed.length - MAX_LINES} more changed.`);
  if (current && !touched.has(current.id)) lines.push(renderBrief(current, LINE));
  if (next && !touched.has(next.id)) lines.push(modelText`Next: ${renderBrief(next, LINE - 6)}`);
  lines.push(renderProgress(todos));
  if (before.todos.length > 0 && event?.changes.some(({ type }) => type === "list.started"))
    lines.push(modelText`This is a new list: the one before was finished.`);
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
