import * as z from "zod/mini";
import { line, type ModelText, modelText } from "../../core/text/model-text.ts";
import { PRIORITIES, TASK_STATUSES, type Task, type TaskRefusal } from "../../tasks/model.ts";
import { notFound } from "../../tasks/rules/refusals.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { claimant, holdingOf, remember, send } from "./held.ts";
import { defineTaskTool, type TaskCall, type TaskToolResult } from "./task-tool.ts";
import {
  answerText,
  oneTask,
  piece,
  refusalWords,
  span,
  taskFact,
  taskLine,
  taskLines,
} from "./words.ts";

const word = z.optional(z.string());

const input = z.strictObject({
  claim: word,
  finish: word,
  evidence: word,
  fail: word,
  release: word,
  reason: word,
  add: z.optional(
    z.array(
      z.strictObject({
        subject: z.string(),
        description: word,
        priority: z.optional(z.literal([...PRIORITIES])),
        blockedBy: z.optional(z.array(z.string())),
      }),
    ),
  ),
  block: z.optional(z.strictObject({ task: z.string(), by: z.array(z.string()) })),
  show: word,
  from: z.optional(z.number()),
  find: z.optional(z.enum(TASK_STATUSES)),
  epoch: z.optional(z.number()),
});

type Input = z.infer<typeof input>;

/** The native tool of a team: the least a model must send and read to take work and to give it back. */
export const tasks = defineTaskTool<Input>({
  id: "tasks",
  title: "Tasks",
  input,
  examples: [
    {},
    { claim: "next" },
    { finish: "t3", evidence: "npm test", claim: "next" },
    { add: [{ subject: "Write the notes", blockedBy: ["t3"] }] },
  ],
  repair,
  reads: ({ claim, finish, fail, release, add, block }) =>
    [claim, finish, fail, release, add, block].every((wanted) => wanted === undefined),
  run,
});

/** Numbers for ids, one value for a list of one, null for what is left out: all are understood. */
function repair(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const call: Record<string, unknown> = Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== null),
  );
  const text = (value: unknown) => (typeof value === "number" ? String(value) : value);
  const single = (value: unknown) =>
    Array.isArray(value) && value.length === 1 ? value[0] : value;
  for (const field of ["claim", "finish", "fail", "release", "show"])
    if (field in call) call[field] = text(single(call[field]));
  if (call.claim === true || call.claim === "") call.claim = NEXT;
  if (Array.isArray(call.evidence)) call.evidence = call.evidence.join("\n");
  if ("add" in call) call.add = many(call.add).map(draft);
  const { block } = call;
  if (typeof block === "object" && block !== null && "task" in block && "by" in block)
    call.block = { ...block, task: text(block.task), by: many(block.by).map(text) };
  return call;

  function many(value: unknown): unknown[] {
    return Array.isArray(value) ? value : [value];
  }
  function draft(value: unknown): unknown {
    if (typeof value === "string") return { subject: value };
    if (typeof value !== "object" || value === null) return value;
    const given = Object.entries(value).filter(([, inner]) => inner !== null);
    return Object.fromEntries(
      given.map(([field, inner]) => [field, field === "blockedBy" ? many(inner).map(text) : inner]),
    );
  }
}

const NEXT = "next";
const SHOWN = 6;

type Said =
  | { readonly lines: readonly ModelText[]; readonly data?: Readonly<Record<string, unknown>> }
  | { readonly refused: TaskRefusal };

/** In this order; the first refusal is the last that is tried. */
async function run(given: Input, call: TaskCall): Promise<TaskToolResult> {
  const wrong = misfit(given);
  if (wrong) return answer([], [{ refused: { code: "invalid_input", message: wrong } }]);
  const steps = stepsOf(given);
  const said: Said[] = [];
  for (const step of steps) {
    const next = await step(call);
    said.push(next);
    if ("refused" in next) break;
  }
  return answer(steps, said);
}

function misfit({
  finish,
  fail,
  release,
  evidence,
  reason,
  show,
  from,
}: Input): ModelText | undefined {
  if (evidence !== undefined && finish === undefined) return modelText`evidence goes with finish.`;
  if (reason !== undefined && fail === undefined && release === undefined)
    return modelText`reason goes with fail or release.`;
  if (fail !== undefined && reason === undefined)
    return modelText`reason is missing: say in it why the task failed.`;
  if (from !== undefined && show === undefined) return modelText`from goes with show.`;
  return undefined;
}

type Step = (call: TaskCall) => Promise<Said>;

function stepsOf(given: Input): readonly Step[] {
  const { add, block, finish, fail, release, claim, show, from, find, epoch } = given;
  const { evidence, reason } = given;
  const steps: Step[] = [];
  if (add)
    steps.push(async (call) => {
      const drafts = add.map(({ subject, description, priority, blockedBy }) => ({
        subject,
        ...(description !== undefined && { description }),
        ...(priority !== undefined && { priority }),
        ...(blockedBy && { blockedBy }),
      }));
      const sent = await send(call, { op: "add", tasks: drafts }, ":add");
      if (!sent.ok) return sent;
      const lines = sent.tasks.slice(0, SHOWN).map((task) => taskLine(task));
      return { lines: [modelText`Added:`, ...taskLines(lines, sent.tasks.length)] };
    });
  if (block)
    steps.push(async (call) => {
      const op = { op: "edit", id: block.task, set: { addBlockedBy: block.by } } as const;
      const sent = await send(call, op, ":block");
      if (!sent.ok) return sent;
      return { lines: sent.tasks.map((task) => taskLine(task, task.blockedBy)) };
    });
  if (finish !== undefined)
    steps.push(async (call) => {
      const holding = await holdingOf(call.desk, finish, epoch);
      const proof = evidence?.trim() ? { evidence: [evidence] } : {};
      const sent = await send(call, { op: "finish", ...holding, ...proof }, ":finish");
      return sent.ok
        ? { lines: sent.tasks.map(({ id }) => modelText`${line(id)} is done.`) }
        : sent;
    });
  if (fail !== undefined)
    steps.push(async (call) => {
      const holding = await holdingOf(call.desk, fail, epoch);
      const sent = await send(call, { op: "fail", ...holding, reason: reason ?? "" }, ":fail");
      return sent.ok ? { lines: sent.tasks.map(failed) } : sent;
    });
  if (release !== undefined)
    steps.push(async (call) => {
      const holding = await holdingOf(call.desk, release, epoch);
      const why = reason?.trim() ? { reason } : {};
      const sent = await send(call, { op: "release", ...holding, ...why }, ":release");
      return sent.ok
        ? { lines: sent.tasks.map(({ id }) => modelText`${line(id)} is free for others.`) }
        : sent;
    });
  if (claim !== undefined) steps.push((call) => take(call, claim));
  if (show !== undefined) steps.push((call) => showOne(call, show, from ?? 0));
  if (find !== undefined)
    steps.push(async ({ desk }) => {
      const store = await desk.store("reading");
      const found = await store.list({ status: find, limit: SHOWN });
      if (found.length === 0) return { lines: [modelText`No task is ${find}.`] };
      const { [find]: count } = await store.counts();
      const lines = found.map((task) => taskLine(task));
      return { lines: taskLines(lines, Math.max(count, lines.length)) };
    });
  return steps.length > 0 ? steps : [overview];
}

function failed({ id, status, attempts, maxAttempts }: Task): ModelText {
  return status === "failed"
    ? modelText`${line(id)} has failed: that was attempt ${attempts} of ${maxAttempts}.`
    : modelText`${line(id)} is free to be tried again: that was attempt ${attempts} of ${maxAttempts}.`;
}

async function take(call: TaskCall, wanted: string): Promise<Said> {
  const { desk } = call;
  const id = wanted === NEXT ? {} : { id: wanted };
  const sent = await send(call, { op: "claim", ...claimant(desk), ...id }, ":claim");
  const store = await desk.store("reading");
  if (sent.ok) return holds(sent.tasks[0], await store.now());
  const { code, holder } = sent.refused;
  const own = code === "held" && holder === desk.owner ? await store.get(wanted) : undefined;
  if (!own) return sent;
  remember(desk, own.id, { owner: desk.owner, epoch: own.epoch });
  return holds(own, await store.now());
}

function holds(task: Task | undefined, now: number): Said {
  if (!task) return { lines: [] };
  const { id, epoch, leaseUntil = now, description } = task;
  const lines = [
    oneTask("You hold", task),
    modelText`It is yours for ${span(leaseUntil - now)}; your work here renews that.`,
  ];
  return { lines: described(lines, id, description), data: { task: id, epoch } };
}

/** Lines, and behind them the description from a character on. */
function described(
  lines: readonly ModelText[],
  id: string,
  description: string | undefined,
  from = 0,
): readonly ModelText[] {
  if (description === undefined || from >= [...description].length) return lines;
  const { text, next } = piece(description, from, lines);
  const rest =
    next === undefined ? [] : [modelText`\u2026 goes on: {"show":"${line(id)}","from":${next}}`];
  return [...lines, modelText`Description: ${text}`, ...rest];
}

async function showOne({ desk }: TaskCall, wanted: string, from: number): Promise<Said> {
  const store = await desk.store("reading");
  const task = await store.get(wanted);
  if (!task) return { refused: notFound(wanted) };
  const { id, description, evidence, reason, parent, lapsed } = task;
  const start = Math.max(0, Math.floor(from));
  if (start > 0) return { lines: described([], id, description, start), data: { task: id } };
  const facts = [
    taskLine(task, await waitsFor(store, task)),
    parent === undefined ? undefined : modelText`Part of ${line(parent)}.`,
    lapsed === undefined ? undefined : taskFact("Fell silent", lapsed.owner),
    reason === undefined ? undefined : taskFact("Reason", reason),
    evidence.length === 0 ? undefined : taskFact("Evidence", evidence.join("; ")),
  ];
  return {
    lines: described(
      facts.filter((fact) => fact !== undefined),
      id,
      description,
    ),
    data: { task: id, status: task.status, epoch: task.epoch },
  };
}

async function waitsFor(store: TaskStore, task: Task): Promise<readonly string[]> {
  const open: string[] = [];
  for (const id of task.blockedBy.slice(0, 20))
    if ((await store.get(id))?.status !== "done") open.push(id);
  return open;
}

async function overview({ desk }: TaskCall): Promise<Said> {
  const store = await desk.store("reading");
  const mine = await store.list({ status: "claimed", owner: desk.owner, limit: 50 });
  const { ready: count } = await store.counts();
  const ready = await store.ready({ limit: mine.length > 0 ? SHOWN - 2 : SHOWN });
  const held = mine.slice(0, 2).map((task) => oneTask("You hold", task));
  return {
    lines: [
      ...taskLines(held, mine.length),
      count === 0 ? modelText`No task is ready.` : modelText`Ready: ${count}`,
      ...taskLines(
        ready.map((task) => taskLine(task)),
        count,
      ),
    ],
    data: { ready: ready.map(({ id }) => id) },
  };
}

function answer(steps: readonly Step[], said: readonly Said[]): TaskToolResult {
  const lines: ModelText[] = [];
  let data: Readonly<Record<string, unknown>> = {};
  let refused: TaskRefusal | undefined;
  for (const each of said)
    if ("refused" in each) refused = each.refused;
    else {
      lines.push(...each.lines);
      data = { ...data, ...each.data };
    }
  if (!refused) return { ok: true, text: answerText(lines), data, rejected: [] };
  const { code } = refused;
  const message = refusalWords(refused);
  const nothing = lines.length === 0 && steps.length <= 1;
  const why = nothing ? message : modelText`Not done: ${message}`;
  return {
    ok: false,
    text: answerText([...lines, why]),
    data: { ...data, code },
    rejected: [{ code, message }],
  };
}
