import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentAction, RecordedTodo } from "../../src/demo/recording.ts";
import { codexTranscript, geminiTranscript } from "../../src/demo/transcripts.ts";
import { claudeSession } from "../cli/claude-session.ts";

const MINUTE = 60_000;
const MODEL = "claude-opus-4-5";
/** $0.20 at $5 and $25 per million tokens. */
const TOKENS = { input_tokens: 20_000, output_tokens: 4_000 };
const CENTS = 20;

/** A question to the user, or a message with token counts, besides the actions of the demo. */
type Action = AgentAction | { readonly ask: string } | { readonly spend: true };
/** At which minute of the hour. */
type Step = readonly [minute: number, action: Action];
/** From a minute, until another one. */
type Span = readonly [from: number, until: number];

interface Agent {
  readonly title: string;
  readonly program: "claude" | "codex" | "gemini";
  readonly steps: readonly Step[];
  readonly needsYou?: Span;
  readonly stuck?: Span;
  /** From which minute on its work is finished, and whether a check passed after its last edit. */
  readonly finished?: { readonly at: number; readonly proven: boolean };
}

/** One short command per minute. */
const busy = (from: number, until: number): Step[] =>
  Array.from({ length: until - from }, (_, index) => [
    from + index,
    { run: `sed -n ${from + index}p src/work.ts`, exit: 0 },
  ]);

const upTo = (texts: readonly string[], done: number): { readonly list: RecordedTodo[] } => ({
  list: texts.map(
    (text, index): RecordedTodo => [
      text,
      index < done ? "completed" : index === done ? "in_progress" : "pending",
    ],
  ),
});

const REFUNDS = [
  "List the callers",
  "Add the unique key",
  "Return the first result",
  "Document it",
];
const GUIDE = ["Read the old guide", "Rewrite the first page"];
const CART = ["Find the flaky tests", "Pass the clock in", "Remove the sleeps"];
const STAGING = ["Take a snapshot", "Apply the plan", "Run the slow queries"];
const PARSER = ["Reproduce the crash", "Fix the parser"];
const METRICS = ["Name the counters", "Publish them"];
const IMPORT = ["Read the file", "Write the rows", "Report the rejected rows"];
const EXPORT = ["Choose the columns", "Stream the file"];

/** Eight agents for an hour. */
export const AGENTS: readonly Agent[] = [
  {
    title: "Make refunds idempotent",
    program: "claude",
    needsYou: [12, 17],
    steps: [
      [0, { prompt: "Make refunds idempotent" }],
      [0, upTo(REFUNDS, 0)],
      ...busy(1, 12),
      [10, upTo(REFUNDS, 1)],
      [11, { spend: true }],
      [12, { ask: "Which of two refunds with one key wins?" }],
      [17, { answer: 0 }],
      ...busy(18, 61),
      [40, { spend: true }],
    ],
  },
  {
    title: "Rewrite the guide",
    program: "codex",
    finished: { at: 20, proven: false },
    steps: [
      [1, { prompt: "Rewrite the guide" }],
      [1, upTo(GUIDE, 0)],
      ...busy(2, 19),
      [19, { edit: "guide.md" }],
      [20, upTo(GUIDE, 2)],
      [20, { end: true }],
    ],
  },
  {
    title: "Fix the flaky cart tests",
    program: "gemini",
    stuck: [30, 38],
    finished: { at: 45, proven: true },
    steps: [
      [2, { prompt: "Fix the flaky cart tests" }],
      [2, upTo(CART, 0)],
      ...busy(3, 25),
      [25, upTo(CART, 1)],
      ...Array.from(
        { length: 26 },
        (_, n): Step => [25.5 + n / 2, { run: "npm test -- cart", exit: 1 }],
      ),
      ...busy(39, 43),
      [43, { edit: "/srv/cart/src/clock.ts" }],
      [44, { run: "npm test -- cart", exit: 0 }],
      [45, upTo(CART, 3)],
      [45, { end: true }],
    ],
  },
  {
    title: "Upgrade staging",
    program: "codex",
    stuck: [36, 46],
    steps: [
      [3, { prompt: "Upgrade staging" }],
      [3, upTo(STAGING, 0)],
      ...busy(4, 30),
      [29, upTo(STAGING, 1)],
      [30, { run: "terraform apply staging.tfplan" }],
      [46, { answer: 0 }],
      ...busy(47, 61),
    ],
  },
  {
    title: "Fix the parser",
    program: "claude",
    finished: { at: 15, proven: true },
    steps: [
      [4, { prompt: "Fix the parser" }],
      [4, upTo(PARSER, 0)],
      ...busy(5, 12),
      [12, { edit: "/srv/parser/src/parser.ts" }],
      [13, { run: "npm test", exit: 0 }],
      [14, { spend: true }],
      [15, upTo(PARSER, 2)],
      [15, { end: true }],
    ],
  },
  {
    title: "Publish the metrics",
    program: "claude",
    needsYou: [33, 61],
    steps: [
      [5, { prompt: "Publish the metrics" }],
      [5, upTo(METRICS, 0)],
      ...busy(6, 33),
      [32, { spend: true }],
      [33, { ask: "Publish under which name?" }],
    ],
  },
  {
    title: "Import the ledger",
    program: "claude",
    steps: [
      [6, { prompt: "Import the ledger" }],
      [6, upTo(IMPORT, 0)],
      ...busy(7, 61),
      [26, upTo(IMPORT, 1)],
      [27, { spend: true }],
    ],
  },
  {
    title: "Export the orders",
    program: "gemini",
    finished: { at: 50, proven: false },
    steps: [
      [7, { prompt: "Export the orders" }],
      [7, upTo(EXPORT, 0)],
      ...busy(8, 48),
      [48, { edit: "/srv/orders/src/stream.ts" }],
      [50, upTo(EXPORT, 2)],
      [50, { end: true }],
    ],
  },
];

/** The answers to the questions that a user has at any minute. */
export interface Answers {
  readonly needYou: readonly string[];
  readonly stuck: readonly string[];
  readonly unproven: readonly string[];
  /** The cost of all sessions so far, in dollars. */
  readonly cost: string;
}

export function answersAt(minute: number): Answers {
  const during = (span: Span | undefined) =>
    span !== undefined && minute >= span[0] && minute < span[1];
  const titles = (agents: readonly Agent[]) => agents.map(({ title }) => title);
  const spent = AGENTS.flatMap(({ steps }) => steps).filter(
    ([at, action]) => at <= minute && "spend" in action,
  ).length;
  return {
    needYou: titles(AGENTS.filter(({ needsYou }) => during(needsYou))),
    stuck: titles(AGENTS.filter(({ stuck }) => during(stuck))),
    unproven: titles(
      AGENTS.filter(({ finished }) => finished && !finished.proven && minute >= finished.at),
    ),
    cost: `$${((spent * CENTS) / 100).toFixed(2)}`,
  };
}

/** Writes the session files of all agents to a home directory, as they are at this minute of the hour. */
export function writeHour(home: string, minute: number, now: number): void {
  // The last action of a minute was a moment ago.
  const timeOf = (at: number) => now - 15_000 - (minute - at) * MINUTE;
  const projects: Record<string, string> = {};
  for (const [index, { title, program, steps }] of AGENTS.entries()) {
    const past = steps.filter(([at]) => at <= minute).sort(([a], [b]) => a - b);
    if (past.length === 0) continue;
    const project = title.split(" ").at(-1) ?? "";
    const cwd = `/srv/${project}`;
    projects[cwd] = project;
    const session = `8a9e0000-0000-4000-8000-00000000000${index}`;
    const { file, text } =
      program === "claude"
        ? claudeFile(session, cwd, past, timeOf)
        : recordedFile(program, session, cwd, past, timeOf);
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  mkdirSync(join(home, ".gemini"), { recursive: true });
  writeFileSync(join(home, ".gemini", "projects.json"), JSON.stringify({ projects }));
}

type TimeOf = (minute: number) => number;

function recordedFile(
  program: "codex" | "gemini",
  session: string,
  cwd: string,
  steps: readonly Step[],
  timeOf: TimeOf,
) {
  const create = program === "codex" ? codexTranscript : geminiTranscript;
  const writer = create(session.replace("8a9e0000", `8a9e000${session.at(-1)}`), cwd, timeOf(0));
  const records = steps.flatMap(([minute, action]) =>
    "ask" in action || "spend" in action ? [] : writer.records(action, timeOf(minute)),
  );
  return { file: writer.file, text: records.map((each) => `${JSON.stringify(each)}\n`).join("") };
}

function claudeFile(session: string, cwd: string, steps: readonly Step[], timeOf: TimeOf) {
  const claude = claudeSession(session, cwd);
  for (const [place, [minute, action]] of steps.entries()) {
    const at = timeOf(minute);
    if ("prompt" in action) claude.prompt(action.prompt, at);
    else if ("list" in action) claude.todos(action.list, at);
    else if ("edit" in action)
      claude.call("Edit", { file_path: action.edit, old_string: "a", new_string: "b" }, at, "ok");
    else if ("run" in action) claude.call("Bash", { command: action.run }, at, "ok");
    else if ("ask" in action) {
      const isAnswered = steps.slice(place).some(([, next]) => "answer" in next);
      const input = { questions: [{ question: action.ask, options: [] }] };
      claude.call("AskUserQuestion", input, at, isAnswered ? "The first one." : undefined);
    } else if ("spend" in action) claude.used(MODEL, TOKENS, at);
    else if ("end" in action) claude.end(at);
  }
  return {
    file: `.claude/projects/${cwd.replaceAll("/", "-")}/${session}.jsonl`,
    text: claude.text(),
  };
}
