import type { SessionState } from "../../core/activity/session-state.ts";
import type { Todo } from "../../core/model.ts";
import { cutGraphemes, forPage } from "../../core/text/escape.ts";
import { alarmText, type Board, type BoardRow } from "../../core/views/board.ts";
import { currentOf, isOpen } from "../../core/views/view.ts";
import { REQUEST_LABELS } from "../text/requests.ts";
import { progressLabel, todoMark } from "../web/state/todo-labels.ts";

/** A row of the view, as plain texts. */
export interface Item {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** The name of a product icon of VS Code. */
  readonly icon: string;
  /** The id of a theme color. */
  readonly color?: string;
  readonly tooltip: string;
  /** The text for screen readers. */
  readonly spoken: string;
  /** Decides which actions the row has. */
  readonly context: string;
}

/** The text and the severity of the status bar item. */
export interface StatusItem {
  readonly text: string;
  readonly tooltip: string;
  readonly needsYou: boolean;
}

const MAX_LABEL = 200;
const MAX_STATUS = 40;

const STATES: Readonly<Record<SessionState, Pick<Item, "icon" | "color"> & { label: string }>> = {
  needs_you: { icon: "bell-dot", color: "notificationsInfoIcon.foreground", label: "needs you" },
  working: { icon: "play-circle", color: "charts.blue", label: "working" },
  stalled: { icon: "warning", color: "list.warningForeground", label: "stalled" },
  looping: { icon: "warning", color: "list.warningForeground", label: "looping" },
  idle: { icon: "circle-outline", label: "idle" },
  finished: { icon: "pass", color: "testing.iconPassed", label: "finished" },
  ended: { icon: "circle-slash", label: "ended" },
};

type Mark = ReturnType<typeof todoMark>["icon"];

const MARKS: Partial<Readonly<Record<Mark, Pick<Item, "icon" | "color">>>> = {
  pending: { icon: "circle-large-outline" },
  active: { icon: "play-circle", color: "charts.blue" },
  blocked: { icon: "debug-pause", color: "list.warningForeground" },
  cancelled: { icon: "circle-slash" },
  unverified: { icon: "pass" },
  reported: { icon: "pass" },
  verified: { icon: "pass-filled", color: "testing.iconPassed" },
  reproduced: { icon: "verified-filled", color: "testing.iconPassed" },
  stale: { icon: "history", color: "list.warningForeground" },
  warned: { icon: "warning", color: "list.warningForeground" },
  failed: { icon: "error", color: "list.errorForeground" },
};

/** External text on one line, with hidden characters as escapes. */
function safe(text: string, max = MAX_LABEL): string {
  return cutGraphemes(forPage(text).replace(/\s+/g, " "), max);
}

export function sessionItem(row: BoardRow): Item {
  const { key, title, project, state, waiting, track } = row;
  const { label, ...look } = STATES[state];
  const asks = state === "needs_you" && waiting ? REQUEST_LABELS[waiting.kind] : label;
  const progress = track.todos.length > 0 ? progressLabel(track.todos) : "";
  const facts = [progress, asks, ...(project === "" ? [] : [safe(project)])].filter(Boolean);
  const current = currentOf(track.todos);
  const tooltip = [
    safe(title),
    facts.join(", "),
    ...(current ? [`Now: ${safe(current.activeText ?? current.text)}`] : []),
    ...(waiting ? [safe(waiting.text)] : []),
  ];
  return {
    id: key,
    label: safe(title),
    description: facts.join(" · "),
    ...look,
    tooltip: tooltip.join("\n"),
    spoken: [safe(title), ...facts].join(", "),
    context: "session",
  };
}

export function todoItem(row: BoardRow, todo: Todo): Item {
  const mark = todoMark(todo);
  const text = safe(todo.status === "in_progress" ? (todo.activeText ?? todo.text) : todo.text);
  return {
    id: `${row.key}\n${todo.id}`,
    label: text,
    // The icon says that it is done.
    description: todo.status === "pending" ? "" : mark.label.replace(/^done, /, ""),
    ...(MARKS[mark.icon] ?? { icon: "circle-large-outline" }),
    tooltip: [
      safe(todo.text, 1_000),
      mark.label,
      ...(todo.notes ?? []).map((note) => safe(note)),
    ].join("\n"),
    spoken: `${text}, ${mark.label}`,
    context: row.hosted ? (isOpen(todo) ? "todo.open" : "todo.closed") : "todo",
  };
}

/** The session of an open folder if there is one, or who needs the user. */
export function statusItem(board: Board, isHere: (cwd: string) => boolean): StatusItem | undefined {
  const rows = board.groups.flatMap((group) => group.rows);
  const alarm = alarmText(board);
  const needsYou = board.counts["needs you"] > 0;
  const here = rows.find(({ track: { cwd, todos } }) => cwd && todos.length > 0 && isHere(cwd));
  if (!here)
    return alarm === "" ? undefined : { text: `$(bell) ${alarm}`, tooltip: alarm, needsYou };
  const { todos } = here.track;
  const current = currentOf(todos);
  const work = current
    ? ` ${inStatusBar(safe(current.activeText ?? current.text, MAX_STATUS))}`
    : "";
  return {
    text: `$(${needsYou ? "bell-dot" : "checklist"}) ${progressLabel(todos)}${work}`,
    tooltip: [safe(here.title), ...(alarm === "" ? [] : [alarm])].join("\n"),
    needsYou,
  };
}

/** The status bar draws `$(name)` as an icon. */
function inStatusBar(text: string): string {
  return text.replaceAll("$(", "\\$(");
}
