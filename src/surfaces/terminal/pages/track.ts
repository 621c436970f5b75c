import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import type { Line } from "../../text/draw/spans.ts";
import { callsIn } from "../call/keys.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import { type BoardState, itemOf, type Size, selectedTodo } from "../state.ts";
import { trackBody, trackHeader } from "../track-lines.ts";
import {
  detailHint,
  type Hint,
  LAST_HINTS,
  type Pages,
  startFor,
  windowed,
  windowedKeys,
} from "./pages.ts";

export function trackParts(
  pages: Pages,
  row: BoardRow,
  state: BoardState,
  size: Size,
  detail: boolean,
): ScreenParts {
  const small = size.rows < 16;
  const item = itemOf(row, state)?.item;
  const whole = trackBody(pages, row, { item, fold: false, rest: state.more || !small });
  const fitted = (available: number) =>
    whole.lines.length <= available || state.more
      ? whole
      : trackBody(pages, row, { item, fold: true, rest: !small });
  const body = (available: number): readonly Line[] => {
    const { lines, focus } = fitted(available);
    return windowed(pages.still, lines, available, startFor(focus, available));
  };
  const targets = (available: number) => {
    const { keys, focus } = fitted(available);
    return windowedKeys(keys, available, startFor(focus, available));
  };
  const decide =
    hasOpenPlan(row) && row.hosted
      ? ([
          ["a", "approve"],
          ["r", "reject"],
        ] as const)
      : [];
  const own = row.hosted
    ? ([
        ["e", "edit"],
        ["space", "done"],
        ["n", "add"],
        ["x", "cancel"],
      ] as const)
    : [];
  const todo = selectedTodo(row, state);
  const verify: readonly Hint[] = row.machine === undefined && todo ? [["v", "verify"]] : [];
  const output: readonly Hint[] =
    row.machine === undefined && (todo?.proof || todo?.check || callsIn(row).length > 0)
      ? [["o", "output"]]
      : [];
  const plan = row.plan ? ([["p", "plan"]] as const) : [];
  return {
    top: [...trackHeader(pages, row), ...(small ? [] : [[]])],
    body,
    targets,
    bottom: bottomLines(pages, state, [
      ["esc", "back"],
      ["g", "go to agent"],
      ...decide,
      ...verify,
      ...output,
      ...own,
      ...plan,
      ["h", "history"],
      ...detailHint(detail, state.more),
      ...LAST_HINTS,
    ]),
  };
}
