import { type EvidenceState, evidenceStateOf } from "../../../core/checks/evidence-state.ts";
import type { Status } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import { evidenceLevelOf } from "../../../core/views/evidence.ts";
import type { Row } from "../../../core/views/view.ts";
import type { Sgr, Tones } from "./paint.ts";

/** The characters that lists are drawn with. */
export interface Marks {
  readonly todo: Readonly<Record<Status, string>>;
  /** Marks of completed todos: more ticks, more proof. */
  readonly evidence: Readonly<Record<EvidenceState | "doubted", string>>;
  /** Cells of the widest todo mark. */
  readonly todoCells: number;
  /** Cells of the widest mark of a task or a call, which have no evidence states. */
  readonly statusCells: number;
  readonly agentBar: string;
  readonly noteEdge: string;
  readonly ellipsis: string;
  readonly separator: string;
  readonly above: string;
  readonly below: string;
  readonly bar: {
    /** Verified or reproduced. */
    readonly proven: string;
    /** Completed, not proven. */
    readonly done: string;
    readonly now: string;
    readonly open: string;
  };
  /** Mark of history rows that are not about a todo. */
  readonly remark: string;
  readonly needsYou: string;
  readonly pointer: string;
  /** Removes a filter. */
  readonly remove: string;
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

/** The mark of a todo: its status, or the evidence of a completed one. */
export function markOf(marks: Marks, { todo }: Pick<Row, "todo">): string {
  if (todo.status !== "completed") return marks.todo[todo.status];
  const state = evidenceStateOf(todo);
  const isDoubted = state === "warned" && evidenceLevelOf(todo) === "verified";
  return marks.evidence[isDoubted ? "doubted" : state];
}

/** The tone of a mark or label of evidence; undefined for evidence that proves nothing. */
export function evidenceTone(tones: Tones, { todo }: Pick<Row, "todo">): Sgr | undefined {
  if (todo.status !== "completed") return undefined;
  const state = evidenceStateOf(todo);
  if (state === "failed") return tones.broken;
  if (state === "warned" || state === "stale") return tones.watch;
  return state === "verified" || state === "reproduced" ? tones.verified : undefined;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export const UNICODE_MARKS: Marks = {
  todo: { pending: "○", in_progress: "▸", completed: "✓", cancelled: "-", blocked: "!" },
  evidence: {
    reproduced: "✓✓✓",
    verified: "✓✓",
    reported: "✓",
    unverified: "✓",
    stale: "✓✓~",
    warned: "✓✓!",
    // A check that the agent ran, with warnings.
    doubted: "✓!",
    failed: "✗",
  },
  todoCells: 3,
  statusCells: 2,
  agentBar: "▌",
  noteEdge: "│",
  ellipsis: "…",
  separator: "·",
  above: "↑",
  below: "↓",
  remark: "i",
  bar: { proven: "▮", done: "▯", now: "▸", open: "·" },
  needsYou: "◆",
  pointer: "›",
  remove: "×",
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
  evidence: {
    reproduced: "[R]",
    verified: "[X]",
    reported: "[x]",
    unverified: "[x]",
    stale: "[R~]",
    warned: "[R!]",
    doubted: "[X!]",
    failed: "[F]",
  },
  todoCells: 4,
  statusCells: 3,
  agentBar: "|",
  noteEdge: "|",
  ellipsis: "...",
  separator: "-",
  above: "^",
  below: "v",
  remark: "i",
  bar: { proven: "#", done: "=", now: ">", open: "." },
  needsYou: "*",
  pointer: ">",
  remove: "x",
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
