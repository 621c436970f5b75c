import type { TaskRow } from "../../../tasks/model.ts";
import type { Page } from "../draw/page.ts";
import { cutLine, GAP, type Line, span, trimLine } from "../draw/spans.ts";
import { padEnd, padStart, widest } from "../draw/width.ts";
import { taskMark, taskStateLabel, taskTone } from "./labels.ts";

interface Entry {
  readonly row: TaskRow;
  readonly mark: string;
  readonly id: string;
  readonly subject: string;
  readonly priority: string;
  readonly labels: string;
  readonly state: string;
}

type Field = "priority" | "labels" | "state";

// Columns from the most to the least, with the cells that each set must leave for the subject.
const FIELD_SETS: readonly { readonly names: readonly Field[]; readonly minText: number }[] = [
  { names: ["priority", "labels", "state"], minText: 30 },
  { names: ["priority", "state"], minText: 24 },
  { names: ["state"], minText: 16 },
  { names: [], minText: 0 },
];

const HEADS: Readonly<Record<Field, string>> = { priority: "P", labels: "LABELS", state: "STATE" };

/** One line per task. */
export function taskLines(page: Page, rows: readonly TaskRow[]): readonly Line[] {
  const { marks, tones, width } = page;
  const stateWidth = Math.max(12, Math.floor(width / 3));
  const entries = rows.map(
    (row): Entry => ({
      row,
      mark: taskMark(page, row),
      id: row.id,
      subject: page.safe(row.subject),
      priority: String(row.priority),
      labels: page.cut(page.safe(row.labels.join(", ")), 24),
      state: page.cut(taskStateLabel(page, row, stateWidth), stateWidth),
    }),
  );
  const mark = marks.statusCells;
  const id = widest(["ID", ...entries.map((entry) => entry.id)]);
  const { text, fields } = layoutOf(page, entries, width - mark - 1 - id - 1);
  const head = [
    span(`${" ".repeat(mark)} ${padStart("ID", id)} `, tones.dim),
    span(padEnd("TASK", text), tones.dim),
    ...fields.map(({ name, size }) =>
      span(`${" ".repeat(GAP)}${padEnd(HEADS[name], size)}`, tones.dim),
    ),
  ];
  const line = (entry: Entry): Line => [
    span(`${padEnd(entry.mark, mark)} `, taskTone(page, entry.row)),
    span(`${padStart(entry.id, id)} `, tones.dim),
    span(padEnd(page.cut(entry.subject, text), text), subjectTone(page, entry.row)),
    ...fields.map(({ name, size }) =>
      span(`${" ".repeat(GAP)}${padEnd(entry[name], size)}`, fieldTone(page, entry.row, name)),
    ),
  ];
  return [head, ...entries.map(line)].map((each) => cutLine(trimLine(each), width, marks.ellipsis));
}

function layoutOf(page: Page, entries: readonly Entry[], available: number) {
  const text = widest(["TASK", ...entries.map((entry) => entry.subject)]);
  for (const { names, minText } of FIELD_SETS) {
    const fields = names
      .map((name) => {
        const most = widest(entries.map((entry) => entry[name]));
        return { name, size: most === 0 ? 0 : Math.max(most, HEADS[name].length) };
      })
      .filter(({ size }) => size > 0);
    const left = fields.reduce((rest, { size }) => rest - size - GAP, available);
    if (left >= Math.min(text, minText)) return { text: Math.min(text, left), fields };
  }
  return { text: Math.max(1, Math.min(text, available, page.width)), fields: [] };
}

function subjectTone({ tones }: Page, { status }: TaskRow) {
  if (status === "claimed") return tones.bold;
  if (status === "cancelled") return tones.struck;
  return status === "done" ? tones.dim : undefined;
}

function fieldTone(page: Page, row: TaskRow, name: Field) {
  return name === "state" ? (taskTone(page, row) ?? page.tones.dim) : page.tones.dim;
}
