import { proofResult } from "../checks/evidence-state.ts";
import type { ProofRecord } from "../checks/proof.ts";
import { refusalReasons } from "../guidance/refusal.ts";
import type { Author, Change, Event, ReminderKind, Status } from "../model.ts";
import { type HandledStall, STALLS } from "../stalls/stall.ts";
import { stepText } from "../stalls/text.ts";
import { isWarned } from "./evidence.ts";

/** One change of one todo, as a row of the history. */
export interface Transition {
  readonly at: number;
  readonly by: Author;
  readonly via: string;
  /** Id of the todo. */
  readonly todo: string;
  /** The text after the change. */
  readonly text: string;
  /** The status before; `null` if the todo was added. */
  readonly from: Status | null;
  /** The status after; `null` if the todo was removed. */
  readonly to: Status | null;
  readonly change:
    | "added"
    | "moved"
    | "reworded"
    | "edited"
    | "noted"
    | "evidenced"
    | "verified"
    | "proof"
    | "reordered"
    | "removed";
  /** Milliseconds that the todo spent in `from`. */
  readonly after?: number;
  /**
   * The former text of a reworded todo, the note, the evidence, the command of the check, the result of
   * a run by Waymark, the old and new position, or the names of the edited fields.
   */
  readonly detail?: string;
  /** Number of the event (`Event.seq`); a proof has that of the last event before it. */
  readonly seq: number;
}

const LABELS = {
  added: "added",
  moved: "moved",
  reworded: "reworded",
  edited: "edited",
  noted: "note added",
  evidenced: "evidence added",
  verified: "verified",
  proof: "checked by Waymark",
  reordered: "reordered",
  removed: "removed",
} as const satisfies Readonly<Record<Transition["change"], string>>;

/** A change as people and models read it. Stored events and JSON keep the value of `change`. */
export function changeLabel(change: Transition["change"]): (typeof LABELS)[Transition["change"]] {
  return LABELS[change];
}

interface State {
  text: string;
  status: Status;
  since: number;
}

/** The history of the todos of a track, oldest first. */
export function transitionsOf(events: Iterable<Event>): Transition[] {
  /** In the order of the list. */
  const todos = new Map<string, State>();
  const rows: Transition[] = [];
  for (const event of events) {
    const { at, by, via, seq } = event;
    const added = new Set<string>();
    for (const change of event.changes) {
      if (change.type === "list.taken")
        for (const taken of takenRows(todos, change)) rows.push({ at, by, via, ...taken, seq });
      const row = transition(todos, change, at);
      if (row?.change === "added") added.add(row.todo);
      if (row) rows.push({ at, by, via, ...row, seq });
      // A new todo had no position before.
      if (change.type === "list.reordered")
        for (const moved of reordered(todos, change.order))
          if (!added.has(moved.todo)) rows.push({ at, by, via, ...moved, seq });
    }
  }
  return rows;
}

/** Adds the runs of checks by Waymark to the history of a list. */
export function withProofRows(
  rows: readonly Transition[],
  records: readonly ProofRecord[],
): readonly Transition[] {
  const proofs = records.flatMap((record) => {
    const before = rows.findLast(({ at, text }) => at <= record.at && text === record.todo?.text);
    return before
      ? [proofRow(record, before, rows.findLast(({ at }) => at <= record.at) ?? before)]
      : [];
  });
  if (proofs.length === 0) return rows;
  return [...rows, ...proofs].sort((a, b) => a.seq - b.seq);
}

function proofRow(proof: ProofRecord, about: Transition, last: Transition): Transition {
  const { todo, text, to } = about;
  const { at, command, exitCode } = proof;
  const exit = exitCode === null ? "" : `, exit ${exitCode}`;
  return {
    at,
    by: "system",
    via: "waymark verify",
    todo,
    text,
    from: to,
    to,
    change: "proof",
    detail: `${proof.accepted ? "accepted" : rowResult(proof)}: ${command}${exit}`,
    seq: last.seq,
  };
}

function rowResult(proof: ProofRecord): string {
  return isWarned({ proof }) ? "passed with warnings" : proofResult(proof);
}

type Row = Omit<Transition, "at" | "by" | "via" | "seq">;

/** The todos of a list that was taken over. */
function takenRows(
  known: Map<string, State>,
  { from, todos }: Extract<Change, { readonly type: "list.taken" }>,
): readonly Row[] {
  known.clear();
  return todos.map(({ id, text, status, createdAt, startedAt, finishedAt }) => {
    known.set(id, { text, status, since: finishedAt ?? startedAt ?? createdAt });
    const detail = `from session ${from.session}`;
    return { todo: id, text, from: null, to: status, change: "added", detail };
  });
}

function transition(todos: Map<string, State>, change: Change, at: number): Row | undefined {
  if (change.type === "list.started") todos.clear();
  if (change.type === "todo.added") {
    const { id, text, status } = change.todo;
    todos.set(id, { text, status, since: at });
    return { todo: id, text, from: null, to: status, change: "added" };
  }
  const state = "id" in change ? todos.get(change.id) : undefined;
  if (!state || !("id" in change)) return undefined;
  const { text, status } = state;
  const row = { todo: change.id, text, from: status, to: status };
  switch (change.type) {
    case "todo.moved": {
      const after = at - state.since;
      Object.assign(state, { status: change.to, since: at });
      return { ...row, from: change.from, to: change.to, change: "moved", after };
    }
    case "todo.edited":
      state.text = change.set.text ?? text;
      if (state.text === text)
        return { ...row, change: "edited", detail: Object.keys(change.set).join(", ") };
      return { ...row, text: state.text, change: "reworded", detail: text };
    case "todo.noted":
      return { ...row, change: "noted", detail: change.note };
    case "todo.evidenced":
      return { ...row, change: "evidenced", detail: change.evidence };
    case "todo.verified":
      return { ...row, change: "verified", detail: change.check.command };
    case "todo.removed":
      todos.delete(change.id);
      return { ...row, to: null, change: "removed" };
  }
}

/**
 * A row of the history that is not about one todo: a reminder, a plan, a collision, a step at a stall, a refused write, an
 * explanation.
 */
export interface Remark {
  readonly at: number;
  readonly by: Author;
  readonly via: string;
  readonly seq: number;
  readonly what:
    | "reminded"
    | "plan proposed"
    | "plan approved"
    | "plan rejected"
    | "plan comment"
    | "plan adopted"
    | "collision"
    | "stalled"
    | "looping"
    | "handoff"
    | "explanation"
    | "list refused"
    | "list partly refused";
  /** The kind of a reminder. */
  readonly kind?: ReminderKind;
  /** The reminder, the comment, the explanation, or the reason for the refusal. */
  readonly text: string;
}

/** Reminders, plans, refused writes and explanations of a track, oldest first. */
export function remarksOf(events: Iterable<Event>): Remark[] {
  const rows: Remark[] = [];
  for (const { at, by, via, seq, changes, comment, rejected = [] } of events) {
    const whole = { at, by, via, seq };
    if (comment !== undefined && comment !== "")
      rows.push({ ...whole, what: "explanation", text: comment });
    for (const change of changes) {
      const row = remark(change);
      if (row) rows.push({ ...whole, ...row });
      if (change.type === "observed")
        // A partly applied write has its refusals in `rejected`.
        for (const seen of change.observations)
          if (seen.type === "list.refused" && !seen.partial)
            rows.push(refusalRemark({ ...whole, at: seen.at }, seen.why ?? ""));
    }
    if (rejected.length > 0)
      rows.push({ ...whole, what: "list partly refused", text: refusalReasons(rejected) });
  }
  return rows;
}

/** The row for a write that was refused entirely. */
export function refusalRemark(
  { at, via, seq }: Pick<Remark, "at" | "via" | "seq">,
  why: string,
): Remark {
  return { at, by: "agent", via, seq, what: "list refused", text: why };
}

function remark(change: Change): Pick<Remark, "what" | "kind" | "text"> | undefined {
  switch (change.type) {
    case "reminded":
      return { what: "reminded", kind: change.kind, text: change.text };
    case "plan.proposed":
      return { what: "plan proposed", text: change.text };
    case "plan.decided":
      return { what: `plan ${change.decision}`, text: change.comment ?? "" };
    case "plan.commented": {
      const about = change.step === undefined ? "" : `step ${change.step}: `;
      return { what: "plan comment", text: `${about}${change.text}` };
    }
    case "plan.adopted":
      return { what: "plan adopted", text: "" };
    case "list.taken":
      return { what: "handoff", text: `from session ${change.from.session}` };
    case "list.passed":
      return { what: "handoff", text: `to session ${change.to.session}` };
    case "collision.found": {
      const { path, other } = change.collision;
      return {
        what: "collision",
        text: `${path}, with ${other.name ?? "another agent"}, session ${other.session}`,
      };
    }
    case "stall.handled":
      return { what: change.stall.kind, text: stepText(change.step) };
    default:
      return undefined;
  }
}

/** Steps at stalls of an agent whose list is not in our store. */
export function stallRemarks(stalls: readonly HandledStall[]): readonly Remark[] {
  return stalls.flatMap(({ kind, steps }) =>
    steps.map((step) => ({
      at: step.at,
      by: "system" as const,
      via: STALLS,
      seq: 0,
      what: kind,
      text: stepText(step),
    })),
  );
}

/** Applies a new order. Returns as few moved todos as possible. */
function reordered(todos: Map<string, State>, order: readonly string[]): readonly Row[] {
  const before = new Map([...todos.keys()].map((id, index) => [id, index]));
  const states = order.flatMap((id) => {
    const state = todos.get(id);
    return state ? [[id, state] as const] : [];
  });
  for (const [id, state] of states) {
    todos.delete(id);
    todos.set(id, state);
  }
  const stayed = longestRise(states.map(([id]) => before.get(id) ?? 0));
  return states.flatMap(([id, { text, status }], index): readonly Row[] => {
    if (stayed.has(index)) return [];
    const detail = `position ${(before.get(id) ?? 0) + 1} -> ${index + 1}`;
    return [{ todo: id, text, from: status, to: status, change: "reordered", detail }];
  });
}

/** The indexes of a longest increasing subsequence. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  /** Where the best run of each length ends, and the predecessor of each number in its run. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  numbers.forEach((number, index) => {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1];
    ends[low] = index;
  });
  const run = new Set<number>();
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) run.add(index);
  return run;
}
