import type { Author, Status } from "../../core/model.ts";
import { localTime } from "../../core/text/clock.ts";
import { formatDuration } from "../../core/text/duration.ts";
import type { Page } from "./draw/page.ts";
import { cutLine, GAP, type Line, span, trimLine } from "./draw/spans.ts";
import { padEnd, padStart, widest } from "./draw/width.ts";

/** One change of a todo, or one event of the session. */
export interface HistoryRow {
  readonly at: number;
  readonly by: Author;
  /** The tool, command or format that the change came through. */
  readonly via: string;
  /** Id of the todo; absent for events of the session. */
  readonly todo?: string;
  readonly text: string;
  /** `null` for a new todo. */
  readonly from?: Status | null;
  /** `null` for a todo that was removed. */
  readonly to?: Status | null;
  /** The change, if the status stayed the same: `edited`, `note added`. */
  readonly change?: string;
  /** The result, if Waymark ran a check of the todo. */
  readonly proof?: "reproduced" | "warned" | "failed";
}

const WHO: Readonly<Record<Author, string>> = { agent: "agent", user: "you", system: "system" };

function changeLabel(page: Page, { todo, from, to, change }: HistoryRow): string {
  if (todo === undefined) return "";
  if (change !== undefined) return page.safe(change);
  if (!to) return "removed";
  if (!from) return to === "pending" ? "added" : `added -> ${to}`;
  return `${from} -> ${to}`;
}

function shortLabel(page: Page, { todo, from, to, change }: HistoryRow): string {
  if (todo === undefined) return "";
  if (change !== undefined) return page.safe(change);
  return !from ? "added" : (to ?? "removed");
}

/** How long each todo was in the status that it left, if the rows include its entry. */
function timesBefore(rows: readonly HistoryRow[]): ReadonlyMap<HistoryRow, number> {
  const entered = new Map<string, number>();
  const times = new Map<HistoryRow, number>();
  for (const row of rows) {
    if (row.todo === undefined || row.from === row.to) continue;
    const since = entered.get(row.todo);
    if (row.from && since !== undefined) times.set(row, Math.max(0, row.at - since));
    entered.set(row.todo, row.at);
  }
  return times;
}

interface Entry {
  readonly row: HistoryRow;
  readonly day: string;
  readonly clock: string;
  readonly id: string;
  readonly text: string;
  readonly change: string;
  readonly short: string;
  readonly time: string;
  readonly who: string;
  readonly via: string;
}

type Field = "change" | "short" | "time" | "who" | "via";

// Columns from the most to the least, with the cells that each set must leave for the text.
const FIELD_SETS: readonly { readonly names: readonly Field[]; readonly minText: number }[] = [
  { names: ["change", "time", "who", "via"], minText: 24 },
  { names: ["change", "time", "who"], minText: 24 },
  { names: ["change", "time"], minText: 24 },
  { names: ["short", "time"], minText: 24 },
  { names: ["short"], minText: 14 },
];

const CLOCK_CELLS = 5;

function entriesOf(page: Page, rows: readonly HistoryRow[]): readonly Entry[] {
  const times = timesBefore(rows);
  return rows.map((row) => {
    const at = localTime(row.at, page.options.timeZone);
    const time = times.get(row);
    return {
      row,
      day: at?.day ?? "",
      clock: at?.clock ?? "",
      id: page.cut(page.safe(row.todo ?? ""), Math.floor(page.width / 4)),
      text: page.safe(row.text),
      change: page.cut(changeLabel(page, row), 26),
      short: page.cut(shortLabel(page, row), 14),
      time: time === undefined ? "" : formatDuration(time),
      who: WHO[row.by],
      via: page.cut(page.safe(row.via), 20),
    };
  });
}

interface Layout {
  readonly id: number;
  readonly text: number;
  readonly fields: readonly { readonly name: Field; readonly size: number }[];
}

/** The most columns that leave enough width for the text. */
function layoutOf(page: Page, entries: readonly Entry[]): Layout {
  const id = widest(entries.map((entry) => entry.id));
  const text = widest(entries.filter(isAboutTodo).map((entry) => entry.text));
  const available = page.width - (CLOCK_CELLS + 1 + id + 1 + page.marks.todoCells + 1);
  for (const { names, minText } of FIELD_SETS) {
    const fields = names.map((name) => ({
      name,
      size: widest(entries.map((entry) => entry[name])),
    }));
    const left = fields.reduce((rest, { size }) => rest - size - GAP, available);
    if (left >= Math.min(text, minText)) return { id, text: Math.min(text, left), fields };
  }
  return { id, text: Math.min(text, available), fields: [] };
}

/** History rows, oldest first, below a line for each day. */
export function historyLines(page: Page, rows: readonly HistoryRow[]): readonly Line[] {
  const entries = entriesOf(page, rows);
  const layout = layoutOf(page, entries);
  return entries.flatMap((entry, index) => {
    const isNewDay = entry.day !== "" && entry.day !== entries[index - 1]?.day;
    const line = entryLine(page, entry, layout);
    return isNewDay ? [[span(entry.day, page.tones.bold)], line] : [line];
  });
}

function entryLine(page: Page, entry: Entry, layout: Layout): Line {
  const { marks, tones, width } = page;
  const mark = markOfRow(page, entry.row);
  const lead = [
    span(padEnd(entry.clock, CLOCK_CELLS), tones.dim),
    span(` ${padStart(entry.id, layout.id)} `, tones.dim),
    span(`${padEnd(mark, marks.todoCells)} `, markTone(page, entry.row)),
  ];
  // Events of the session have no columns to align with.
  if (!isAboutTodo(entry))
    return cutLine([...lead, span(entry.text, tones.dim)], width, marks.ellipsis);
  const line = [
    ...lead,
    span(padEnd(page.cut(entry.text, layout.text), layout.text)),
    ...layout.fields.map(({ name, size }) => {
      const isChange = name === "change" || name === "short";
      return span(`  ${padEnd(entry[name], size)}`, isChange ? undefined : tones.dim);
    }),
  ];
  return cutLine(trimLine(line), width, marks.ellipsis);
}

function isAboutTodo({ row }: Entry): boolean {
  return row.todo !== undefined;
}

function markOfRow({ marks }: Page, { todo, to, change, proof }: HistoryRow): string {
  if (todo === undefined) return marks.remark;
  if (proof) return marks.evidence[proof];
  return change?.startsWith("verified") ? marks.evidence.verified : marks.todo[to ?? "cancelled"];
}

function markTone({ tones }: Page, { to, change, proof }: HistoryRow) {
  if (proof === "warned") return tones.watch;
  if (proof) return proof === "failed" ? tones.broken : tones.verified;
  if (change?.startsWith("verified")) return tones.verified;
  if (to === "in_progress") return tones.bold;
  return to === "blocked" ? tones.watch : tones.dim;
}
