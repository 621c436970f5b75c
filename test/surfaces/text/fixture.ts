import { emptyTrack } from "../../../src/core/evolve.ts";
import type { Todo, Track } from "../../../src/core/model.ts";
import { type View, viewOf } from "../../../src/core/views/view.ts";
import type { TextOptions } from "../../../src/surfaces/text/index.ts";

export const at = (clock: string): number => Date.parse(`2026-03-12T${clock}:00Z`);

export const NOW = at("14:32") + 14_000;

export function todoOf(id: string, text: string, rest: Partial<Todo> = {}): Todo {
  return { id, text, status: "pending", createdAt: at("13:40"), movedBy: "agent", ...rest };
}

export function trackOf(todos: readonly Todo[], rest: Partial<Track> = {}): Track {
  return {
    ...emptyTrack({ session: "3f0c9a52-8d1e-4a53-9c36-0b7d1f1a2e44", agent: "main" }),
    version: 1,
    todos,
    nextId: todos.length + 1,
    openedAt: at("13:40"),
    updatedAt: NOW,
    ...rest,
  };
}

const done = (start: string, end: string): Partial<Todo> => ({
  status: "completed",
  startedAt: at(start),
  finishedAt: at(end),
});

/** A list with everything that is hard to draw. */
const RICH_TODOS: readonly Todo[] = [
  todoOf("1", "List every caller of refund()", {
    ...done("13:41", "13:48"),
    phase: "Understand",
    owner: "explore",
  }),
  todoOf("2", "Reproduce the double refund in a test", {
    ...done("13:48", "13:55"),
    phase: "Understand",
    evidence: ["test/refunds.test.ts", "https://ci.example.org/runs/4711"],
    notes: ["The second request must start before the first one ends."],
  }),
  todoOf("3", "返金APIのキー形式を仕様書に書く（例と制約を含めて、クライアント側の再送も）", {
    ...done("13:55", "13:59"),
    phase: "Understand",
    movedBy: "user",
  }),
  todoOf("4", "Add the unique key on (payment_id, idempotency_key)", {
    status: "in_progress",
    startedAt: at("14:30"),
    activeText: "Adding the unique key on refunds",
    phase: "Database",
    notes: [
      "Two old refunds share a key. Decide which one wins before the index is built.",
      "See\nhttps://example.org/a/very/long/address/that/no/line/of/forty/cells/can/hold/whole",
    ],
  }),
  todoOf("5", "Backfill keys for refunds before March 👩‍👩‍👧‍👦 with the family account 🇩🇪", {
    phase: "Database",
    notes: ["Ask first."],
  }),
  todoOf("6", "Run the migration on staging", {
    status: "blocked",
    phase: "Database",
    blockedBy: ["1", "4"],
  }),
  todoOf("7", "Keep a second copy of the keys in a cache", {
    status: "cancelled",
    finishedAt: at("14:12"),
    movedBy: "user",
    phase: "Database",
  }),
  todoOf("8", "Try an advisory lock", {
    status: "cancelled",
    finishedAt: at("14:15"),
    phase: "Database",
  }),
  todoOf("9", "تحقق من رأس الطلب وأعد النتيجة الأولى", { phase: "Service" }),
  todoOf("10", "Rename cafe\u0301 to nai\u0308ve\u0323 everywhere", {
    ...done("14:15", "14:29"),
    phase: "Service",
  }),
  todoOf("11", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", {
    phase: "Service",
    owner: "writer",
  }),
  todoOf("12", "Print \u001b[31mred\u001b[0m and \u202eevil\u202c\u0007 text\u200b\r\nnow", {
    status: "blocked",
    blocker: "the security review",
    phase: "Service",
  }),
  todoOf("13", "Fire 200 equal requests at once, expect one refund", { blockedBy: ["6"] }),
];

export function richView(): View {
  return viewOf(
    trackOf(RICH_TODOS, {
      title: "Make refunds idempotent",
      cwd: "/home/dev/src/ledger-api",
      agentType: "claude-code",
    }),
    NOW,
  );
}

/** The three todos of the format examples. */
export function sampleView(rest: Partial<Track> = {}): View {
  return viewOf(
    trackOf(
      [
        todoOf("1", "Sort every record", done("14:00", "14:10")),
        todoOf("2", "Cut all stale record", {
          status: "in_progress",
          startedAt: at("14:30"),
          activeText: "Cutting all stale data",
        }),
        todoOf("3", "Measure the speed of reading"),
      ],
      rest,
    ),
    NOW,
  );
}

export function optionsOf(rest: Partial<TextOptions> = {}): TextOptions {
  return { width: 80, color: false, unicode: true, now: NOW, timeZone: "UTC", ...rest };
}
