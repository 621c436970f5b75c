import type { Report, ReportCommit } from "../../../src/core/views/report/model.ts";
import { reportOf } from "../../../src/core/views/report/report.ts";
import { ago, check, done, NOW, reported, running, WINDOW } from "../../core/report/tracks.ts";
import { todo } from "../../core/track-of.ts";

const MINUTE = 60_000;

/** A failed night with one session of each outcome. `text` replaces every external text. */
export function night(text: (plain: string) => string = (plain) => plain): Report {
  const named = (id: string, words: string) => ({ text: text(words), id });
  const usage = (todoId: string, input: number, model = "m") => ({
    parts: [
      {
        at: ago(4),
        todo: todoId,
        model: text(model),
        usage: { input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, requests: 1 },
      },
    ],
    texts: {},
    focus: [],
  });
  const cwd = text("/srv/harbor-api");
  const tracks = [
    reported(
      [
        { ...done("1", ago(6), text("npm test")), ...named("1", "Write the cache") },
        { ...done("2", ago(5.4), text("npm test")), ...named("2", "Test eviction") },
      ],
      {
        session: text("rates"),
        title: text("Cache the exchange rates"),
        usage: usage("1", 2_740_000),
        activeAt: ago(5.3),
      },
    ),
    reported([{ ...done("1", ago(5)), ...named("1", "Draft the quick start") }], {
      session: text("docs"),
      title: text("Rewrite the quick start"),
      activity: { turn: "completed", edits: { count: 1, at: ago(5.2) }, lastAt: ago(5) },
      activeAt: ago(5),
    }),
    reported(
      [
        { ...running("1", ago(4.5)), ...named("1", "Fix the build of src/tax") },
        { ...todo("2"), ...named("2", "Tag the release") },
      ],
      {
        session: text("release"),
        title: text("Cut release 4.2"),
        calls: [
          check(text("npm run build"), ago(4.2), false),
          check(text("npm run build"), ago(4), false),
        ],
        usage: usage("1", 1_366_000),
        activeAt: ago(4),
      },
    ),
    reported([{ ...running("1", ago(3)), ...named("1", "Port the ranking tests") }], {
      session: text("search"),
      title: text("Upgrade the search client"),
      state: "looping",
      findings: [
        {
          kind: "generic_repeat",
          level: "critical",
          label: text("npm test -- search"),
          count: 21,
          message: text("loop"),
        },
      ],
      activity: { turn: "running", lastAt: ago(0.1) },
      calls: [check(text("npm test -- search"), ago(2.8), false)],
      activeAt: ago(0.1),
      usage: usage("1", 400_000, "local-model"),
    }),
    reported([{ ...running("1", ago(2)), ...named("1", "Push the branch") }], {
      session: text("guests"),
      title: text("Let guests pay without an account"),
      state: "needs_you",
      waiting: { kind: "permission", text: text("git push origin main"), since: ago(1) },
    }),
    reported(
      [
        { ...running("1", ago(1)), ...named("1", "Backfill keys") },
        {
          ...todo("2", {
            status: "blocked",
            createdAt: ago(1),
            blocker: text("no staging database"),
          }),
          ...named("2", "Fire 200 equal requests"),
        },
      ],
      {
        session: text("refunds"),
        title: text("Make refunds idempotent"),
        plan: {
          id: text("p1"),
          text: text("1. Add a column"),
          state: "approved",
          at: ago(2),
          decidedAt: ago(1.5),
        },
      },
    ),
  ];
  for (const { merged } of tracks) Object.assign(merged.track, { cwd });
  const commits: readonly ReportCommit[] = [
    {
      hash: "e07b6aa1",
      at: ago(6) - MINUTE,
      subject: text("rates: evict entries older than a day"),
      files: [text("src/rates.ts")],
      root: cwd,
      directories: [cwd],
    },
    {
      hash: "b8842f10",
      at: ago(7.5),
      subject: text("release: bump version to 4.2.0"),
      files: [],
      root: cwd,
      directories: [cwd],
    },
  ];
  return reportOf({
    tracks,
    window: WINDOW,
    now: NOW,
    commits,
    unreadLogs: [text("/srv/old")],
    prices: { find: (model) => (model === text("m") ? { input: 3, output: 15 } : undefined) },
    timeZone: "UTC",
  });
}
