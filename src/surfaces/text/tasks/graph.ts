import type { TaskRow } from "../../../tasks/model.ts";
import type { Page } from "../draw/page.ts";
import { cutLine, type Line, span } from "../draw/spans.ts";
import { taskMark, taskStateLabel, taskTone } from "./labels.ts";

/** Each task above the tasks that it blocks. A task that was drawn already is marked and not expanded again. */
export function graphLines(page: Page, rows: readonly TaskRow[]): readonly Line[] {
  const { marks, tones, width } = page;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const blocked = new Map<string, TaskRow[]>();
  for (const row of rows)
    for (const blocker of row.blockedBy) {
      const known = blocked.get(blocker);
      if (known) known.push(row);
      else blocked.set(blocker, [row]);
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
      span(`${taskMark(page, row)} `, taskTone(page, row)),
      span(`${row.id} `, tones.dim),
      span(page.safe(row.subject), again ? tones.dim : undefined),
      span(again ? `  ${marks.above}` : `  ${taskStateLabel(page, row)}`, tones.dim),
    ];
    lines.push(cutLine(line, width, marks.ellipsis));
    if (again) continue;
    const below =
      stem + (branch === "" ? "" : branch === marks.tree.last ? "   " : marks.tree.stem);
    const children = blocked.get(row.id) ?? [];
    for (const [index, child] of [...children.entries()].reverse()) {
      const last = index === children.length - 1;
      open.push({ row: child, stem: below, branch: last ? marks.tree.last : marks.tree.branch });
    }
  }
  return lines;
}
