import { type Line, span } from "../../text/draw/spans.ts";
import { isSmall } from "../overview.ts";
import { bottomOf, type Parts } from "../parts.ts";
import type { BoardState, Size, World } from "../state.ts";
import { openTaskOf, taskOf, tasksBody, tasksHead } from "../tasks-lines.ts";
import { detailHint, LAST_HINTS, type Pages, startFor, windowed } from "./pages.ts";
import { taskKeys, taskParts } from "./task.ts";

export function tasksParts(
  pages: Pages,
  world: World,
  state: BoardState,
  size: Size,
  detail: boolean,
): Parts {
  const { still: page } = pages;
  const { tasks } = world;
  const small = isSmall(size);
  const open = openTaskOf(tasks, state);
  if (tasks && open) return taskParts(pages, tasks, open, state, world.detail);
  const selected = taskOf(tasks, state);
  const isEmpty = !selected && taskOf(tasks, { ...state, more: true }) === undefined;
  const keys = [
    ...(selected ? ([["enter", "open"]] as const) : []),
    ...(selected ? taskKeys(selected) : ([["n", "add"]] as const)),
    ["t", "tracks"],
    ...detailHint(detail, state.more),
    ...LAST_HINTS,
  ] as const;
  return {
    top: [tasksHead(pages, tasks, world.now), ...(small ? [] : [[]])],
    body: (room) => {
      if (!tasks || isEmpty) return noTasks(page);
      const { lines, focus } = tasksBody(pages, tasks, state, small, room);
      return windowed(page, lines, room, startFor(focus, room));
    },
    bottom: bottomOf(pages, state, keys),
  };
}

function noTasks({ tones }: Pages["still"]): readonly Line[] {
  return [
    [span("  No task yet.")],
    [
      span(
        "  Tasks are work that agents share: one takes a task, the others see it is taken.",
        tones.dim,
      ),
    ],
    [
      span(
        "  n adds one. They also come from waymark task and from agents' own task tools.",
        tones.dim,
      ),
    ],
  ];
}
