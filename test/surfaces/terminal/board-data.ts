import { emptyActivity } from "../../../src/core/activity/activity.ts";
import type { Waiting } from "../../../src/core/activity/waiting.ts";
import { emptyTrack } from "../../../src/core/evolve.ts";
import type { Status, Todo, Track } from "../../../src/core/model.ts";
import { boardOf } from "../../../src/core/views/board.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import { screenLines } from "../../../src/surfaces/terminal/screen.ts";
import {
  type BoardData,
  type BoardState,
  newState,
  rowsOf,
  type Size,
} from "../../../src/surfaces/terminal/state.ts";
import { print } from "../../../src/surfaces/text/draw/spans.ts";

export const NOW = Date.UTC(2026, 10, 15, 14, 32, 0);
const MINUTE = 60_000;

type TodoSpec = readonly [text: string, status: Status, more?: Partial<Todo>];

export function trackOf(
  session: string,
  specs: readonly TodoSpec[],
  more: Partial<Track> = {},
): Track {
  const todos = specs.map(([text, status, fields], place): Todo => {
    const closed = status === "completed" || status === "cancelled";
    return {
      id: `${place + 1}`,
      text,
      status,
      createdAt: NOW - 52 * MINUTE,
      movedBy: "agent",
      ...(status !== "pending" && { startedAt: NOW - 134_000 }),
      ...(closed && { finishedAt: NOW - 12 * MINUTE }),
      ...fields,
    };
  });
  return {
    ...emptyTrack({ session, agent: "main" }),
    version: 1,
    revision: 1,
    todos,
    openedAt: NOW - 52 * MINUTE,
    updatedAt: NOW - MINUTE,
    ...more,
  };
}

const check = (command: string) => ({ check: { command, exitCode: 0, at: NOW - 30 * MINUTE } });

function joined(track: Track, more: Partial<MergedTrack> = {}): MergedTrack {
  return {
    track,
    hosted: false,
    state: "working",
    findings: [],
    updatedAt: NOW - MINUTE,
    ...more,
  };
}

export const PLAN = `# Move checkout

Checkout uses two form libraries. This plan moves
the last two steps to the new kit.

1. Add the new kit beside the old form, behind a flag
2. Move the address step, keep the field names
3. Delete the old form
`;

/** A team with a session in every state. */
export function team(): readonly MergedTrack[] {
  const refunds = trackOf(
    "refunds",
    [
      ["List every caller of refund()", "completed", { phase: "Understand", owner: "explore" }],
      [
        "Reproduce the double refund in a test",
        "completed",
        { phase: "Understand", ...check("npm test -- refunds") },
      ],
      [
        "Add the idempotency_key column",
        "completed",
        { phase: "Database", ...check("npm run migrate:test") },
      ],
      [
        "Add the unique key on (payment_id, idempotency_key)",
        "in_progress",
        {
          phase: "Database",
          activeText: "Adding the unique key on refunds",
          notes: ["Two old refunds share a key. Decide which one wins before the index is built."],
        },
      ],
      ["Backfill keys for refunds before March", "pending", { phase: "Database" }],
      ["Run the migration on staging", "blocked", { phase: "Database", blocker: "waits for T31" }],
      ["Keep a second copy of the keys", "cancelled", { phase: "Database", movedBy: "user" }],
      ["Document the header for clients", "pending", { phase: "Service" }],
    ],
    { title: "Make refunds idempotent", agentType: "claude-code", cwd: "/srv/ledger-api" },
  );
  const activity = {
    ...emptyActivity(),
    turn: "running" as const,
    turnStartedAt: NOW - 9 * MINUTE,
    loopSince: NOW - 9 * MINUTE,
    lastAt: NOW - 370_000,
    open: [{ name: "Bash", label: "terraform apply", startedAt: NOW - 370_000, signature: "s" }],
    recent: [
      {
        name: "Bash",
        label: "npm test -- cart",
        startedAt: NOW - 400_000,
        endedAt: NOW - 390_000,
        ok: false,
        exitCode: 1,
      },
    ],
  };
  return [
    joined(refunds, {
      activity: { ...activity, open: [] },
    }),
    joined(
      trackOf(
        "refunds",
        [
          ["Start two requests at once", "completed", check("npm test")],
          [
            "Write the double-click race",
            "in_progress",
            { activeText: "Writing the double-click race" },
          ],
          ["Repeat it", "pending"],
        ],
        { agent: "a1", parentAgent: "main", agentType: "claude-code" },
      ),
      { name: "test-writer" },
    ),
    joined(
      trackOf(
        "cart",
        [
          ["Find the flaky tests", "completed"],
          ["Fix the clock", "in_progress"],
          ["Run it again", "pending"],
        ],
        {
          title: "Fix the flaky cart tests",
          agentType: "opencode",
          cwd: "/srv/ledger-web",
        },
      ),
      {
        activity,
        state: "looping",
        findings: [
          {
            kind: "generic_repeat",
            level: "critical",
            label: "npm test -- cart",
            count: 21,
            message: "npm test -- cart, 21 times, same result",
          },
        ],
      },
    ),
    joined(
      trackOf(
        "staging",
        [
          ["Read the notes", "completed"],
          ["Apply it", "in_progress"],
        ],
        {
          title: "Upgrade staging to PostgreSQL 18",
          agentType: "gemini",
          cwd: "/srv/infra",
        },
      ),
      {
        state: "stalled",
        activity,
        findings: [
          {
            kind: "stalled",
            level: "warning",
            label: "terraform apply",
            count: 370,
            message: "no output for 6m 10s, in terraform apply",
          },
        ],
      },
    ),
    joined(
      trackOf("checkout", [], {
        title: "Move checkout to the new form kit",
        agentType: "codex",
        cwd: "/srv/ledger-web",
        mode: "plan",
      }),
      {
        hosted: true,
        state: "needs_you",
        waiting: { kind: "plan", text: "3 steps", since: NOW - 3 * MINUTE },
        plan: { id: "p1", text: PLAN, state: "proposed", at: NOW - 3 * MINUTE },
      },
    ),
    joined(
      trackOf(
        "notes",
        [
          ["Collect the changes", "completed"],
          ["Translate them", "pending"],
        ],
        {
          title: "Translate the release notes",
          agentType: "qwen",
          cwd: "/srv/docs-site",
        },
      ),
      {
        state: "idle",
        hosted: true,
        updatedAt: NOW - 11 * MINUTE,
        activity: { ...activity, turn: "completed" },
      },
    ),
    joined(
      trackOf(
        "start",
        [
          ["Rewrite it", "completed", check("npm run docs")],
          ["Read it again", "completed"],
        ],
        {
          title: "Rewrite the quick start",
          agentType: "claude-code",
          cwd: "/srv/docs-site",
        },
      ),
      { state: "finished", updatedAt: NOW - 12 * MINUTE },
    ),
  ];
}

/** Agents with requests: a permission, a question, one of a subagent, and a guess. */
export function waitingTeam(): readonly MergedTrack[] {
  const needs = (
    session: string,
    minutes: number,
    waiting: Omit<Waiting, "since">,
    more: Partial<Track>,
  ): MergedTrack =>
    joined(
      trackOf(
        session,
        [
          ["Read the notes", "completed"],
          ["Apply it", "in_progress"],
        ],
        { openedAt: NOW - (50 - minutes) * MINUTE, ...more },
      ),
      {
        hosted: true,
        state: waiting.kind === "maybe" ? "working" : "needs_you",
        waiting: { ...waiting, since: NOW - minutes * MINUTE },
      },
    );
  const push = { kind: "permission", tool: "Bash", text: "git push origin main" } as const;
  const delegated = { kind: "permission", tool: "Bash", text: "npm publish --dry-run" } as const;
  return [
    needs("push", 3, push, {
      title: "Refund every payment once",
      agentType: "claude-code",
      cwd: "/srv/harbor-api",
    }),
    needs(
      "port",
      8,
      {
        kind: "question",
        tool: "request_user_input",
        text: "Which port should the server use while the old one is still running?",
      },
      { title: "Serve the new API", agentType: "codex", cwd: "/srv/harbor-api" },
    ),
    needs("release", 12, delegated, {
      title: "Prepare the release",
      agentType: "claude-code",
      cwd: "/srv/docs-site",
    }),
    needs("release", 12, delegated, {
      agent: "publisher",
      parentAgent: "main",
      agentType: "claude-code",
      cwd: "/srv/docs-site",
    }),
    needs(
      "perhaps",
      2,
      { kind: "maybe", tool: "run_shell_command", text: "terraform apply" },
      { title: "Upgrade the replica", agentType: "gemini", cwd: "/srv/infra" },
    ),
  ];
}

export function boardData(
  tracks: readonly MergedTrack[],
  more: Partial<BoardData> = {},
): BoardData {
  return {
    board: boardOf(tracks, { now: NOW }),
    now: NOW,
    since: NOW - 72 * MINUTE,
    loading: false,
    frame: 2,
    ...more,
  };
}

/** The track key of a session. */
export function keyOf(data: BoardData, session: string): string {
  const row = rowsOf(data.board).find(({ track }) => track.session === session);
  if (!row) throw new Error(`no row of ${session}`);
  return row.key;
}

const LOOK = { color: false, unicode: true, timeZone: "UTC" };

/** The screen as plain text. */
export function screenText(
  data: BoardData,
  state: Partial<BoardState>,
  size: Size,
  look: Partial<typeof LOOK> = {},
): string {
  const [first] = rowsOf(data.board);
  const whole = { ...newState(false), selected: first?.key, ...state };
  return print(screenLines(data, whole, size, { ...LOOK, ...look }), false);
}
