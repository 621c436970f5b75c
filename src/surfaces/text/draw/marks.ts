import type { Status } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import type { Row } from "../../../core/views/view.ts";

/** The signs that lists are drawn with. */
export interface Marks {
  readonly todo: Readonly<Record<Status, string>>;
  /** Of a completed todo that a check backs. */
  readonly verified: string;
  /** Cells of the widest todo mark. */
  readonly todoCells: number;
  readonly blaze: string;
  readonly noteEdge: string;
  readonly ellipsis: string;
  readonly separator: string;
  readonly above: string;
  readonly below: string;
  readonly bar: {
    readonly verified: string;
    readonly claimed: string;
    readonly now: string;
    readonly open: string;
  };
  /** In front of what is no todo. */
  readonly remark: string;
  readonly yours: string;
  readonly pointer: string;
  /** The frames of a sign that says that somebody works; one where it stands still. */
  readonly spinner: readonly string[];
  /** What is the matter with a track. */
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

/** The sign of a todo: solid where its completion is proven. */
export function markOf(marks: Marks, { todo, proof }: Pick<Row, "todo" | "proof">): string {
  return proof === "verified" ? marks.verified : marks.todo[todo.status];
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export const UNICODE_MARKS: Marks = {
  todo: { pending: "○", in_progress: "▸", completed: "✓", cancelled: "-", blocked: "!" },
  verified: "✓✓",
  todoCells: 2,
  blaze: "▌",
  noteEdge: "│",
  ellipsis: "…",
  separator: "·",
  above: "↑",
  below: "↓",
  remark: "i",
  bar: { verified: "▮", claimed: "▯", now: "▸", open: "·" },
  yours: "◆",
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
  blaze: "|",
  noteEdge: "|",
  ellipsis: "...",
  separator: "-",
  above: "^",
  below: "v",
  remark: "i",
  bar: { verified: "#", claimed: "=", now: ">", open: "." },
  yours: "*",
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
