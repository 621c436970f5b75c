/** A todo as the recording tells it: its text, and how far it is. */
export type Said = readonly [text: string, status: "pending" | "in_progress" | "completed"];

/** What an agent did; each is written the way its own program writes it. */
export type Did =
  | { readonly prompt: string }
  | { readonly list: readonly Said[] }
  /** A command, with what came back; without an answer it goes on. */
  | { readonly run: string; readonly exit?: number }
  | { readonly answer: number }
  | { readonly edit: string }
  | { readonly end: true };

/** What is done to a list that Waymark itself keeps. */
export type Hosted =
  | { readonly propose: string }
  /** Only if nobody else has decided by then. */
  | { readonly approve: string }
  | { readonly start: number }
  | { readonly finish: number; readonly evidence?: string }
  | { readonly note: number; readonly text: string }
  | { readonly add: string }
  | { readonly end: true };

export interface Step {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly who: "claude" | "test-writer" | "explore" | "codex" | "gemini" | "opencode" | "you";
  readonly does: Did | Hosted;
}

/** The texts of a list, of which the first so many are done and the next one is being worked on. */
function upTo(texts: readonly string[], done: number): { readonly list: readonly Said[] } {
  return {
    list: texts.map((text, place) => [
      text,
      place < done ? "completed" : place === done ? "in_progress" : "pending",
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
  "Make the clock of the cart a parameter",
  "Run the suite 20 times",
];

const PLAN = `# Move checkout to the new form kit

Checkout uses two form libraries. This plan moves the last two steps to the new kit without changing
what is sent to the server, so that one flag takes it back.

1. Add the new kit beside the old form, behind a flag
2. Move the address step, keep the field names
3. Move the payment step; the card field stays in its frame
4. Run the checkout suite on both forms
5. Delete the old form and its helpers
`;

const FAILS = "npm test -- cart";

/** Twelve times the same, which is what a loop looks like. */
const LOOP: readonly Step[] = Array.from({ length: 12 }, (_, place) => ({
  at: 12 + place * 1.5,
  who: "gemini",
  does: { run: FAILS, exit: 1 },
}));

export const RECORDING: readonly Step[] = [
  { at: 0, who: "claude", does: { prompt: "Make refunds idempotent" } },
  { at: 1, who: "claude", does: upTo(REFUNDS, 0) },
  { at: 1, who: "codex", does: { prompt: "Upgrade staging to PostgreSQL 18" } },
  { at: 2, who: "codex", does: upTo(STAGING, 0) },
  { at: 3, who: "explore", does: { prompt: "Find every caller of refund()" } },
  { at: 3, who: "explore", does: upTo(CALLERS, 0) },
  { at: 4, who: "gemini", does: { prompt: "Fix the flaky cart tests" } },
  { at: 4, who: "gemini", does: upTo(CART, 0) },
  { at: 5, who: "opencode", does: { propose: PLAN } },
  { at: 6, who: "codex", does: { run: "psql staging -c 'select version()'", exit: 0 } },
  { at: 7, who: "codex", does: upTo(STAGING, 1) },
  { at: 8, who: "explore", does: upTo(CALLERS, 1) },
  { at: 9, who: "gemini", does: upTo(CART, 1) },
  { at: 10, who: "codex", does: { run: "pg_dump staging", exit: 0 } },
  { at: 10.5, who: "explore", does: upTo(CALLERS, 2) },
  { at: 11, who: "codex", does: upTo(STAGING, 2) },
  { at: 12, who: "codex", does: { run: "terraform apply" } },
  { at: 12, who: "explore", does: upTo(CALLERS, 3) },
  { at: 12.5, who: "explore", does: { end: true } },
  ...LOOP,
  { at: 13, who: "claude", does: upTo(REFUNDS, 1) },
  { at: 14, who: "claude", does: { edit: "test/refunds.test.ts" } },
  { at: 16, who: "claude", does: { run: "npm test -- refunds", exit: 0 } },
  { at: 17, who: "claude", does: upTo(REFUNDS, 2) },
  { at: 18, who: "test-writer", does: { prompt: "Write a test for the race of two refunds" } },
  { at: 18, who: "test-writer", does: upTo(RACE, 0) },
  { at: 20, who: "claude", does: { edit: "migrations/0042_refund_key.sql" } },
  { at: 23, who: "claude", does: { run: "npm run test:migrations", exit: 0 } },
  { at: 24, who: "claude", does: upTo(REFUNDS, 3) },
  { at: 25, who: "test-writer", does: upTo(RACE, 1) },
  { at: 30, who: "codex", does: { answer: 0 } },
  { at: 31, who: "codex", does: upTo(STAGING, 3) },
  { at: 33, who: "gemini", does: { edit: "src/cart/clock.ts" } },
  { at: 35, who: "you", does: { approve: "Keep the old endpoint working." } },
  { at: 36, who: "gemini", does: { run: "npm test", exit: 0 } },
  { at: 37, who: "gemini", does: upTo(CART, 2) },
  { at: 37, who: "opencode", does: { start: 1 } },
  { at: 39, who: "codex", does: { run: "pgbench staging", exit: 0 } },
  {
    at: 40,
    who: "you",
    does: { note: 2, text: "Keep the postcode field as it is: two partners fill it in." },
  },
  { at: 41, who: "codex", does: upTo(STAGING, 4) },
  { at: 41.5, who: "codex", does: { end: true } },
  { at: 42, who: "test-writer", does: upTo(RACE, 2) },
  { at: 44, who: "opencode", does: { finish: 1, evidence: "web/checkout/flag.ts" } },
  { at: 45, who: "opencode", does: { start: 2 } },
  { at: 46, who: "you", does: { add: "Tell the partners before the flag is on" } },
  { at: 47, who: "claude", does: { edit: "src/refunds/store.ts" } },
  { at: 49, who: "claude", does: { run: "npm test -- refunds", exit: 0 } },
  { at: 50, who: "claude", does: upTo(REFUNDS, 4) },
  { at: 52, who: "test-writer", does: { run: "npm test -- race", exit: 0 } },
  { at: 53, who: "test-writer", does: upTo(RACE, 3) },
  { at: 54, who: "test-writer", does: { end: true } },
  { at: 55, who: "gemini", does: { run: "npm test", exit: 0 } },
  { at: 56, who: "gemini", does: upTo(CART, 3) },
  { at: 57, who: "gemini", does: { end: true } },
  { at: 58, who: "claude", does: { run: "npm test", exit: 0 } },
  { at: 59, who: "claude", does: upTo(REFUNDS, 5) },
  { at: 60, who: "opencode", does: { finish: 2 } },
  { at: 61, who: "opencode", does: { start: 3 } },
  { at: 63, who: "claude", does: upTo(REFUNDS, 6) },
  { at: 64, who: "claude", does: { end: true } },
  { at: 64, who: "opencode", does: { end: true } },
];
