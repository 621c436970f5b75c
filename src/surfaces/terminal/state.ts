import type { CheckForm, ChecksResponse } from "../../core/checks/wire.ts";

import type { JumpAnswer } from "../../core/jump.ts";

import type { Author, Check, Op, Todo, Track, TrackId } from "../../core/model.ts";
import type { PlanRevision } from "../../core/plan/revisions.ts";

import type { Board, BoardRow } from "../../core/views/board.ts";
import { NO_FILTERS } from "../../core/views/find/filters.ts";
import type { Report } from "../../core/views/report/model.ts";
import type { AgentSummary } from "../../core/wire.ts";
import type { Task, TaskDetail, TaskEvent } from "../../tasks/model.ts";
import type { TaskBoard } from "../../tasks/rules/board.ts";
import type { QueueRequest, UserTaskOp } from "../../tasks/wire.ts";
import { type ComparedPlan, comparedPlan } from "../text/plans/plan-diff.ts";
import type { ShownCall } from "./call/output.ts";
import type { Chip } from "./find/chip-line.ts";
import type { Choice } from "./find/shown.ts";
import type { PickerState } from "./picker/items.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type ScreenName =
  | "tracks"
  | "track"
  | "plan"
  | "proof"
  | "call"
  | "checks"
  | "history"
  | "search"
  | "tasks"
  | "help"
  | "report";

/** An open input field. */
export type Field = ListField | TaskField;

export interface ListField {
  readonly kind: "add" | "note" | "comment" | "reject";
  readonly text: string;
  /** The fingerprint of the plan that was shown when the field was opened. */
  readonly seen?: string;
}

export type TaskField =
  | { readonly kind: "task"; readonly text: string }
  | {
      readonly kind: "finish" | "drop" | "subject";
      readonly text: string;
      /** The task as shown when the field was opened. */
      readonly task: Task;
      /** Its open blockers. */
      readonly waitsFor?: readonly string[];
    };

/** The UI state of the board: screen, selection, filters and input. */
export interface BoardState extends Choice {
  readonly screen: ScreenName;
  /** The screen from which search, help or tasks were opened. */
  readonly from: ScreenName;
  /** Key of the selected or opened track. */
  readonly selected?: string | undefined;
  /** Whether the user has pressed a key. */
  readonly isUsed?: boolean;
  /** Keys of the parent tracks, from the outermost. */
  readonly above: readonly string[];
  /** The selected todo or subagent on the session screen; see `itemsOf`. */
  readonly item?: string | undefined;
  /** Scroll offset in rows. */
  readonly scroll: number;
  /** The filter line while the user types it. */
  readonly search: string;
  /** Key of the selected result of the filter line; see `hitsOf`. */
  readonly hit?: string | undefined;
  /** The last click, which a second one on the same row turns into a double click. */
  readonly click?: { readonly target: string; readonly at: number } | undefined;
  /** The chip whose value the arrow keys change. */
  readonly chip?: Chip | undefined;
  /** The selected row of the list of checks. */
  readonly hitIndex: number;
  readonly field?: Field | undefined;
  /** Show everything, even if it does not fit the screen. */
  readonly more: boolean;
  /** The revision that the plan is compared with (default: the one before); 0 for none. */
  readonly planBase?: number | undefined;
  /** Index of the shown history step. */
  readonly step: number;
  /** The id of the selected task. */
  readonly task?: string | undefined;
  /** Show the selected task in full. */
  readonly taskIsOpen: boolean;
  /** The result of the last key, shown above the hints. */
  readonly message?: string | undefined;
  /** Revert the last changes, while that is possible; the newest is the last. */
  readonly undos?: readonly Undo[] | undefined;
  /** The open list of owners, blockers or labels. */
  readonly picker?: PickerState | undefined;
  /** Plan decisions that take effect in a moment. */
  readonly held?: readonly HeldPlan[] | undefined;
  /** The result of the last jump to an agent, until the user closes it. */
  readonly jump?: JumpNotice | undefined;
  /** The user closed the line about changes while the board was closed. */
  readonly awayClosed?: boolean;
  /** The check that runs now. */
  readonly run?: CheckRun | undefined;
  /** The user closed the end card of the demo. */
  readonly endCardClosed?: boolean;
}

/** A plan decision that can still be undone. */
export interface HeldPlan {
  readonly key: string;
  readonly decision: PlanAction["decision"];
  readonly title: string;
  /** When the agent receives it. */
  readonly until: number;
}

/** The result of a jump to an agent. */
export interface JumpNotice {
  /** Key of the row. */
  readonly row: string;
  /** The name of the agent. */
  readonly name: string;
  readonly answer: JumpAnswer;
  /** The request that the agent waits for. */
  readonly asks?: string | undefined;
  /** The terminal was asked to copy the command. */
  readonly isCopied: boolean;
}

/** A check that Waymark runs for a todo. */
export interface CheckRun {
  readonly todo: string;
  readonly startedAt: number;
  /** The command, once it runs. */
  readonly command?: string;
}

/** Reverts one action of the user. */
export interface Undo {
  readonly action: BoardAction;
  readonly until: number;
}

/** One change of a list and the list after it. */
export interface HistoryStep {
  readonly key: string;
  readonly step: number;
  readonly count: number;
  readonly at: number;
  readonly by: Author;
  readonly summary: string;
  readonly track: Track;
}

/** The data that the board draws. */
export interface BoardData {
  readonly board: Board;
  readonly now: number;
  readonly since: number;
  /** The first read of all sessions is not complete yet. */
  readonly loading: boolean;
  readonly historyStep?: HistoryStep | undefined;
  /** Spinner frame. */
  readonly frame: number;
  /** Supported agents, once they were detected. */
  readonly agents?: readonly AgentSummary[] | undefined;
  /** The command that runs this program (default: `waymark`). */
  readonly program?: string;
  /** Present while the recorded demo is shown. */
  readonly demo?: DemoProgress | undefined;
  /** Present once the user opened the tasks. */
  readonly tasks?: TaskBoard | undefined;
  /** The task that was opened last, in full. */
  readonly detail?: TaskWithEvents | undefined;
  /** The report of the time since the board was closed, or of the last day. */
  readonly report?: Report | undefined;
  /** The report is about the time while the board was closed. */
  readonly isAway?: boolean;
  /** The checks of the session whose checks were opened last. */
  readonly checks?: ChecksResponse | undefined;
  /** The call that was opened last. */
  readonly call?: ShownCall | undefined;
  /** The revisions of the plan that was opened last. */
  readonly revisions?: ShownRevisions | undefined;
  /** The web page is being served. */
  readonly hasPage?: boolean;
  /** The name of the user, as the owner of tasks. */
  readonly person?: string | undefined;
  /** Part of another program, which has the keys. */
  readonly isEmbedded?: boolean;
}

/** The revisions of the plan of a session. */
export interface ShownRevisions {
  /** Key of the session. */
  readonly key: string;
  readonly revisions: readonly PlanRevision[];
}

/** The position in the recording, in milliseconds of recorded time. */
export interface DemoProgress {
  readonly position: number;
  readonly length: number;
  readonly over: boolean;
}

export interface TaskWithEvents extends TaskDetail {
  /** Oldest first. */
  readonly events: readonly TaskEvent[];
}

/** A user's decision on a plan. */
export interface PlanAction {
  readonly type: "plan";
  readonly id: TrackId;
  readonly decision: "approve" | "reject" | "comment";
  readonly comment?: string;
  readonly seen?: string;
}

/** An action that a key triggers outside of the board's own state. */
export type BoardAction =
  | { readonly type: "quit" }
  | { readonly type: "demo" }
  | { readonly type: "replay" }
  | { readonly type: "page" }
  | { readonly type: "report" }
  | { readonly type: "tasks" }
  | { readonly type: "open-task" }
  | { readonly type: "task"; readonly op: UserTaskOp }
  | ({ readonly type: "queue" } & QueueRequest)
  | { readonly type: "edit"; readonly id: TrackId }
  | { readonly type: "ops"; readonly id: TrackId; readonly ops: readonly Op[] }
  /** Focuses the terminal of an agent, or the pane that the user chose. */
  | { readonly type: "jump"; readonly row: BoardRow; readonly pane?: string }
  | { readonly type: "copy"; readonly text: string }
  /** Runs the command in this terminal; the board returns when it ends. */
  | { readonly type: "resume"; readonly words: readonly string[]; readonly cwd?: string }
  | {
      readonly type: "archive";
      readonly session: string;
      readonly archived: boolean;
      /** When the session last changed, as the user saw it. */
      readonly seen: number;
    }
  | { readonly type: "promote"; readonly id: TrackId; readonly todo: string }
  | PlanAction
  /** Takes a held plan decision back. */
  | { readonly type: "undo-plan"; readonly key: string }
  /** Takes a change of a list back, unless the agent changed the same todos since. */
  | {
      readonly type: "undo-list";
      readonly id: TrackId;
      readonly before: readonly Todo[];
      readonly after: readonly Todo[];
    }
  | { readonly type: "undo-task"; readonly ops: readonly UserTaskOp[] }
  | { readonly type: "verify" | "accept"; readonly row: BoardRow; readonly todo: Todo }
  | { readonly type: "cancel-run" }
  | { readonly type: "checks"; readonly row: BoardRow }
  | { readonly type: "trust"; readonly row: BoardRow; readonly check: CheckForm }
  | {
      readonly type: "call";
      readonly row: BoardRow;
      readonly call?: { readonly callId: string; readonly at: number };
      /** The check whose call is wanted, if its id is not known. */
      readonly check?: Check;
    }
  | { readonly type: "history"; readonly row: BoardRow; readonly step: number }
  | { readonly type: "more"; readonly more: boolean };

export function newState(more: boolean): BoardState {
  return {
    screen: "tracks",
    from: "tracks",
    above: [],
    scroll: 0,
    filters: NO_FILTERS,
    words: [],
    older: false,
    onlyArchived: false,
    sort: "needs you",
    search: "",
    hitIndex: 0,
    more,
    step: 0,
    taskIsOpen: false,
  };
}

/** Whether the end card of the demo is visible. */
export function showsEndCard({ demo }: BoardData, { screen, endCardClosed }: BoardState): boolean {
  return demo?.over === true && screen === "tracks" && endCardClosed !== true;
}

export function rowsOf(board: Board): readonly BoardRow[] {
  return board.groups.flatMap(({ rows }) => rows);
}

/** Finds the row of a track, including subagents. */
export function findRow(rows: readonly BoardRow[], key: string | undefined): BoardRow | undefined {
  for (const row of rows) {
    if (row.key === key) return row;
    const below = findRow(row.children, key);
    if (below) return below;
  }
  return undefined;
}

export type Item =
  | { readonly item: string; readonly todo: string }
  | { readonly item: string; readonly child: BoardRow };

/** The selectable items of the session screen, from top to bottom. */
export function itemsOf(row: BoardRow): readonly Item[] {
  const todos = row.view.groups.flatMap(({ rows }) =>
    rows.map(({ todo }) => ({ item: `todo ${todo.id}`, todo: todo.id })),
  );
  return [...todos, ...row.children.map((child) => ({ item: `track ${child.key}`, child }))];
}

/** The selected item (default: the current or next todo). */
export function itemOf(row: BoardRow, { item }: Pick<BoardState, "item">): Item | undefined {
  const items = itemsOf(row);
  const { current, next } = row.view;
  const first = current ?? next;
  return (
    items.find((each) => each.item === item) ??
    items.find((each) => "todo" in each && each.todo === first?.todo.id) ??
    items[0]
  );
}

/** The selected todo; undefined if a subagent is selected. */
export function selectedTodo(row: BoardRow, state: Pick<BoardState, "item">): Todo | undefined {
  const item = itemOf(row, state);
  return item && "todo" in item ? row.track.todos.find(({ id }) => id === item.todo) : undefined;
}

/** The known revisions of the plan of a row, if they are up to date. */
export function revisionsOf(row: BoardRow, { revisions }: BoardData): readonly PlanRevision[] {
  const known = revisions?.key === row.key ? revisions.revisions : [];
  return known.at(-1)?.text === row.plan?.text ? known : [];
}

/** The comparison that the plan screen shows. A plan that waits is compared with the revision before it. */
export function planComparison(
  row: BoardRow,
  { planBase }: Pick<BoardState, "planBase">,
  data: BoardData,
): ComparedPlan | undefined {
  if (planBase === 0 || (planBase === undefined && row.plan?.state !== "proposed"))
    return undefined;
  return comparedPlan(revisionsOf(row, data), planBase);
}
