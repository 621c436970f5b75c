/**
 * core/views: what every surface draws, computed once. `view` is one list with its progress, `merged`
 * joins hosted lists with transcripts, `board` groups all sessions, `notification` picks what deserves
 * a notification, `timeline`, `history`, `search` and `summary` are the other pages.
 */
import { DEFAULT_POLICY } from "../list/policy.ts";
import type { Mode, RefusedWrite, Status, Todo, Track } from "../model.ts";

/**
 * How a completion is backed: by a check that was seen to succeed, by something its author pointed
 * at, or not at all.
 */
export type Proof = "verified" | "given" | "claimed";

/** One todo of a view. */
export interface Row {
  readonly todo: Todo;
  /** Of a completed todo. */
  readonly proof?: Proof;
  /** Milliseconds in progress: until now for the current todo, in all for a finished one. */
  readonly elapsed?: number;
  /** Closed for longer than the display keeps it. */
  readonly cleared?: true;
}

/** The todos of one phase, with their counts. */
export interface Group {
  /** Absent for todos outside of any phase. */
  readonly phase?: string;
  readonly completed: number;
  /** Without the cancelled ones. */
  readonly total: number;
  readonly rows: readonly Row[];
}

/** How far a list is. */
export interface Progress {
  readonly completed: number;
  /** Cancelled todos count neither way. */
  readonly total: number;
  readonly percent: number;
  /** Of the completed ones. */
  readonly verified: number;
}

/** All that a surface needs to draw a list. */
export interface View {
  readonly session: string;
  readonly agent: string;
  readonly title?: string;
  readonly agentType?: string;
  readonly cwd?: string;
  readonly mode: Mode;
  readonly refused?: RefusedWrite;
  readonly explanation?: string;
  readonly groups: readonly Group[];
  readonly rows: readonly Row[];
  readonly progress: Progress;
  readonly current?: Row;
  readonly next?: Row;
  readonly finished: boolean;
  /** Every todo was closed for longer than the display keeps it. */
  readonly cleared: boolean;
}

const CLOSED: ReadonlySet<Status> = new Set(["completed", "cancelled"]);

/** Whether a todo is neither completed nor cancelled. */
export function isOpen(todo: Pick<Todo, "status">): boolean {
  return !CLOSED.has(todo.status);
}

/** Every todo is closed and at least one was done. */
export function isFinished(todos: readonly Pick<Todo, "status">[]): boolean {
  return !todos.some(isOpen) && todos.some((todo) => todo.status === "completed");
}

/**
 * Counts the todos of a list. Cancelled todos do not count.
 *
 * @param todos the todos of a track
 * @returns completed, total, percent and verified
 */
export function progressOf(todos: readonly Pick<Todo, "status" | "check">[]): Progress {
  const done = todos.filter((todo) => todo.status === "completed");
  const completed = done.length;
  const total = todos.filter((todo) => todo.status !== "cancelled").length;
  const percent = total === 0 ? 0 : Math.round((completed / total) * 100);
  return { completed, total, percent, verified: done.filter((todo) => todo.check).length };
}

/** How a completed todo is backed. */
export function proofOf({ check, evidence }: Pick<Todo, "check" | "evidence">): Proof {
  if (check) return "verified";
  return evidence?.length ? "given" : "claimed";
}

/**
 * The todo that is in progress.
 *
 * @param todos the todos of a track
 * @returns the first todo in progress, if there is one
 */
export function currentOf<T extends Pick<Todo, "status">>(todos: readonly T[]): T | undefined {
  return todos.find((todo) => todo.status === "in_progress");
}

/** The pending todo that comes after the current one, else the first pending one. */
export function nextOf<T extends Pick<Todo, "status">>(todos: readonly T[]): T | undefined {
  const current = todos.findIndex((todo) => todo.status === "in_progress");
  const pending = (todo: T) => todo.status === "pending";
  return todos.slice(current + 1).find(pending) ?? todos.find(pending);
}

function rowOf(todo: Todo, workedUntil: number): Row {
  const end = todo.status === "in_progress" ? workedUntil : todo.finishedAt;
  return {
    todo,
    ...(todo.status === "completed" && { proof: proofOf(todo) }),
    ...(todo.startedAt !== undefined &&
      end !== undefined && { elapsed: Math.max(0, end - todo.startedAt) }),
  };
}

/** Phases in the order of their first todo; the todos of one phase stand together. */
function groupsOf(rows: readonly Row[]): Group[] {
  const byPhase = new Map<string | undefined, Row[]>();
  for (const row of rows) {
    const members = byPhase.get(row.todo.phase);
    if (members) members.push(row);
    else byPhase.set(row.todo.phase, [row]);
  }
  return [...byPhase].map(([phase, members]) => {
    const { completed, total } = progressOf(members.map((row) => row.todo));
    return { ...(phase !== undefined && { phase }), completed, total, rows: members };
  });
}

/**
 * What a surface draws of a track: rows in groups, progress, the current and the next todo.
 *
 * @param track the track
 * @param now the time that is shown, in milliseconds
 * @param clearDelay seconds until a closed todo leaves the display; 0 at once, negative never
 *   (default: closed todos stay until the whole list is closed)
 * @param workedUntil where the time of the current todo ends, before `now` if its agent is idle
 *   (default: `now`)
 * @returns the view
 */
export function viewOf(
  track: Track,
  now: number,
  clearDelay?: number,
  workedUntil: number = now,
): View {
  const isOver = (todo: Todo, seconds: number) =>
    seconds >= 0 && !isOpen(todo) && now - (todo.finishedAt ?? 0) >= seconds * 1000;
  const rows = track.todos.map((todo): Row => {
    const row = rowOf(todo, workedUntil);
    return clearDelay !== undefined && isOver(todo, clearDelay) ? { ...row, cleared: true } : row;
  });
  const listDelay = clearDelay ?? DEFAULT_POLICY.clearDelay;
  const statuses = rows.map((row) => ({ status: row.todo.status, row }));
  const current = currentOf(statuses)?.row;
  const next = nextOf(statuses)?.row;
  const finished = isFinished(track.todos);
  const { session, agent, title, agentType, cwd, mode, refused, explanation } = track;
  return {
    session,
    agent,
    ...(title !== undefined && { title }),
    ...(agentType !== undefined && { agentType }),
    ...(cwd !== undefined && { cwd }),
    mode,
    ...(refused && { refused }),
    ...(explanation !== undefined && { explanation }),
    groups: groupsOf(rows),
    rows,
    progress: progressOf(track.todos),
    ...(current && { current }),
    ...(next && { next }),
    finished,
    cleared: rows.length > 0 && track.todos.every((todo) => isOver(todo, listDelay)),
  };
}

/** The view without the groups and rows that have left the display; its counts stay. */
export function onDisplay(view: View): View {
  if (!view.rows.some(({ cleared }) => cleared)) return view;
  const groups = view.groups.map((group) => ({
    ...group,
    rows: group.rows.filter(({ cleared }) => !cleared),
  }));
  return { ...view, groups: groups.filter(({ rows }) => rows.length > 0) };
}
