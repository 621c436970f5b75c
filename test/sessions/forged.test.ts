import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import {
  CLAUDE,
  CLAUDE_TASKS,
  CODEX,
  fillHome,
  fixture,
  newUserHome,
  QWEN,
  type UserHome,
} from "./home.ts";

let home: UserHome;
beforeEach(() => {
  home = newUserHome();
});
afterEach(() => home.remove());

/** Every track with its list and the faults of its files. */
async function read() {
  const { roster } = await readSessions(DECODERS, discover(DECODERS, home.machine), new Map());
  return new Map(
    roster.tracks().map(({ live }) => [
      `${live.agentType} ${live.session} ${live.agent}`,
      {
        texts: live.track.todos.map(({ text }) => text),
        writes: live.activity.counts.writes,
        skipped: live.skipped,
      },
    ]),
  );
}

const OTHER = "00000000-0000-4000-8000-000000000000";
const day = ".codex/sessions/2026/11/15";
const chats = ".gemini/tmp/shelf/chats";

test.each([
  [
    "claude-code",
    "claude-code/tasks/interactive.jsonl",
    `.claude/projects/-srv/${OTHER}.jsonl`,
    OTHER,
    false,
  ],
  [
    "codex",
    "codex/rollout/simple.jsonl",
    `${day}/rollout-2026-11-15T19-00-00-${OTHER}.jsonl`,
    OTHER,
    true,
  ],
  [
    "gemini",
    "gemini/0.61/chat.jsonl",
    `${chats}/session-2026-11-15T10-00-00000000.jsonl`,
    "00000000",
    true,
  ],
  [
    "qwen",
    "qwen/0.24/transcript.jsonl",
    `.qwen/projects/-home-dev-shelf/chats/${OTHER}.jsonl`,
    OTHER,
    false,
  ],
] as const)(
  "a file of %s that claims to be of another session changes only its own",
  { tags: ["forged-session"] },
  async (dialect, recording, path, own, isSaid) => {
    fillHome(home);
    const before = await read();
    // All of its records claim to be of the session that it was copied from.
    home.write(path, fixture(recording));
    const after = await read();
    for (const [who, track] of before) expect([who, after.get(who)]).toEqual([who, track]);
    const added = [...after.keys()].filter((who) => !before.has(who));
    expect(added.filter((who) => !who.startsWith(`${dialect} ${own}`))).toEqual([]);
    expect(added).toContain(`${dialect} ${own} main`);
    // Forked sessions of Claude Code and Qwen keep the ids of copied lines, so ids prove nothing.
    if (isSaid)
      expect(after.get(`${dialect} ${own} main`)?.skipped).toMatchObject({ unknown_record: 1 });
  },
);

test("lines of another session in a file count for the file's session", {
  tags: ["forged-session"],
}, async () => {
  fillHome(home);
  const before = await read();
  const mine = fixture("claude-code/tasks/interactive.jsonl");
  const theirs = fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`);
  const codex = fixture("codex/rollout/simple.jsonl");
  home.write(`.claude/projects/-srv/${CLAUDE_TASKS}.jsonl`, mine + theirs);
  home.write(
    `${day}/rollout-2026-11-15T19-00-00-${OTHER}.jsonl`,
    codex.replaceAll(CODEX, OTHER) + codex,
  );
  home.write(
    `${chats}/session-2026-11-15T10-00-00000000.jsonl`,
    fixture("gemini/0.61/chat.jsonl").replaceAll("5b0f3c1e", "00000000") +
      fixture("gemini/0.61/chat.jsonl"),
  );
  const after = await read();
  const changed = [...before.keys()].filter(
    (who) => JSON.stringify(after.get(who)) !== JSON.stringify(before.get(who)),
  );
  expect(changed).toEqual([`claude-code ${CLAUDE_TASKS} main`]);
});

test("hostile ids in a file (paths, separators, prototype names) affect no other track", {
  tags: ["forged-session"],
}, async () => {
  const names = ["../../x", "..", "", "__proto__", `${CLAUDE}~main`, "a\u0000b", "x".repeat(5_000)];
  for (const [n, name] of names.entries()) {
    const id = `${n}0000000-0000-4000-8000-000000000000`;
    const lines = fixture("qwen/0.24/transcript.jsonl").replaceAll(
      QWEN,
      JSON.stringify(name).slice(1, -1),
    );
    home.write(`.qwen/projects/-p/chats/${id}.jsonl`, lines);
    home.write(
      `.claude/projects/-p/${id}.jsonl`,
      fixture("claude-code/tasks/interactive.jsonl").replaceAll(
        CLAUDE_TASKS,
        JSON.stringify(name).slice(1, -1),
      ),
    );
  }
  const files = discover(DECODERS, home.machine).sources.map(({ path }) =>
    join(basename(dirname(path)), basename(path)),
  );
  expect(files).toHaveLength(2 * names.length);
  for (const who of (await read()).keys())
    expect(who).toMatch(/^(?:qwen|claude-code) \d0000000-0000-4000-8000-000000000000 [\w-]+$/);
});
