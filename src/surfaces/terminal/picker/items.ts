import { isStuck } from "../../../core/activity/session-state.ts";
import { counted } from "../../../core/text/count.ts";
import { fuzzyMatch } from "../../../core/text/fuzzy.ts";
import { MAIN_AGENT } from "../../../core/text/ids.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import type { Task } from "../../../tasks/model.ts";
import type { TaskBoard } from "../../../tasks/rules/board.ts";
import { agentLook } from "../../text/agents.ts";
import { type BoardData, rowsOf } from "../state.ts";
import { ORDER } from "../tasks-lines.ts";

/** The field of a task that a list is for. */
export type PickerKind = "owner" | "blockers" | "labels";

/** An open list. */
export interface PickerState {
  readonly kind: PickerKind;
  /** The task as shown when the list was opened. */
  readonly task: Task;
  readonly query: string;
  readonly index: number;
  /** The selected values, if several can be. */
  readonly selected: readonly string[];
}

export interface PickerItem {
  readonly value: string;
  readonly name: string;
  readonly detail: string;
  /** At the right edge. */
  readonly note: string;
  readonly agentType?: string | undefined;
  /** Why it cannot be chosen. */
  readonly refused?: boolean;
  /** Not in the list yet: what the user typed. */
  readonly isNew?: true;
}

/** The value that releases a task. */
export const NOBODY = "";

export const isMultiple = ({ kind }: Pick<PickerState, "kind">): boolean => kind !== "owner";

/** Everything that can be chosen. */
function itemsOf({ kind, task }: PickerState, data: BoardData): readonly PickerItem[] {
  const tasks = allTasks(data.tasks);
  switch (kind) {
    case "owner":
      return owners(task, tasks, data);
    case "blockers":
      return blockers(task, tasks);
    case "labels":
      return labels(tasks);
  }
}

function allTasks(board: TaskBoard | undefined): readonly Task[] {
  return board ? ORDER.flatMap((column) => board.columns[column]).map(({ task }) => task) : [];
}

/** Agents claim tasks under the id of their session; that of a generated MCP session is shortened. */
function ownerOf({ track }: BoardRow): string {
  return track.session.startsWith("mcp-")
    ? track.session.slice(0, "mcp-".length + 8)
    : track.session;
}

function owners(task: Task, tasks: readonly Task[], data: BoardData): readonly PickerItem[] {
  const claimed = (owner: string) =>
    tasks.filter((each) => each.status === "claimed" && each.owner === owner).length;
  const noteOf = (state: string, owner: string) => {
    const count = counted(claimed(owner), "task");
    return state === "" ? count : `${state}, ${count}`;
  };
  const sessions = rowsOf(data.board).filter(
    ({ track, machine, archived }) =>
      track.agent === MAIN_AGENT && machine === undefined && !archived && track.agentType,
  );
  const agents = sessions.map((row): PickerItem => {
    const value = ownerOf(row);
    const state = isStuck(row.state) ? row.state : row.group;
    return {
      value,
      name: agentLook(row.track.agentType).name,
      detail: row.title,
      note: noteOf(state, value),
      agentType: row.track.agentType,
    };
  });
  const known = new Set(agents.map(({ value }) => value));
  const others = new Set([
    ...tasks.flatMap(({ owner }) => owner ?? []),
    ...(data.person === undefined ? [] : [data.person]),
  ]);
  const people = [...others]
    .filter((owner) => !known.has(owner))
    .map((value): PickerItem => {
      const detail = value === data.person ? "you" : "";
      return { value, name: value, detail, note: noteOf("", value) };
    });
  const nobody: PickerItem = { value: NOBODY, name: "nobody", detail: "release it", note: "" };
  return [...agents, ...people, ...(task.status === "claimed" ? [nobody] : [])];
}

function blockers(task: Task, tasks: readonly Task[]): readonly PickerItem[] {
  const blockedBy = new Map(tasks.map(({ id, blockedBy: ids }) => [id, ids]));
  const waitsFor = (id: string, seen: Set<string>): boolean => {
    if (id === task.id) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return (blockedBy.get(id) ?? []).some((next) => waitsFor(next, seen));
  };
  const items = tasks
    .filter(({ id }) => id !== task.id)
    .map((each): PickerItem => {
      const refused = waitsFor(each.id, new Set());
      const note = refused ? "would create a cycle" : `${each.status} P${each.priority}`;
      return { value: each.id, name: each.id, detail: each.subject, note, refused };
    });
  // The current ones first.
  const isCurrent = ({ value }: PickerItem) => task.blockedBy.includes(value);
  return [...items.filter(isCurrent), ...items.filter((item) => !isCurrent(item))];
}

function labels(tasks: readonly Task[]): readonly PickerItem[] {
  const counts = new Map<string, number>();
  for (const { labels: each } of tasks)
    for (const label of each) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([value, count]) => ({ value, name: value, detail: "", note: counted(count, "task") }));
}

export interface PickerView {
  /** The matching items, the best first, and what was typed if it is new. */
  readonly items: readonly PickerItem[];
  readonly total: number;
}

export function pickerView(picker: PickerState, data: BoardData): PickerView {
  const all = itemsOf(picker, data);
  // Labels that were typed and selected, but that no task has.
  const typed = picker.selected
    .filter((value) => picker.kind === "labels" && !all.some((item) => item.value === value))
    .map((value): PickerItem => ({ value, name: value, detail: "", note: "new" }));
  const items = [...typed, ...all];
  const query = picker.query.trim();
  if (query === "") return { items, total: items.length };
  const matches = items
    .flatMap((item) => {
      const match = fuzzyMatch(query, `${item.name} ${item.detail} ${item.value}`);
      // A name that was typed in full comes first.
      const isWhole = item.value === query || item.name === query;
      return match ? [{ item, score: isWhole ? Number.POSITIVE_INFINITY : match.score }] : [];
    })
    .sort((a, b) => (a.score === b.score ? 0 : b.score > a.score ? 1 : -1))
    .map(({ item }) => item);
  const isKnown = items.some(({ value, name }) => value === query || name === query);
  const fresh: PickerItem = { value: query, name: query, detail: "", note: "new", isNew: true };
  const isOffered = picker.kind !== "blockers" && !isKnown;
  return { items: [...matches, ...(isOffered ? [fresh] : [])], total: items.length };
}
