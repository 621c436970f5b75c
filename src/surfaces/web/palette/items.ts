import { forPage } from "../../../core/text/escape.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { normalizeForSearch, searchTerms } from "../../../core/text/search.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { pagePath, taskPath } from "../../../core/wire.ts";
import type { Task } from "../../../tasks/model.ts";
import { agentLook } from "../../text/agents.ts";
import { progressLabel, todoMark, weakestMark } from "../state/todo-labels.ts";
import type { IconName } from "../ui/icons.tsx";

export const PALETTE_GROUPS = ["Needs you", "Sessions", "Todos", "Tasks", "Actions"] as const;
export type PaletteGroup = (typeof PALETTE_GROUPS)[number];

export interface PaletteItem {
  readonly key: string;
  readonly group: PaletteGroup;
  readonly icon: IconName;
  /** Shown and searched. */
  readonly text: string;
  /** Shown beside the text, and searched. */
  readonly detail: string;
  /** The page that it opens. */
  readonly to?: string;
  run?(): void;
  readonly shortcut?: string;
}

/** Everything that can be opened; actions are added by the page. */
export function placesOf(rows: readonly BoardRow[], tasks: Iterable<Task>): readonly PaletteItem[] {
  const everyone = rows.flatMap((row) => [row, ...row.children]);
  const named = ({ track, project }: BoardRow) =>
    [agentLook(track.agentType).name, project].filter(Boolean).join(" · ");
  const waiting = rows
    .filter(({ group }) => group === "needs you")
    .map((row): PaletteItem => {
      const isPlan = row.plan?.state === "proposed";
      return {
        key: `needs ${row.key}`,
        group: "Needs you",
        icon: "you",
        text: `${isPlan ? "Read the plan of" : "Go to"} ${row.title}`,
        detail: named(row),
        to: pagePath(row.track) + (isPlan ? "#plan" : ""),
      };
    });
  const sessions = everyone.map(
    (row): PaletteItem => ({
      key: `session ${row.key}`,
      group: "Sessions",
      icon: row.view.finished
        ? weakestMark(row.track.todos)
        : row.group === "working"
          ? "active"
          : "idle",
      text: row.title,
      detail: [named(row), row.track.todos.length > 0 ? progressLabel(row.track.todos) : ""]
        .filter(Boolean)
        .join(" · "),
      to: pagePath(row.track),
    }),
  );
  const todos = everyone.flatMap((row) =>
    row.track.todos.map(
      (todo): PaletteItem => ({
        key: `todo ${row.key} ${todo.id}`,
        group: "Todos",
        icon: todoMark(todo).icon,
        text: todo.text,
        detail: `in ${row.title}`,
        to: `${pagePath(row.track)}#todo-${todo.id}`,
      }),
    ),
  );
  const backlog = [...tasks].map(
    ({ id, subject, status, owner }): PaletteItem => ({
      key: `task ${id}`,
      group: "Tasks",
      icon: status === "done" ? "done" : status === "cancelled" ? "cancelled" : "pending",
      text: `${id} ${subject}`,
      detail: [status, owner].filter(Boolean).join(" · "),
      to: taskPath(id),
    }),
  );
  return [...waiting, ...sessions, ...todos, ...backlog];
}

/** Prefixes that search one group only. */
const PREFIXES: Readonly<Record<string, PaletteGroup>> = {
  ">": "Actions",
  "#": "Tasks",
  "@": "Sessions",
};

const SHOWN = 3;
const MOST = 50;

export interface FoundGroup {
  readonly group: PaletteGroup;
  readonly items: readonly PaletteItem[];
  /** Number of all matches, of which `items` are the first. */
  readonly total: number;
}

/** The items that contain all words, by group. Groups show three items unless they are expanded or alone. */
export function findItems(
  items: readonly PaletteItem[],
  query: string,
  expanded: ReadonlySet<PaletteGroup>,
): readonly FoundGroup[] {
  const only = PREFIXES[query.trimStart()[0] ?? ""];
  const words = searchTerms(only ? query.trimStart().slice(1) : query);
  const matches = (item: PaletteItem): boolean => {
    const text = normalizeForSearch(`${item.text} ${item.detail}`);
    return words.every((word) => text.includes(word));
  };
  // Without a query, todos would hide everything else.
  const groups = PALETTE_GROUPS.filter((group) =>
    only ? group === only : words.length > 0 || group !== "Todos",
  );
  return groups.flatMap((group) => {
    const found = items.filter((item) => item.group === group && matches(item));
    if (found.length === 0) return [];
    const limit =
      only || expanded.has(group) ? MOST : group === "Actions" && words.length === 0 ? MOST : SHOWN;
    return [{ group, items: found.slice(0, limit), total: found.length }];
  });
}

/** A known word that is spelled almost like the query. */
export function meantBy(items: readonly PaletteItem[], query: string): string | undefined {
  const words = new Set(
    items.flatMap(({ text }) => normalizeForSearch(forPage(text)).split(/[^\p{L}\p{N}]+/u)),
  );
  const asked = searchTerms(query).at(-1) ?? "";
  const meant = nearest(
    asked,
    [...words].filter((word) => word.length > 2),
  );
  return meant === asked ? undefined : meant;
}
