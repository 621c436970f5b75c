/** A todo of a recorded list write. */
export type RecordedTodo = readonly [text: string, status: "pending" | "in_progress" | "completed"];

/** An action of an agent, written to its session file. */
export type AgentAction =
  | { readonly prompt: string }
  | { readonly list: readonly RecordedTodo[] }
  /** A command. Without an exit code it keeps running until the next `answer`. */
  | { readonly run: string; readonly exit?: number }
  | { readonly answer: number }
  | { readonly edit: string }
  | { readonly end: true };

/** A change to a list that Waymark hosts. */
export type ListAction =
  | { readonly propose: string }
  /** Only if the user has not decided by then. */
  | { readonly approve: string }
  | { readonly start: number }
  | { readonly finish: number; readonly evidence?: string }
  | { readonly note: number; readonly text: string }
  | { readonly add: string }
  | { readonly end: true };

export interface Step {
  /** Seconds since the start. */
  readonly at: number;
  readonly actor: "claude" | "test-writer" | "explore" | "codex" | "gemini" | "opencode" | "you";
  readonly action: AgentAction | ListAction;
}

/** A list write: the first `done` todos are completed and the next one is in progress. */
function upTo(texts: readonly string[], done: number): { readonly list: readonly RecordedTodo[] } {
  return {
    list: texts.map((text, index) => [
      text,
      index < done ? "completed" : index === done ? "in_progress" : "pending",
    ]),
  };
}

const REFUNDS = [
  "List every caller of refund()",
  "Reproduce the double refund in a test",
  "Add the idempotency_key column",
  "Add the unique key on refunds",
  "Return the first result on a repeat",
  "Document the header for clients",
];
const CALLERS = ["Search the services", "Read each caller", "Write down what they expect"];
const RACE = ["Start two requests at once", "Check that one refund is made", "Repeat it 200 times"];
const STAGING = [
  "Read the release notes of version 18",
  "Take a snapshot of staging",
  "Apply the new instance class",
  "Run the slow queries again",
];
const CART = [
  "Find which tests are flaky",
  "Pass the clock to the cart as a parameter",
  "Run the suite 20 times",
];

const PLAN = `# Move checkout to the new form kit

Checkout uses two form libraries. This plan moves the last two steps to the new kit without changing
the requests to the server, so that one flag can revert it.

1. Add the new kit beside the old form, behind a flag
2. Move the address step, keep the field names
3. Move the payment step; the card field stays in its iframe
4. Run the checkout suite on both forms
5. Delete the old form and its helpers
`;

const FAILS = "npm test -- cart";

/** The same failing command twelve times: a loop. */
const LOOP: readonly Step[] = Array.from({ length: 12 }, (_, index) => ({
  at: 12 + index * 1.5,
  actor: "gemini",
  action: { run: FAILS, exit: 1 },
}));

export const RECORDING: readonly Step[] = [
  { at: 0, actor: "claude", action: { prompt: "Make refunds idempotent" } },
  { at: 1, actor: "claude", action: upTo(REFUNDS, 0) },
  { at: 1, actor: "codex", action: { prompt: "Upgrade staging to PostgreSQL 18" } },
  { at: 2, actor: "codex", action: upTo(STAGING, 0) },
  { at: 3, actor: "explore", action: { prompt: "Find every caller of refund()" } },
  { at: 3, actor: "explore", action: upTo(CALLERS, 0) },
  { at: 4, actor: "gemini", action: { prompt: "Fix the flaky cart tests" } },
  { at: 4, actor: "gemini", action: upTo(CART, 0) },
  { at: 5, actor: "opencode", action: { propose: PLAN } },
  { at: 6, actor: "codex", action: { run: "psql staging -c 'select version()'", exit: 0 } },
  { at: 7, actor: "codex", action: upTo(STAGING, 1) },
  { at: 8, actor: "explore", action: upTo(CALLERS, 1) },
  { at: 9, actor: "gemini", action: upTo(CART, 1) },
  { at: 10, actor: "codex", action: { run: "pg_dump staging", exit: 0 } },
  { at: 10.5, actor: "explore", action: upTo(CALLERS, 2) },
  { at: 11, actor: "codex", action: upTo(STAGING, 2) },
  { at: 12, actor: "codex", action: { run: "terraform apply" } },
  { at: 12, actor: "explore", action: upTo(CALLERS, 3) },
  { at: 12.5, actor: "explore", action: { end: true } },
  ...LOOP,
  { at: 13, actor: "claude", action: upTo(REFUNDS, 1) },
  { at: 14, actor: "claude", action: { edit: "test/refunds.test.ts" } },
  { at: 16, actor: "claude", action: { run: "npm test -- refunds", exit: 0 } },
  { at: 17, actor: "claude", action: upTo(REFUNDS, 2) },
  { at: 18, actor: "test-writer", action: { prompt: "Write a test for the race of two refunds" } },
  { at: 18, actor: "test-writer", action: upTo(RACE, 0) },
  { at: 20, actor: "claude", action: { edit: "migrations/0042_refund_key.sql" } },
  { at: 23, actor: "claude", action: { run: "npm run test:migrations", exit: 0 } },
  { at: 24, actor: "claude", action: upTo(REFUNDS, 3) },
  { at: 25, actor: "test-writer", action: upTo(RACE, 1) },
  { at: 30, actor: "codex", action: { answer: 0 } },
  { at: 31, actor: "codex", action: upTo(STAGING, 3) },
  { at: 33, actor: "gemini", action: { edit: "src/cart/clock.ts" } },
  { at: 35, actor: "you", action: { approve: "Keep the old endpoint working." } },
  { at: 36, actor: "gemini", action: { run: "npm test", exit: 0 } },
  { at: 37, actor: "gemini", action: upTo(CART, 2) },
  { at: 37, actor: "opencode", action: { start: 1 } },
  { at: 39, actor: "codex", action: { run: "pgbench staging", exit: 0 } },
  {
    at: 40,
    actor: "you",
    action: { note: 2, text: "Keep the postcode field as it is: two partners fill it in." },
  },
  { at: 41, actor: "codex", action: upTo(STAGING, 4) },
  { at: 41.5, actor: "codex", action: { end: true } },
  { at: 42, actor: "test-writer", action: upTo(RACE, 2) },
  { at: 44, actor: "opencode", action: { finish: 1, evidence: "web/checkout/flag.ts" } },
  { at: 45, actor: "opencode", action: { start: 2 } },
  { at: 46, actor: "you", action: { add: "Notify the partners before enabling the flag" } },
  { at: 47, actor: "claude", action: { edit: "src/refunds/store.ts" } },
  { at: 49, actor: "claude", action: { run: "npm test -- refunds", exit: 0 } },
  { at: 50, actor: "claude", action: upTo(REFUNDS, 4) },
  { at: 52, actor: "test-writer", action: { run: "npm test -- race", exit: 0 } },
  { at: 53, actor: "test-writer", action: upTo(RACE, 3) },
  { at: 54, actor: "test-writer", action: { end: true } },
  { at: 55, actor: "gemini", action: { run: "npm test", exit: 0 } },
  { at: 56, actor: "gemini", action: upTo(CART, 3) },
  { at: 57, actor: "gemini", action: { end: true } },
  { at: 58, actor: "claude", action: { run: "npm test", exit: 0 } },
  { at: 59, actor: "claude", action: upTo(REFUNDS, 5) },
  { at: 60, actor: "opencode", action: { finish: 2 } },
  { at: 61, actor: "opencode", action: { start: 3 } },
  { at: 63, actor: "claude", action: upTo(REFUNDS, 6) },
  { at: 64, actor: "claude", action: { end: true } },
  { at: 64, actor: "opencode", action: { end: true } },
];
