import type { By, Op, Track, TrackId } from "../../core/model.ts";
import type { Board, BoardRow, Group } from "../../core/views/board.ts";
import type { AgentSummary } from "../../core/wire.ts";
import type { Task, TaskDetail, TaskEvent } from "../../tasks/model.ts";
import type { TaskBoard } from "../../tasks/rules/board.ts";
import type { PersonTaskOp } from "../../tasks/wire.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Place = "tracks" | "track" | "plan" | "history" | "search" | "tasks" | "help";

/** What a person is writing. */
export type Field = ListField | TaskField;

export interface ListField {
  readonly kind: "add" | "note" | "comment" | "reject";
  readonly text: string;
  /** The mark of the plan that they read when they began to write. */
  readonly seen?: string;
}

export type TaskField =
  | { readonly kind: "task"; readonly text: string }
  | {
      readonly kind: "finish" | "drop" | "owner" | "blocker" | "subject";
      readonly text: string;
      /** As the person saw it when they began to write. */
      readonly task: Task;
    };

/** Where a person is on the board, and nothing of what is shown there. */
export interface BoardState {
  readonly place: Place;
  /** Where the search, the help or the tasks were opened. */
  readonly from: Place;
  /** Key of the selected or opened track. */
  readonly selected?: string | undefined;
  /** Keys of the tracks that were opened on the way to this one. */
  readonly above: readonly string[];
  /** The selected todo or subagent of an opened track; see `itemsOf`. */
  readonly item?: string | undefined;
  /** Rows that a page was scrolled by. */
  readonly scroll: number;
  readonly only?: Group | undefined;
  /** Only the agents of this kind. */
  readonly agentType?: string | undefined;
  readonly search: string;
  readonly hit: number;
  readonly field?: Field | undefined;
  /** Everything is shown, even if that means to scroll. */
  readonly more: boolean;
  /** Which moment of the past is shown. */
  readonly step: number;
  /** The id of the selected task. */
  readonly task?: string | undefined;
  /** Everything of the selected task is shown. */
  readonly taskIsOpen: boolean;
  /** What the board answers to the last key. */
  readonly said?: string | undefined;
  /** What the last key did, while it can be taken back. */
  readonly undo?: Undo | undefined;
  /** The end card of the demo was closed to look at the board below it. */
  readonly looksAround?: boolean;
}

export interface Undo {
  readonly id: TrackId;
  readonly ops: readonly Op[];
  readonly until: number;
}

/** One change of a list, and the list after it. */
export interface Past {
  readonly key: string;
  readonly step: number;
  readonly count: number;
  readonly at: number;
  readonly by: By;
  readonly words: string;
  readonly track: Track;
}

/** What there is to be shown. */
export interface World {
  readonly board: Board;
  readonly now: number;
  readonly since: number;
  /** Sessions are still being read for the first time. */
  readonly reading: boolean;
  readonly past?: Past | undefined;
  /** Which frame of the spinners. */
  readonly frame: number;
  /** The agents that Waymark looks for, once that was found out. */
  readonly agents?: readonly AgentSummary[] | undefined;
  /** What a person types to run this program (default: `waymark`). */
  readonly program?: string;
  /** Present when the recorded demo is shown. */
  readonly demo?: DemoProgress | undefined;
  /** The tasks of the team, once somebody wanted to see them. */
  readonly tasks?: TaskBoard | undefined;
  /** Everything of the task that was opened last. */
  readonly detail?: TaskStory | undefined;
  /** A page shows the same in a browser. */
  readonly hasPage?: boolean;
}

/** How far the recording is, in milliseconds of its own time. */
export interface DemoProgress {
  readonly position: number;
  readonly length: number;
  readonly over: boolean;
}

export interface TaskStory extends TaskDetail {
  /** What happened to it, oldest first. */
  readonly events: readonly TaskEvent[];
}

/** What a key asks for that is not only about the board itself. */
export type Act =
  | { readonly type: "quit" }
  | { readonly type: "demo" }
  | { readonly type: "replay" }
  | { readonly type: "page" }
  | { readonly type: "tasks" }
  | { readonly type: "look" }
  | { readonly type: "task"; readonly op: PersonTaskOp }
  | { readonly type: "edit"; readonly id: TrackId }
  | { readonly type: "ops"; readonly id: TrackId; readonly ops: readonly Op[] }
  | { readonly type: "promote"; readonly id: TrackId; readonly todo: string }
  | {
      readonly type: "plan";
      readonly id: TrackId;
      readonly decision: "approve" | "reject" | "comment";
      readonly comment?: string;
      readonly seen?: string;
    }
  | { readonly type: "past"; readonly row: BoardRow; readonly step: number }
  | { readonly type: "more"; readonly more: boolean };

export function newState(more: boolean): BoardState {
  return {
    place: "tracks",
    from: "tracks",
    above: [],
    scroll: 0,
    search: "",
    hit: 0,
    more,
    step: 0,
    taskIsOpen: false,
  };
}

/** The demo is over and nobody closed its end card yet. */
export function showsEndCard({ demo }: World, { place, looksAround }: BoardState): boolean {
  return demo?.over === true && place === "tracks" && looksAround !== true;
}

export function rowsOf(board: Board): readonly BoardRow[] {
  return board.groups.flatMap(({ rows }) => rows);
}

/** The row of a track, also of a subagent. */
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

/** What can be selected on the page of a track, from top to bottom. */
export function itemsOf(row: BoardRow): readonly Item[] {
  const todos = row.view.groups.flatMap(({ rows }) =>
    rows.map(({ todo }) => ({ item: `todo ${todo.id}`, todo: todo.id })),
  );
  return [...todos, ...row.children.map((child) => ({ item: `track ${child.key}`, child }))];
}

/** The item that is selected; until one is, the todo in progress or the one that comes next. */
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
