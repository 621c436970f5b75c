import { type Line, span } from "../text/spans.ts";
import { isSmall } from "./overview.ts";
import { type Pages, startFor, windowed } from "./pages.ts";
import { bottomOf, type Parts } from "./parts.ts";
import type { BoardState, Size, World } from "./state.ts";
import { taskCards, tasksBody, tasksHead } from "./tasks-lines.ts";

export function tasksParts(pages: Pages, world: World, state: BoardState, size: Size): Parts {
  const { still: page } = pages;
  const { tasks } = world;
  const small = isSmall(size);
  const isEmpty = !tasks || taskCards(tasks, true).length === 0;
  const keys = [
    ...(isEmpty ? [] : ([["enter", state.taskIsOpen ? "close" : "open"]] as const)),
    ["t", "tracks"],
    ["ctrl+t", state.more ? "less" : "more"],
    ["?", "help"],
    ["q", "quit"],
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
        "  They come from waymark task, from an agent's own task tools, or from a plan.",
        tones.dim,
      ),
    ],
  ];
}
