import { type Line, span } from "../../text/draw/spans.ts";
import { wrap } from "../../text/draw/width.ts";
import { isSmall } from "../overview.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardData, BoardState, Size } from "../state.ts";
import { openTaskOf, pausedLines, taskOf, tasksBody, tasksHead } from "../tasks-lines.ts";
import { detailHint, LAST_HINTS, type Pages, startFor, windowed, windowedKeys } from "./pages.ts";
import { taskKeys, taskParts } from "./task.ts";

export function tasksParts(
  pages: Pages,
  data: BoardData,
  state: BoardState,
  size: Size,
  detail: boolean,
): ScreenParts {
  const { still: page } = pages;
  const { tasks } = data;
  const small = isSmall(size);
  const open = openTaskOf(tasks, state);
  if (tasks && open) return taskParts(pages, tasks, open, state, data.detail);
  const selected = taskOf(tasks, state);
  const isEmpty = !selected && taskOf(tasks, { ...state, more: true }) === undefined;
  const keys = [
    ...(selected ? ([["enter", "open"]] as const) : []),
    ...(selected ? taskKeys(selected) : ([["n", "add"]] as const)),
    ["t", "sessions"],
    ...(tasks && !tasks.paused ? ([["P", "pause"]] as const) : []),
    ...detailHint(detail, state.more),
    ...LAST_HINTS,
  ] as const;
  return {
    top: [
      tasksHead(pages, tasks, data.now),
      ...pausedLines(pages, tasks, data.now),
      ...(small ? [] : [[]]),
    ],
    body: (available) => {
      if (!tasks || isEmpty) return noTasks(page);
      const { lines, focus } = tasksBody(pages, tasks, state, small, available);
      return windowed(page, lines, available, startFor(focus, available));
    },
    bottom: bottomLines(pages, state, keys),
    targets: (available) => {
      if (!tasks || isEmpty) return [];
      const { keys: targets, focus } = tasksBody(pages, tasks, state, small, available);
      return windowedKeys(targets, available, startFor(focus, available));
    },
  };
}

function noTasks({ tones, width }: Pages["still"]): readonly Line[] {
  const text =
    "Agents share tasks: one agent at a time claims and works on a task. Press n to add one, or run waymark task add.";
  return [
    [span("  No tasks yet.")],
    ...wrap(text, Math.min(72, width - 4)).map((line) => [span(`  ${line}`, tones.dim)]),
  ];
}
