/**
 * core/views: what surfaces draw, computed once for all of them. `view` is one list with its progress,
 * `merged` a track from all sources, `board` groups sessions, `notification` decides what to notify about,
 * `timeline`, `history`, `search` and `summary` are the other views.
 */
import { DEFAULT_POLICY } from "../list/policy.ts";
import type { Mode, RefusedWrite, Status, Todo, Track } from "../model.ts";
import { type EvidenceLevel, evidenceLevelOf, isProven } from "./evidence.ts";

/** One todo of a view. */
export interface Row {
  readonly todo: Todo;
  /** Present if the todo is completed. */
  readonly evidenceLevel?: EvidenceLevel;
  /** Milliseconds from the start to now, or to the end if the todo is closed. */
  readonly elapsed?: number;
  /** Set if the todo was closed long enough ago to leave the display. */
  readonly cleared?: true;
}

/** The todos of one phase, with their counts. */
export interface Group {
  /** Absent for todos without a phase. */
  readonly phase?: string;
  readonly completed: number;
  /** Without cancelled todos. */
  readonly total: number;
  readonly rows: readonly Row[];
}

/** The progress of a list. */
export interface Progress {
  readonly completed: number;
  /** Without cancelled todos. */
  readonly total: number;
  readonly percent: number;
  /** How many completed todos are proven: verified or reproduced. */
  readonly verified: number;
}

/** Everything a surface needs to draw a list. */
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
  /** Whether every todo was closed long enough ago to leave the display. */
  readonly cleared: boolean;
}

const CLOSED: ReadonlySet<Status> = new Set(["completed", "cancelled"]);

/** Whether a todo is neither completed nor cancelled. */
export function isOpen(todo: Pick<Todo, "status">): boolean {
  return !CLOSED.has(todo.status);
}

/** Whether every todo is closed and at least one is completed. */
export function isFinished(todos: readonly Pick<Todo, "status">[]): boolean {
  return !todos.some(isOpen) && todos.some((todo) => todo.status === "completed");
}

/**
 * Counts the todos of a list. Cancelled todos do not count.
 *
 * @param todos the todos of a track
 * @returns completed, total, percent and verified
 */
export function progressOf(todos: readonly Pick<Todo, "status" | "check" | "proof">[]): Progress {
  const done = todos.filter((todo) => todo.status === "completed");
  const completed = done.length;
  const total = todos.filter((todo) => todo.status !== "cancelled").length;
  const percent = total === 0 ? 0 : Math.round((completed / total) * 100);
  return { completed, total, percent, verified: done.filter(isProven).length };
}

/**
 * The current todo.
 *
 * @param todos the todos of a track
 * @returns the first todo in progress, if any
 */
export function currentOf<T extends Pick<Todo, "status">>(todos: readonly T[]): T | undefined {
  return todos.find((todo) => todo.status === "in_progress");
}

/** The next todo: the first pending one after the current one, otherwise the first pending one. */
export function nextOf<T extends Pick<Todo, "status">>(todos: readonly T[]): T | undefined {
  const current = todos.findIndex((todo) => todo.status === "in_progress");
  const pending = (todo: T) => todo.status === "pending";
  return todos.slice(current + 1).find(pending) ?? todos.find(pending);
}

function rowOf(todo: Todo, workedUntil: number): Row {
  const end = todo.status === "in_progress" ? workedUntil : todo.finishedAt;
  return {
    todo,
    ...(todo.status === "completed" && { evidenceLevel: evidenceLevelOf(todo) }),
    ...(todo.startedAt !== undefined &&
      end !== undefined && { elapsed: Math.max(0, end - todo.startedAt) }),
  };
}

/** Groups rows by phase, in the order of the first todo of each phase. */
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
 * Computes what a surface draws: rows in groups, progress, the current and the next todo.
 *
 * @param track the track
 * @param now the time to show, in milliseconds
 * @param clearDelay seconds until a closed todo leaves the display; 0 for immediately, negative for never
 *   (default: closed todos stay until the whole list is closed)
 * @param workedUntil the end of the elapsed time of the current todo; before `now` if its agent is idle
 *   (default: `now`)
 * @returns the view
 * @example
 * ```ts
 * import { createTracker, viewOf } from "waymark";
 *
 * const list = createTracker().own;
 * list.set([{ text: "Run the tests", status: "in_progress" }]);
 * for (const { todo, evidenceLevel } of viewOf(list.read(), Date.now()).rows)
 *   console.log(todo.status, todo.text, evidenceLevel);
 * ```
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

/** Removes rows that have left the display, and empty groups. Counts stay unchanged. */
export function onDisplay(view: View): View {
  if (!view.rows.some(({ cleared }) => cleared)) return view;
  const groups = view.groups.map((group) => ({
    ...group,
    rows: group.rows.filter(({ cleared }) => !cleared),
  }));
  return { ...view, groups: groups.filter(({ rows }) => rows.length > 0) };
}
