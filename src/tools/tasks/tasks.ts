import * as z from "zod/mini";
import { line, type ModelText, modelText, NO_TEXT } from "../../core/text/model-text.ts";
import { PRIORITIES, TASK_STATUSES, type Task, type TaskOp } from "../../tasks/model.ts";
import { notFound } from "../../tasks/rules/refusals.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { claimFieldsOf, claimOf, type RefusedOp, rememberClaim, send as sendOp } from "./claims.ts";
import { noneReady, TASKS_HINTS, unknownTask } from "./refusals.ts";
import { defineTaskTool, type TaskCall, type TaskToolResult } from "./task-tool.ts";
import { answerText, ownedTask, piece, span, taskFact, taskLine, taskLines } from "./text.ts";

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
        name: word,
        description: word,
        priority: z.optional(z.literal([...PRIORITIES])),
        blockedBy: z.optional(z.array(z.string())),
        check: word,
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

/** Waymark's own task tool: short calls and short answers to claim, finish, fail and release tasks. */
export const tasks = defineTaskTool<Input>({
  id: "tasks",
  title: "Tasks",
  input,
  examples: [
    {},
    { claim: "next" },
    { finish: "t3", evidence: "npm test", claim: "next" },
    {
      add: [
        { subject: "Write the notes", name: "notes", blockedBy: ["t3"] },
        { subject: "Publish", blockedBy: ["notes"] },
      ],
    },
  ],
  repair,
  reads: ({ claim, finish, fail, release, add, block }) =>
    [claim, finish, fail, release, add, block].every((wanted) => wanted === undefined),
  run,
});

/** Accepts what models send instead of the published form: numbers as ids, a single value as a list, null for an omitted field. */
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
    const given = Object.fromEntries(
      Object.entries(value).filter(([, inner]) => inner !== null),
    ) as Record<string, unknown>;
    // Models also call the name of a task its id, as other task tools do.
    const { id, name = id, blockedBy, ...others } = given;
    return {
      ...others,
      ...(name !== undefined && { name: text(name) }),
      ...(blockedBy !== undefined && { blockedBy: many(blockedBy).map(text) }),
    };
  }
}

const NEXT = "next";
const SHOWN = 6;

type StepResult =
  | { readonly lines: readonly ModelText[]; readonly data?: Readonly<Record<string, unknown>> }
  | Pick<RefusedOp, "refused" | "text">;

const send = (call: TaskCall, op: TaskOp, part: string) => sendOp(call, op, TASKS_HINTS, part);

/** Runs the steps in order and stops at the first refusal. */
async function run(given: Input, call: TaskCall): Promise<TaskToolResult> {
  const problem = conflictIn(given);
  if (problem) {
    const refused = { code: "invalid_input", message: problem } as const;
    return answer([], [{ refused, text: problem }]);
  }
  const steps = stepsOf(given);
  const results: StepResult[] = [];
  for (const step of steps) {
    const result = await step(call);
    results.push(result);
    if ("refused" in result) break;
  }
  return answer(steps, results);
}

/** Fields that need another one in the same call. */
function conflictIn({
  finish,
  fail,
  release,
  evidence,
  reason,
  show,
  from,
}: Input): ModelText | undefined {
  if (evidence !== undefined && finish === undefined)
    return modelText`evidence needs finish in the same call.`;
  if (reason !== undefined && fail === undefined && release === undefined)
    return modelText`reason needs fail or release in the same call.`;
  if (fail !== undefined && reason === undefined)
    return modelText`fail needs a reason, so the next agent knows what was tried.`;
  if (from !== undefined && show === undefined) return modelText`from needs show in the same call.`;
  return undefined;
}

type Step = (call: TaskCall) => Promise<StepResult>;

function stepsOf(given: Input): readonly Step[] {
  const { add, block, finish, fail, release, claim, show, from, find, epoch } = given;
  const { evidence, reason } = given;
  const steps: Step[] = [];
  if (add)
    steps.push(async (call) => {
      const drafts = add.map(({ subject, name, description, priority, blockedBy, check }) => ({
        subject,
        ...(name?.trim() && { name }),
        ...(description !== undefined && { description }),
        ...(priority !== undefined && { priority }),
        ...(blockedBy && { blockedBy }),
        ...(check?.trim() && { check }),
      }));
      const sent = await send(call, { op: "add", tasks: drafts }, ":add");
      if (!sent.ok) return sent;
      const store = await call.agent.store("reading");
      const lines: ModelText[] = [];
      for (const task of sent.tasks.slice(0, SHOWN))
        lines.push(taskLine(task, await openBlockers(store, task)));
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
      const claimed = await claimOf(call.agent, finish, epoch);
      const proof = evidence?.trim() ? { evidence: [evidence] } : {};
      const sent = await send(call, { op: "finish", ...claimed, ...proof }, ":finish");
      if (!sent.ok) return sent;
      const store = await call.agent.store("reading");
      const lines: ModelText[] = [];
      for (const { id } of sent.tasks)
        lines.push(modelText`${line(id)} is done.`, ...(await readyAfter(store, id)));
      return { lines };
    });
  if (fail !== undefined)
    steps.push(async (call) => {
      const claimed = await claimOf(call.agent, fail, epoch);
      const sent = await send(call, { op: "fail", ...claimed, reason: reason ?? "" }, ":fail");
      return sent.ok ? { lines: sent.tasks.map(failed) } : sent;
    });
  if (release !== undefined)
    steps.push(async (call) => {
      const claimed = await claimOf(call.agent, release, epoch);
      const why = reason?.trim() ? { reason } : {};
      const sent = await send(call, { op: "release", ...claimed, ...why }, ":release");
      return sent.ok ? { lines: sent.tasks.map(released) } : sent;
    });
  if (claim !== undefined) steps.push((call) => take(call, claim));
  if (show !== undefined) steps.push((call) => showOne(call, show, from ?? 0));
  if (find !== undefined)
    steps.push(async ({ agent }) => {
      const store = await agent.store("reading");
      const found = await store.list({ status: find, limit: SHOWN });
      if (found.length === 0) return { lines: [modelText`No task is ${find}.`] };
      const { [find]: count } = await store.counts();
      const lines = found.map((task) => taskLine(task));
      return { lines: taskLines(lines, Math.max(count, lines.length)) };
    });
  return steps.length > 0 ? steps : [overview];
}

function failed({ id, status, attempts, maxAttempts, notBefore, updatedAt }: Task): ModelText {
  const wait = (notBefore ?? 0) - updatedAt;
  const when = wait > 0 ? modelText` in ${span(wait)}` : NO_TEXT;
  return status === "failed"
    ? modelText`${line(id)} failed (attempt ${attempts} of ${maxAttempts}). It can't be claimed again.`
    : modelText`${line(id)} failed (attempt ${attempts} of ${maxAttempts}). It can be claimed again${when}.`;
}

function released({ id }: Task): ModelText {
  return modelText`${line(id)} is released. Other agents can claim it.`;
}

const MAX_READY = 3;

/** The tasks that were only waiting for this one. */
async function readyAfter(store: TaskStore, id: string): Promise<readonly ModelText[]> {
  const ready: Task[] = [];
  for (const task of await store.list({ status: "open", blockedBy: id, limit: 20 }))
    if ((await openBlockers(store, task)).length === 0) ready.push(task);
  return ready.slice(0, MAX_READY).map((task) => modelText`Ready now: ${taskLine(task)}`);
}

async function take(call: TaskCall, wanted: string): Promise<StepResult> {
  const { agent } = call;
  const id = wanted === NEXT ? {} : { id: wanted };
  const sent = await send(call, { op: "claim", ...claimFieldsOf(agent), ...id }, ":claim");
  const store = await agent.store("reading");
  if (sent.ok) return claimed(sent.tasks[0], await store.now());
  const { code, holder } = sent.refused;
  const own = code === "held" && holder === agent.owner ? await store.get(wanted) : undefined;
  if (!own) return sent;
  rememberClaim(agent, own.id, { owner: agent.owner, epoch: own.epoch });
  return claimed(own, await store.now(), true);
}

function claimed(task: Task | undefined, now: number, already = false): StepResult {
  if (!task) return { lines: [] };
  const { id, epoch, leaseUntil = now, description } = task;
  const lines = [
    ownedTask(task, already),
    modelText`The claim lasts ${span(leaseUntil - now)} and renews while you work.`,
    ...(task.check === undefined
      ? []
      : [taskFact("To finish it, this check has to pass", task.check)]),
  ];
  return { lines: described(lines, id, description), data: { task: id, epoch } };
}

/** Lines, and after them the description from an offset. */
function described(
  lines: readonly ModelText[],
  id: string,
  description: string | undefined,
  from = 0,
): readonly ModelText[] {
  if (description === undefined || from >= [...description].length) return lines;
  const { text, next } = piece(description, from, lines);
  const rest =
    next === undefined
      ? []
      : [modelText`\u2026 Read on with {"show":"${line(id)}","from":${next}}`];
  return [...lines, modelText`Description: ${text}`, ...rest];
}

/** When the task can be claimed, and when it has to be done. */
function timesOf({ status, notBefore = 0, deadline }: Task, now: number): readonly ModelText[] {
  const isOpen = status === "open" || status === "claimed";
  return [
    ...(status === "open" && notBefore > now
      ? [modelText`It can be claimed in ${span(notBefore - now)}.`]
      : []),
    ...(deadline !== undefined && isOpen
      ? [
          deadline > now
            ? modelText`It is due in ${span(deadline - now)}.`
            : modelText`It is overdue since ${span(now - deadline)}.`,
        ]
      : []),
  ];
}

async function showOne({ agent }: TaskCall, wanted: string, from: number): Promise<StepResult> {
  const store = await agent.store("reading");
  const task = await store.get(wanted);
  if (!task) return { refused: notFound(wanted), text: unknownTask(wanted, TASKS_HINTS) };
  const { id, description, evidence, reason, parent, lapsed } = task;
  const start = Math.max(0, Math.floor(from));
  if (start > 0) return { lines: described([], id, description, start), data: { task: id } };
  const now = await store.now();
  const facts = [
    taskLine(task, await openBlockers(store, task)),
    ...timesOf(task, now),
    task.check === undefined ? undefined : taskFact("Check", task.check),
    parent === undefined ? undefined : modelText`Part of ${line(parent)}.`,
    lapsed === undefined ? undefined : taskFact("Claim expired, last owner", lapsed.owner),
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

async function openBlockers(store: TaskStore, task: Task): Promise<readonly string[]> {
  const open: string[] = [];
  for (const id of task.blockedBy.slice(0, 20))
    if ((await store.get(id))?.status !== "done") open.push(id);
  return open;
}

async function overview({ agent }: TaskCall): Promise<StepResult> {
  const store = await agent.store("reading");
  const mine = await store.list({ status: "claimed", owner: agent.owner, limit: 50 });
  const { ready: count } = await store.counts();
  const ready = await store.ready({ limit: mine.length > 0 ? SHOWN - 2 : SHOWN });
  const owned = mine.slice(0, 2).map((task) => ownedTask(task));
  return {
    lines: [
      ...taskLines(owned, mine.length),
      count === 0 ? await noneReady(store) : modelText`Ready: ${count}`,
      ...taskLines(
        ready.map((task) => taskLine(task)),
        count,
      ),
    ],
    data: { ready: ready.map(({ id }) => id) },
  };
}

function answer(steps: readonly Step[], results: readonly StepResult[]): TaskToolResult {
  const lines: ModelText[] = [];
  let data: Readonly<Record<string, unknown>> = {};
  let refusal: Pick<RefusedOp, "refused" | "text"> | undefined;
  for (const result of results)
    if ("refused" in result) refusal = result;
    else {
      lines.push(...result.lines);
      data = { ...data, ...result.data };
    }
  if (!refusal) return { ok: true, text: answerText(lines), data, rejected: [] };
  const { code } = refusal.refused;
  const message = refusal.text;
  const isAlone = lines.length === 0 && steps.length <= 1;
  const why = isAlone ? message : modelText`Not done: ${message}`;
  return {
    ok: false,
    text: answerText([...lines, why]),
    data: { ...data, code },
    rejected: [{ code, message }],
  };
}
