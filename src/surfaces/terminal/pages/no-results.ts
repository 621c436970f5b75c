import { counted } from "../../../core/text/count.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, span } from "../../text/draw/spans.ts";
import { wrap } from "../../text/draw/width.ts";
import { filterLabel } from "../find/chip-line.ts";
import type { Suggestion } from "../find/hits.ts";
import { isNarrowed, shownOf } from "../find/shown.ts";
import type { BoardData, BoardState } from "../state.ts";

/** Says that nothing matches, what would, and how to leave. */
export function noResultLines(
  page: Page,
  data: BoardData,
  state: BoardState,
  instead: Suggestion | undefined,
): readonly Line[] {
  const { tones, width } = page;
  const { older } = shownOf(data.board, state, data.now);
  const text = [
    page.safe(state.search.trim()),
    isNarrowed(state) ? page.safe(filterLabel(state)) : "",
  ]
    .filter(Boolean)
    .join(" in ");
  const lines = [
    text === "" ? "There are no sessions to filter." : `No session, todo or task matches ${text}.`,
    "",
    ...(instead ? [insteadText(page, state, instead)] : []),
    `esc clears the filter.${older > 0 && !state.older ? ` ${counted(older, "older session")} not searched; ctrl+a adds ${older === 1 ? "it" : "them"}.` : ""}`,
  ];
  return [
    [],
    ...lines.flatMap((line, index): readonly Line[] =>
      line === ""
        ? [[]]
        : wrap(line, width - 4).map((part) => [
            span(`  ${part}`, index === 0 ? undefined : tones.dim),
          ]),
    ),
  ];
}

function insteadText(
  page: Page,
  state: BoardState,
  { search, isWider, older, count }: Suggestion,
): string {
  const how = [
    ...(isWider ? ["without the filters"] : []),
    ...(older && !state.older ? ["with older sessions"] : []),
  ].join(" and ");
  const found = count === 0 ? "finds a todo or task" : `finds ${counted(count, "session")}`;
  return `${page.safe(search)} ${found}${how ? ` ${how}` : ""}: press tab to search that.`;
}
