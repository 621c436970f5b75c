import type { Status } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import type { Row } from "../../../core/views/view.ts";

/** The characters that lists are drawn with. */
export interface Marks {
  readonly todo: Readonly<Record<Status, string>>;
  /** Mark of a verified todo. */
  readonly verified: string;
  /** Cells of the widest todo mark. */
  readonly todoCells: number;
  readonly agentBar: string;
  readonly noteEdge: string;
  readonly ellipsis: string;
  readonly separator: string;
  readonly above: string;
  readonly below: string;
  readonly bar: {
    readonly verified: string;
    /** Completed, reported or unverified. */
    readonly done: string;
    readonly now: string;
    readonly open: string;
  };
  /** Mark of history rows that are not about a todo. */
  readonly remark: string;
  readonly needsYou: string;
  readonly pointer: string;
  /** Frames of the activity spinner; a single one if it does not move. */
  readonly spinner: readonly string[];
  readonly looping: string;
  readonly stalled: string;
  readonly failed: string;
  readonly box: {
    readonly corners: readonly [string, string, string, string];
    readonly across: string;
    readonly down: string;
    readonly current: string;
  };
  readonly tree: { readonly branch: string; readonly last: string; readonly stem: string };
  readonly plan: {
    readonly title: string;
    readonly completed: string;
    readonly cancelled: string;
    readonly open: string;
  };
  readonly checkbox: { readonly on: string; readonly off: string };
  readonly noteCount: (count: number) => string;
}

/** The mark of a todo; a verified one has its own. */
export function markOf(
  marks: Marks,
  { todo, evidenceLevel }: Pick<Row, "todo" | "evidenceLevel">,
): string {
  return evidenceLevel === "verified" ? marks.verified : marks.todo[todo.status];
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export const UNICODE_MARKS: Marks = {
  todo: { pending: "○", in_progress: "▸", completed: "✓", cancelled: "-", blocked: "!" },
  verified: "✓✓",
  todoCells: 2,
  agentBar: "▌",
  noteEdge: "│",
  ellipsis: "…",
  separator: "·",
  above: "↑",
  below: "↓",
  remark: "i",
  bar: { verified: "▮", done: "▯", now: "▸", open: "·" },
  needsYou: "◆",
  pointer: "›",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  looping: "↻",
  stalled: "◌",
  failed: "✗",
  box: { corners: ["┌", "┐", "└", "┘"], across: "─", down: "│", current: "▶" },
  tree: { branch: "├─ ", last: "└─ ", stem: "│  " },
  plan: { title: "📋 ", completed: "✅", cancelled: "❌", open: "⭕" },
  checkbox: { on: "☒", off: "☐" },
  noteCount: (count) => Array.from(String(count), (digit) => SUPERSCRIPTS[Number(digit)]).join(""),
};

export const ASCII_MARKS: Marks = {
  todo: {
    pending: "[ ]",
    in_progress: "[>]",
    completed: "[x]",
    cancelled: "[-]",
    blocked: "[!]",
  },
  verified: "[X]",
  todoCells: 3,
  agentBar: "|",
  noteEdge: "|",
  ellipsis: "...",
  separator: "-",
  above: "^",
  below: "v",
  remark: "i",
  bar: { verified: "#", done: "=", now: ">", open: "." },
  needsYou: "*",
  pointer: ">",
  spinner: ["[>]"],
  looping: "@",
  stalled: "~",
  failed: "X",
  box: { corners: ["+", "+", "+", "+"], across: "-", down: "|", current: "[>]" },
  tree: { branch: "|- ", last: "`- ", stem: "|  " },
  plan: { title: "", completed: "[x]", cancelled: "[-]", open: "[ ]" },
  checkbox: { on: "[x]", off: "[ ]" },
  noteCount: (count) => ` (${counted(count, "note")})`,
};
