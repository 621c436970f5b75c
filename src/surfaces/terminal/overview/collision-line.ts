import { usedFiles } from "../../../core/collisions/shared-files.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, span, spread } from "../../text/draw/spans.ts";
import { sharedFileText } from "../../text/files/table.ts";
import { type BoardData, rowsOf } from "../state.ts";

/** Names a file that several agents are working on, the last used one. */
export function collisionLine(page: Page, { board, now, demo }: BoardData): Line | undefined {
  const { tones, marks, width } = page;
  if (demo) return undefined;
  const tracks = rowsOf(board).flatMap((row) => [
    row.source,
    ...row.children.map((each) => each.source),
  ]);
  const shared = usedFiles(tracks, now).filter(({ isShared }) => isShared);
  const [first] = shared;
  if (!first) return undefined;
  const { what, who } = sharedFileText(first, now);
  const more = shared.length > 1 ? ` and ${shared.length - 1} more` : "";
  return spread(
    [span(" ! ", tones.watch), span(`${page.safe(what)}${more}`)],
    [span(`${page.safe(who)} `, tones.dim)],
    width,
    marks.ellipsis,
  );
}
