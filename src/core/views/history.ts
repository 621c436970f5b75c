import { refusalLine } from "../guidance/refusal.ts";
import type { By, Change, Event, ReminderKind, Status } from "../model.ts";

/** One thing that happened to one todo. */
export interface Transition {
  readonly at: number;
  readonly by: By;
  readonly via: string;
  /** Id of the todo. */
  readonly todo: string;
  /** Its text at that time. */
  readonly text: string;
  /** `null` for a todo that was not there before. */
  readonly from: Status | null;
  /** `null` for a todo that was not there afterwards. */
  readonly to: Status | null;
  readonly change:
    | "added"
    | "moved"
    | "reworded"
    | "edited"
    | "noted"
    | "evidenced"
    | "verified"
    | "reordered"
    | "removed";
  /** Milliseconds that the todo had the status it left. */
  readonly after?: number;
  /**
   * What it said before, where it was reworded; the note; the evidence; the check; from which place
   * to which, for another order; else which fields were edited.
   */
  readonly detail?: string;
  /** Number of the event. */
  readonly seq: number;
}

interface State {
  text: string;
  status: Status;
  since: number;
}

/** Everything that happened to the todos of a track, oldest first. */
export function transitionsOf(events: Iterable<Event>): Transition[] {
  /** In the order of the list. */
  const todos = new Map<string, State>();
  const rows: Transition[] = [];
  for (const event of events) {
    const { at, by, via, seq } = event;
    const added = new Set<string>();
    for (const change of event.changes) {
      const row = transition(todos, change, at);
      if (row?.change === "added") added.add(row.todo);
      if (row) rows.push({ at, by, via, ...row, seq });
      // A new todo has no place that it left.
      if (change.type === "list.reordered")
        for (const moved of reordered(todos, change.order))
          if (!added.has(moved.todo)) rows.push({ at, by, via, ...moved, seq });
    }
  }
  return rows;
}

type Row = Omit<Transition, "at" | "by" | "via" | "seq">;

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

/** What is not about one todo: reminders, plans, refused writes and explanations of the agent. */
export interface Remark {
  readonly at: number;
  readonly by: By;
  readonly via: string;
  readonly seq: number;
  readonly what:
    | "reminded"
    | "plan proposed"
    | "plan approved"
    | "plan rejected"
    | "plan comment"
    | "plan adopted"
    | "explanation"
    | "list refused"
    | "list partly refused";
  /** Of a reminder: which. */
  readonly kind?: ReminderKind;
  /** The reminder, the comment on a plan, the explanation, or why the write was refused. */
  readonly text: string;
}

/** Oldest first. */
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
        // The event of a partly applied write says itself what was refused.
        for (const seen of change.observations)
          if (seen.type === "list.refused" && !seen.partial)
            rows.push(refusalRemark({ ...whole, at: seen.at }, seen.why ?? ""));
    }
    if (rejected.length > 0)
      rows.push({ ...whole, what: "list partly refused", text: refusalLine(rejected) });
  }
  return rows;
}

/** A write that was refused as a whole, as a row of the history. */
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
    default:
      return undefined;
  }
}

/** Puts the todos in order; says of as few as possible that they changed places. */
function reordered(todos: Map<string, State>, order: readonly string[]): readonly Row[] {
  const before = new Map([...todos.keys()].map((id, place) => [id, place]));
  const states = order.flatMap((id) => {
    const state = todos.get(id);
    return state ? [[id, state] as const] : [];
  });
  for (const [id, state] of states) {
    todos.delete(id);
    todos.set(id, state);
  }
  const stayed = longestRise(states.map(([id]) => before.get(id) ?? 0));
  return states.flatMap(([id, { text, status }], place): readonly Row[] => {
    if (stayed.has(place)) return [];
    const detail = `place ${(before.get(id) ?? 0) + 1} -> ${place + 1}`;
    return [{ todo: id, text, from: status, to: status, change: "reordered", detail }];
  });
}

/** The places of the most numbers that rise from left to right. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  /** Where the best run of each length ends, and what stands before each number in its run. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  numbers.forEach((number, place) => {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous[place] = ends[low - 1];
    ends[low] = place;
  });
  const run = new Set<number>();
  for (let place = ends.at(-1); place !== undefined; place = previous[place]) run.add(place);
  return run;
}
