import type { TaskRow } from "../../../tasks/model.ts";
import type { Page } from "../draw/page.ts";
import { cutLine, type Line, span } from "../draw/spans.ts";
import { markOf, markTone, stateOf } from "./words.ts";

/** Below each task those that wait for it; what stands elsewhere already is only named there. */
export function graphLines(page: Page, rows: readonly TaskRow[]): readonly Line[] {
  const { marks, tones, width } = page;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const waiting = new Map<string, TaskRow[]>();
  for (const row of rows)
    for (const blocker of row.blockedBy) {
      const known = waiting.get(blocker);
      if (known) known.push(row);
      else waiting.set(blocker, [row]);
    }
  const roots = rows.filter((row) => !row.blockedBy.some((id) => byId.has(id)));
  const lines: Line[] = [];
  const drawn = new Set<string>();
  const open = roots.map((row) => ({ row, stem: "", branch: "" })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { row, stem, branch } = next;
    const again = drawn.has(row.id);
    drawn.add(row.id);
    const line = [
      span(`${stem}${branch}`, tones.edge),
      span(`${markOf(page, row)} `, markTone(page, row)),
      span(`${row.id} `, tones.dim),
      span(page.safe(row.subject), again ? tones.dim : undefined),
      span(again ? `  ${marks.above}` : `  ${stateOf(page, row)}`, tones.dim),
    ];
    lines.push(cutLine(line, width, marks.ellipsis));
    if (again) continue;
    const below =
      stem + (branch === "" ? "" : branch === marks.tree.last ? "   " : marks.tree.stem);
    const children = waiting.get(row.id) ?? [];
    for (const [place, child] of [...children.entries()].reverse()) {
      const last = place === children.length - 1;
      open.push({ row: child, stem: below, branch: last ? marks.tree.last : marks.tree.branch });
    }
  }
  return lines;
}
