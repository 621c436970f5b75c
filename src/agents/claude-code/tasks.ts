import type { StreamItem } from "../../core/stream/events.ts";
import { parseStatus } from "../../core/text/status.ts";
import type { Writable } from "../../core/writable.ts";
import type { Emit } from "../agent.ts";
import { forget, recall, remember } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import { type Fields, fields, list, outputText, text } from "../common/values.ts";
import { emitList, emitMissed, emitRejected, emitSnapshot, emitUnknown } from "./lists.ts";
import type { CallWithResult, ClaudeState, Line, Task } from "./state.ts";

const MAX_TOUCHED = 1_000;

/** Interactive sessions clear a finished list after this time. */
const CLEARED_AFTER = 5_000;

/** Applies the result of a task tool. A subagent works on the list of its session. */
export function readTaskAnswer(
  state: ClaudeState,
  line: Line,
  answer: CallWithResult,
  emit: Emit,
): void {
  const owner: Line = { ...line, agent: state.agent };
  const emitStep = stepwise(emit);
  if (answer.call.name === "TaskCreate") readCreate(state, owner, answer, emitStep);
  else if (answer.call.name === "TaskUpdate") readUpdate(state, owner, answer, emitStep);
  else readShown(state, owner, answer, emitStep);
}

function readCreate(state: ClaudeState, owner: Line, answer: CallWithResult, emit: Emit): void {
  // Claude Code repairs some calls, so the result is more reliable than the input.
  const made = fields(answer.data?.task) ?? {};
  const id = idOf(made.id) ?? createdId(answer.content);
  if (id === undefined) {
    emitUnknown(owner, answer.callId, emit);
    return;
  }
  clearFinished(state, owner.at);
  addEarlier(state, owner, [id, true], emit);
  fold(state, id, { ...fields(answer.call.input), ...definedOf(made) });
  written(state, owner, answer.callId, [id], emit);
}

function readUpdate(state: ClaudeState, owner: Line, answer: CallWithResult, emit: Emit): void {
  const { callId, data, content } = answer;
  const input = fields(answer.call.input) ?? {};
  const id = idOf(data?.taskId) ?? idOf(input.taskId);
  const refused = data ? data.success === false : isRefusal(content);
  if (refused || id === undefined) {
    emitRejected(owner, callId, data?.error ?? content, emit);
    return;
  }
  if (!recall(state.tasks, id)) addEarlier(state, owner, [id, false], emit);
  const to = text(fields(data?.statusChange)?.to);
  const also = update(state, id, to === undefined ? input : { ...input, status: to });
  written(state, owner, callId, [id, ...also], emit);
}

function readShown(state: ClaudeState, owner: Line, answer: CallWithResult, emit: Emit): void {
  const touched = new Set(answer.call.touched);
  const tasks = list(answer.data?.tasks);
  const task = fields(answer.data?.task);
  const id = idOf(task?.id);
  if (tasks) snapshot(state, tasks, touched);
  else if (task && id !== undefined && !touched.has(id)) fold(state, id, task);
  else return;
  emitSnapshot(state, owner, answer.callId, visible(state), emit);
}

/** Keeps the tasks of another source of the session. */
export function inheritTasks(state: ClaudeState, { tasks }: ClaudeState): void {
  state.earlier = tasks;
}

/**
 * Adds the tasks from before the stream once it shows that there are some: it updates a task that it did not create,
 * or a new task has a higher number than the stream can account for. Warns if no other source has them.
 */
function addEarlier(
  state: ClaudeState,
  owner: Line,
  [id, isNew]: readonly [id: string, isNew: boolean],
  emit: Emit,
): void {
  if (state.kind !== "stream") return;
  const { highest = 0, earlier = [] } = state;
  const number = Number(id) || 0;
  state.highest = Math.max(highest, number);
  // Results of parallel calls come in any order.
  const open = state.awaited.filter(([, { name }]) => name === "TaskCreate").length;
  if (isNew && number <= highest + 1 + open) return;
  const found = earlier.filter(
    ([known]) => !recall(state.tasks, known) && (!isNew || Number(known) < number),
  );
  for (const [known, task] of found) {
    remember(state.tasks, known, task);
    state.highest = Math.max(state.highest, Number(known) || 0);
  }
  if (state.missed || (isNew ? found.length > 0 : recall(state.tasks, id))) return;
  state.missed = true;
  emitMissed(owner, id, emit);
}

/** Reads the list in a reminder, which lacks hidden tasks and active forms. */
export function readTaskReminder(
  state: ClaudeState,
  line: Line,
  tasks: readonly unknown[],
  emit: Emit,
): void {
  snapshot(state, tasks, new Set());
  const owner = { ...line, agent: state.agent };
  emitSnapshot(state, owner, line.uuid, visible(state), stepwise(emit));
}

/** Adds a complete task. Returns false if it has no id or subject. */
export function foldTask(state: ClaudeState, task: Fields): boolean {
  const id = idOf(task.id);
  if (id === undefined || text(task.subject) === undefined) return false;
  forget(state.tasks, id);
  fold(state, id, task);
  return true;
}

/** The tasks as Claude Code lists them: with a subject, by number, without hidden ones. */
export function visible(state: ClaudeState): readonly StreamItem[] {
  const ids = new Set(state.tasks.map(([id]) => id));
  return state.tasks
    .filter(([, task]) => task.subject !== undefined && !task.hidden)
    .toSorted(([a], [b]) => (Number(a) || 0) - (Number(b) || 0))
    .map(([id, task]) => itemOf(ids, id, task));
}

function itemOf(ids: ReadonlySet<string>, id: string, task: Task): StreamItem {
  const { status, rawStatus } = parseStatus(task.status);
  // Claude Code ignores a blocker that does not exist, although it reports that it was added.
  const blockedBy = task.blockedBy.filter((blocker) => ids.has(blocker));
  const item: Writable<StreamItem> = { text: task.subject ?? "", status, id };
  if (rawStatus !== undefined) item.raw = rawStatus;
  if (task.activeForm !== undefined) item.activeText = task.activeForm;
  if (task.owner !== undefined) item.owner = task.owner;
  if (blockedBy.length > 0) item.blockedBy = blockedBy;
  return item;
}

function written(
  state: ClaudeState,
  owner: Line,
  callId: string,
  touched: readonly string[],
  emit: Emit,
): void {
  // A pending read may not include this write.
  for (const [, { touched: seen }] of state.awaited)
    if (seen && seen.length < MAX_TOUCHED) seen.push(...touched.slice(0, MAX_TOUCHED));
  const open = state.tasks.some(([, task]) => !task.hidden && task.status !== "completed");
  if (open || owner.at === undefined) delete state.finishedAt;
  else state.finishedAt ??= owner.at;
  const hasUnnamed = touched.some((id) => {
    const task = recall(state.tasks, id);
    return task && task.subject === undefined;
  });
  if (hasUnnamed && !state.missed) emitUnknown(owner, callId, emit);
  emitList(state, owner, callId, visible(state), emit);
}

/** Interactive sessions delete the tasks of a finished list. The next task starts a new list. */
function clearFinished(state: ClaudeState, at: string | undefined): void {
  if (!state.interactive || state.finishedAt === undefined || at === undefined) return;
  if (Date.parse(at) - Date.parse(state.finishedAt) >= CLEARED_AFTER) state.tasks = [];
}

/** Updates a task. Returns the ids of the other tasks that changed. */
function update(state: ClaudeState, id: string, input: Fields): readonly string[] {
  if (input.status === "deleted") {
    forget(state.tasks, id);
    return [];
  }
  const known = recall(state.tasks, id);
  const blockedBy = [...(known?.blockedBy ?? []), ...idsOf(input.addBlockedBy)];
  fold(state, id, { ...input, blockedBy });
  const blocked = idsOf(input.addBlocks).filter((other) => recall(state.tasks, other));
  for (const other of blocked)
    fold(state, other, { blockedBy: [...(recall(state.tasks, other)?.blockedBy ?? []), id] });
  return blocked;
}

/** Merges fields into a task. */
function fold(state: ClaudeState, id: string, given: Fields): void {
  const known = recall(state.tasks, id);
  const subject = text(given.subject) ?? known?.subject;
  const activeForm = text(given.activeForm) ?? known?.activeForm;
  const status = text(given.status) ?? known?.status ?? "pending";
  const owner = typeof given.owner === "string" ? text(given.owner) : known?.owner;
  const blockers = list(given.blockedBy);
  const metadata = fields(given.metadata);
  const hidden =
    metadata && "_internal" in metadata
      ? metadata._internal !== null && metadata._internal !== false
      : known?.hidden === true;
  const task: Writable<Task> = {
    status,
    blockedBy: blockers ? [...new Set(idsOf(blockers))] : (known?.blockedBy ?? []),
  };
  if (subject !== undefined) task.subject = subject;
  if (activeForm !== undefined) task.activeForm = activeForm;
  if (owner !== undefined) task.owner = owner;
  if (hidden) task.hidden = hidden;
  remember(state.tasks, id, task);
}

/**
 * Applies a list that was read. It lacks hidden tasks and completed blockers, and may lack writes that happened
 * during the read (`touched`).
 */
function snapshot(state: ClaudeState, tasks: readonly unknown[], touched: Set<string>): void {
  const shown = new Set<string>();
  for (const entry of tasks) {
    const task = fields(entry);
    const id = idOf(task?.id);
    if (!task || id === undefined) continue;
    shown.add(id);
    if (touched.has(id)) continue;
    const closed = (recall(state.tasks, id)?.blockedBy ?? []).filter(
      (blocker) => recall(state.tasks, blocker)?.status === "completed",
    );
    const owner = typeof task.owner === "string" ? task.owner : "";
    fold(state, id, { ...task, owner, blockedBy: [...closed, ...idsOf(task.blockedBy)] });
  }
  state.tasks = state.tasks.filter(([id, task]) => shown.has(id) || touched.has(id) || task.hidden);
}

function definedOf(given: Fields): Fields {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function idsOf(value: unknown): readonly string[] {
  return (list(value) ?? []).flatMap((id) => idOf(id) ?? []);
}

function idOf(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}

/** The number of a new task. Results of subagents have it only in their text. */
function createdId(content: unknown): string | undefined {
  return /#(\d+)/.exec(outputText(content) ?? "")?.[1];
}

/** Whether a text-only result is a refusal: only successful updates name a task. */
function isRefusal(content: unknown): boolean {
  const output = outputText(content);
  return output !== undefined && !output.includes("#");
}
