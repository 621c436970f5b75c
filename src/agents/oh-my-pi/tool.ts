import * as z from "zod/mini";
import type { Intent } from "../../core/list/access.ts";
import { PRESETS } from "../../core/list/policy.ts";
import {
  DEFAULT_PHASE,
  type Draft,
  type Op,
  type Outcome,
  type Rejection,
  type Todo,
  type TodoTarget,
  type Track,
} from "../../core/model.ts";
import { oneLine } from "../../core/text/escape.ts";
import { joinText, type ModelText, modelText, NO_TEXT, quote } from "../../core/text/model-text.ts";
import { currentOf, isOpen } from "../../core/views/view.ts";
import { renderQuoted } from "../../tools/render.ts";
import { type Answer, defineTool } from "../../tools/tool.ts";

const OPS = [
  "init",
  "start",
  "done",
  "drop",
  "rm",
  "append",
  "note",
  "block",
  "unblock",
  "view",
] as const;
const texts = z.array(z.string()).check(z.minLength(1));

const entry = z.strictObject({
  op: z.enum(OPS),
  list: z.optional(z.array(z.strictObject({ phase: z.string(), items: texts }))),
  task: z.optional(z.string()),
  phase: z.optional(z.string()),
  items: z.optional(texts),
  text: z.optional(z.string()),
  reason: z.optional(z.string()),
});

const input = z.strictObject({
  ops: z.array(entry).check(z.minLength(1)),
  atomic: z.optional(z.boolean()),
});

type Entry = z.infer<typeof entry>;
type Input = z.infer<typeof input>;

/** oh-my-pi's operations tool. Valid operations apply even if others are refused; `atomic` applies all or none. */
export const todoOps = defineTool<Input>({
  id: "todo_write.ops",
  name: "todo_write",
  title: "Todo operations",
  input,
  examples: [
    {
      ops: [{ op: "init", list: [{ phase: "Build", items: ["Add the index", "Run the tests"] }] }],
    },
    {
      ops: [
        { op: "done", task: "Add the index" },
        { op: "note", task: "Run the tests", text: "slow on CI" },
      ],
    },
  ],
  strict: true,
  policy: PRESETS.ops,
  fieldNames: {
    todo: modelText`Task`,
    add: modelText`items`,
    replace: modelText`list`,
    text: modelText``,
    note: modelText`text`,
  },
  fits: (sent) => typeof sent === "object" && sent !== null && "ops" in sent,
  answersRefusals: true,
  reads: ({ ops }) => ops.every((each) => each.op === "view"),
  decode,
  answer,
});

function decode({ ops: entries, atomic = false }: Input, track: Track): Intent {
  const ops: Op[] = [];
  const rejected: Rejection[] = [];
  entries.forEach((each, index) => {
    const isEmpty = track.todos.length === 0 && !ops.some((op) => "todos" in op);
    const missing = missingField(each, isEmpty);
    if (missing)
      rejected.push({
        code: "missing_field",
        message: modelText`ops[${index}]: ${each.op} needs ${missing}.`,
      });
    else ops.push(...opOf(each).map((op) => ({ ...op, at: `ops[${index}]` })));
  });
  if (rejected.length > 0 && (atomic || ops.length === 0)) return { rejected };
  return { ops, partial: !atomic, ...(rejected.length > 0 && { refused: rejected }) };
}

function missingField(
  { op, list, task, phase, items, text }: Entry,
  isEmpty: boolean,
): ModelText | undefined {
  const empty = isEmpty ? " (the list is empty: begin with init)" : "";
  switch (op) {
    case "init":
      return list ? undefined : modelText`list`;
    case "start":
      return task ? undefined : modelText`task, the content of a task${empty}`;
    case "append":
      return !phase ? modelText`phase, a phase name` : items ? undefined : modelText`items`;
    case "note":
      return !task
        ? modelText`task, the content of a task${empty}`
        : text?.trim()
          ? undefined
          : modelText`text`;
    case "block":
    case "unblock":
      return task || phase ? undefined : modelText`task or phase`;
    case "done":
    case "drop":
    case "rm":
      // An empty name is refused: read as no name, it would mean every task.
      if (task || phase) return undefined;
      if (task !== undefined) return modelText`task, the content of a task${empty}`;
      return phase === undefined ? undefined : modelText`phase, a phase name`;
    case "view":
      return undefined;
  }
}

function targetOf({ task, phase }: Entry): TodoTarget {
  if (task) return { text: task };
  return phase ? { phase } : { all: true };
}

/** Texts are stored as one line. Later operations refer to them as they were sent, so that form is kept, too. */
function identified(text: string, phase: string): Draft {
  return {
    text,
    phase,
    ...(text !== oneLine(text) && { sentText: text }),
    ...(phase !== oneLine(phase) && { sentPhase: phase }),
  };
}

function opOf(each: Entry): Op[] {
  const target = targetOf(each);
  switch (each.op) {
    case "init": {
      const todos = (each.list ?? []).flatMap(({ phase, items }) =>
        items.map((text) => ({ ...identified(text, phase), status: "pending" as const })),
      );
      return [{ op: "replace", todos }];
    }
    case "start":
      return [{ op: "start", target }];
    case "done":
      return [{ op: "finish", target }];
    case "drop":
      return [{ op: "drop", target }];
    case "rm":
      return [{ op: "remove", target }];
    case "append": {
      const { phase = DEFAULT_PHASE } = each;
      const todos = (each.items ?? []).map((text) => identified(text, phase));
      return [{ op: "add", unique: true, todos }];
    }
    case "note":
      return [{ op: "note", target, text: each.text ?? "" }];
    case "block":
      return [{ op: "block", target, ...(each.reason && { reason: each.reason }) }];
    case "unblock":
      return [{ op: "unblock", target }];
    case "view":
      return [];
  }
}

/** Texts are identifiers here, so they are not shortened. */
const MAX_TEXT = 6_000;

interface Phase {
  readonly name: string;
  readonly tasks: Todo[];
}

function phasesOf(todos: readonly Todo[]): Phase[] {
  const phases = new Map<string, Phase>();
  for (const todo of todos) {
    const name = todo.phase ?? DEFAULT_PHASE;
    const phase = phases.get(name) ?? { name, tasks: [] };
    phases.set(name, phase);
    phase.tasks.push(todo);
  }
  return [...phases.values()];
}

/** A task of this tool, which calls cancelled ones abandoned. */
function taskOf({ text, status, notes, blocker }: Todo) {
  return {
    content: text,
    status: status === "cancelled" ? ("abandoned" as const) : status,
    ...(notes && { notes }),
    ...(blocker !== undefined && { blocker }),
  };
}

function answer(outcome: Outcome, _call: Input, { durable }: { durable: boolean }): Answer {
  const { after, event, rejected } = outcome;
  const phases = phasesOf(after.todos);
  const completed = new Set(
    event?.changes.flatMap((change) => {
      if (change.type === "todo.moved" && change.to === "completed") return [change.id];
      // Appended and completed in the same batch.
      return change.type === "todo.added" && change.todo.status === "completed"
        ? [change.todo.id]
        : [];
    }),
  );
  const completedTasks = after.todos
    .filter((todo) => completed.has(todo.id))
    .map((todo) => ({ phase: todo.phase ?? DEFAULT_PHASE, content: todo.text }));
  const errors = joinText(
    rejected.map(({ message }) => message),
    " ",
  );
  const shown = summary(after.todos, phases, outcome.before.todos.length > 0);
  return {
    text: errors === "" ? shown : modelText`Errors: ${errors}\n${shown}`,
    data: {
      phases: phases.map(({ name, tasks }) => ({ name, tasks: tasks.map(taskOf) })),
      storage: durable ? "session" : "memory",
      ...(completedTasks.length > 0 && { completedTasks }),
    },
  };
}

function summary(todos: readonly Todo[], phases: readonly Phase[], cleared: boolean): ModelText {
  if (todos.length === 0)
    return cleared ? modelText`List cleared, no tasks left.` : modelText`The list is empty.`;
  const open = todos.filter(isOpen);
  const remaining = open.map(
    ({ text, status, phase }) =>
      modelText`- ${quote(text, MAX_TEXT)} (${status}, ${quote(phase ?? DEFAULT_PHASE, MAX_TEXT)})`,
  );
  const current = currentOf(todos);
  const index = phases.findIndex(({ tasks }) =>
    tasks.some((task) => task === current || (!current && isOpen(task))),
  );
  const phase = phases[index];
  const closed = phase ? phase.tasks.filter((task) => !isOpen(task)).length : 0;
  const lines = [
    open.length === 0 ? modelText`Nothing remains.` : modelText`Remaining: ${open.length}`,
    ...remaining,
    ...(phase
      ? [
          modelText`Phase ${index + 1} of ${phases.length}, ${quote(phase.name, MAX_TEXT)}: ${closed} of ${phase.tasks.length} closed`,
        ]
      : []),
    ...phases.flatMap(({ name, tasks }) => [
      quote(name, MAX_TEXT),
      ...tasks.flatMap((task) => [
        modelText`  ${renderQuoted(task)}${task.notes ? modelText` +${task.notes.length}` : NO_TEXT}`,
        // Only the active task is shown with its notes.
        ...(task === current ? (task.notes ?? []).map(noteLine) : []),
      ]),
    ]),
  ];
  return joinText(lines, "\n");
}

function noteLine(note: string): ModelText {
  return modelText`      > ${quote(note, MAX_TEXT)}`;
}
