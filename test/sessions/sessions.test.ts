import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { type Index, loadIndex, saveIndex } from "../../src/sessions/transcripts/index-file.ts";
import { readSessions, type SessionsOptions } from "../../src/sessions/transcripts/sessions.ts";
import { NOT_ON_WINDOWS, needs, ONLY_ON_LINUX } from "../skipped.ts";
import {
  CLAUDE,
  CLAUDE_TASKS,
  CODEX,
  fillHome,
  fixture,
  GEMINI,
  GEMINI_CHILD,
  newUserHome,
  OPENCODE,
  QWEN,
  type UserHome,
  writeOpencode,
} from "./home.ts";

let home: UserHome;
beforeEach(() => {
  home = newUserHome();
});
afterEach(() => home.remove());

async function read(index: Index = new Map(), options?: SessionsOptions) {
  const found = discover(DECODERS, home.machine);
  const snapshot = await readSessions(DECODERS, found, index, options);
  return { ...snapshot, tracks: snapshot.roster.tracks(), found };
}

/** Lists, plans and their agents: what must not depend on how a file was read. */
function summaryOf({ tracks }: Awaited<ReturnType<typeof read>>) {
  return tracks
    .map(({ live }) => ({
      who: `${live.agentType} ${live.session} ${live.agent}`,
      todos: live.track.todos.map(({ check: _, ...todo }) => todo),
      revision: live.track.revision,
      mode: live.track.mode,
      parent: live.track.parentAgent,
      cwd: live.track.cwd,
      plan: live.plan,
      name: live.name,
    }))
    .sort((a, b) => (a.who < b.who ? -1 : 1));
}

/** The checks, by agent and todo. */
function checksOf({ tracks }: Awaited<ReturnType<typeof read>>): readonly string[] {
  return tracks.flatMap(({ live }) =>
    live.track.todos.flatMap(({ id, check }) =>
      check ? `${live.session} ${live.agent} ${id} ${JSON.stringify(check)}` : [],
    ),
  );
}

const shown = ({ tracks }: Awaited<ReturnType<typeof read>>) =>
  Object.fromEntries(
    tracks.map(({ live }) => [
      `${live.agentType} ${live.session} ${live.agent}`,
      live.track.todos.map(({ text, status }) => `${text}: ${status}`),
    ]),
  );

describe("every agent of a home", () => {
  test("is found with its list, subagents and directory", async () => {
    fillHome(home);
    const all = await read();
    expect(shown(all)).toEqual({
      [`claude-code ${CLAUDE} main`]: [
        "Write the parser: completed",
        "Add tests: completed",
        "Update the docs: completed",
      ],
      [`claude-code ${CLAUDE} a4431c4`]: ["Sub step: in_progress"],
      [`claude-code ${CLAUDE} a189b90b0a09a3340`]: ["Sub step: in_progress"],
      [`claude-code ${CLAUDE_TASKS} main`]: ["Fourth: pending"],
      [`codex ${CODEX} main`]: ["Find the slow query: completed", "Add the index: completed"],
      [`codex ${CODEX} 019f2a10-79bb-7d20-9b66-1d2e3f4a5b6c`]: ["Read them: in_progress"],
      [`gemini ${GEMINI} main`]: [
        "Measure the room: completed",
        "Order the wood: cancelled",
        "Build the shelf: blocked",
      ],
      [`gemini ${GEMINI} ${GEMINI_CHILD}`]: ["Part one: completed", "Part two: completed"],
      [`qwen ${QWEN} main`]: [],
      "hermes h1 main": ["Ship it: cancelled"],
    });
    expect(all.unreadable).toEqual([]);
    const gemini = all.tracks.find(({ live }) => live.agentType === "gemini");
    expect(gemini?.live.track.cwd).toBe("/home/dev/shelf");
  });

  test("has the same lists in a scan as in a full read", async () => {
    fillHome(home);
    expect(summaryOf(await read())).toEqual(summaryOf(await read(new Map(), { whole: true })));
  });
});

/** A long session file: the records of the fixture with irrelevant ones in between. */
function longFile(lines: readonly string[], filler: (n: number) => string, spaced: boolean) {
  const wide = (line: string) => (spaced ? JSON.stringify(JSON.parse(line), null, 1) : line);
  const flat = (line: string) => wide(line).replaceAll("\n", " ");
  return `${lines
    .flatMap((line, index) => [
      flat(line),
      ...Array.from({ length: 60 }, (_, n) => flat(filler(index * 60 + n))),
    ])
    .join("\n")}\n`;
}

const LONG = [
  {
    name: "Claude Code, TodoWrite",
    lines: `claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`,
    path: `.claude/projects/-p/${CLAUDE}.jsonl`,
    filler: (n: number) =>
      JSON.stringify({
        type: "assistant",
        sessionId: CLAUDE,
        uuid: `u${n}`,
        timestamp: "2026-11-15T18:20:04.000Z",
        message: {
          id: `m${n}`,
          role: "assistant",
          content: [{ type: "text", text: "x".repeat(2_000) }],
        },
      }),
  },
  {
    name: "Claude Code, Tasks",
    lines: "claude-code/tasks/interactive.jsonl",
    path: `.claude/projects/-p/${CLAUDE}.jsonl`,
    filler: (n: number) => JSON.stringify({ type: "progress", n, text: "y".repeat(2_000) }),
  },
  {
    name: "Codex",
    lines: "codex/rollout/simple.jsonl",
    path: `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
    filler: (n: number) =>
      JSON.stringify({
        timestamp: "2026-11-15T18:34:16.000Z",
        type: "response_item",
        payload: {
          type: "reasoning",
          id: `r${n}`,
          summary: [],
          encrypted_content: "z".repeat(2_000),
        },
      }),
  },
  {
    name: "Gemini",
    lines: "gemini/0.61/chat.jsonl",
    path: ".gemini/tmp/shelf/chats/session-2026-11-15T09-00-5b0f3c1e.jsonl",
    filler: (n: number) =>
      JSON.stringify({ $set: { lastUpdated: `${n}`, note: "w".repeat(2_000) } }),
  },
  {
    name: "Qwen Code",
    lines: "qwen/0.24/transcript.jsonl",
    path: `.qwen/projects/-p/chats/${QWEN}.jsonl`,
    filler: (n: number) =>
      JSON.stringify({
        uuid: `f${n}`,
        sessionId: QWEN,
        type: "assistant",
        timestamp: "2026-11-15T09:00:04.000Z",
        message: { role: "model", parts: [{ text: "v".repeat(2_000) }] },
      }),
  },
];

describe("a file of more than a megabyte", () => {
  test.each(
    LONG.flatMap((each) => [
      { ...each, spaced: false },
      { ...each, spaced: true },
    ]),
  )("$name, spaces after colons: $spaced", async ({ lines, path, filler, spaced }) => {
    const records = fixture(lines).trimEnd().split("\n");
    const text = longFile(records, filler, spaced);
    expect(text.length).toBeGreaterThan(1_000_000);
    home.write(path, text);
    const scanned = await read();
    const whole = await read(new Map(), { whole: true });
    expect(summaryOf(scanned)).toEqual(summaryOf(whole));
    expect(summaryOf(scanned)[0]?.revision).toBeGreaterThan(1);
    // A scan may miss checks, but it must not find others.
    expect(checksOf(whole)).toEqual(expect.arrayContaining([...checksOf(scanned)]));
  });

  test.each([
    ["ends in plan mode", ["default", "plan", "plan", "default", "acceptEdits", "plan"], "plan"],
    ["leaves it", ["plan", "default", "plan", "bypassPermissions", "default"], "work"],
  ])("has the last mode of its skipped middle: %s", async (_, modes, last) => {
    const [claude] = LONG;
    if (!claude) throw new Error("no case");
    const prompts = modes.map((permissionMode, index) =>
      JSON.stringify({
        type: "user",
        sessionId: CLAUDE,
        isSidechain: false,
        uuid: `p${index}`,
        timestamp: `2026-11-15T18:2${index}:00.000Z`,
        permissionMode,
        message: { role: "user", content: "Go on" },
      }),
    );
    const records = fixture(claude.lines).trimEnd().split("\n");
    home.write(claude.path, longFile([...records, ...prompts], claude.filler, false));
    const scanned = await read();
    expect(summaryOf(scanned)).toEqual(summaryOf(await read(new Map(), { whole: true })));
    expect(scanned.tracks[0]?.live.track.mode).toBe(last);
  });

  test("gives the same result when it is read in pieces", async () => {
    const [claude] = LONG;
    if (!claude) throw new Error("no case");
    const records = fixture(claude.lines).trimEnd().split("\n");
    home.write(claude.path, longFile(records, claude.filler, false));
    const index: Index = new Map();
    let turns = 0;
    for (let size = -1; turns < 100; turns++) {
      await read(index, { limit: 200_000 });
      const now = [...index.values()][0]?.size ?? 0;
      if (now === size) break;
      size = now;
    }
    expect(turns).toBeGreaterThan(3);
    expect(summaryOf(await read(index))).toEqual(summaryOf(await read(new Map(), { whole: true })));
  });
});

describe("the index", () => {
  const file = `.claude/projects/-p/${CLAUDE}.jsonl`;
  const source = `claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`;

  test("does not open a file that has not changed", async () => {
    const path = home.copy(source, file);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const index: Index = new Map();
    const first = await read(index);
    // Same size and time, other bytes: opening it would show another session.
    writeFileSync(path, "x".repeat(statSync(path).size));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const again = await read(index);
    expect(summaryOf(again)).toEqual(summaryOf(first));
    expect([first.changed, again.changed]).toEqual([true, false]);
  });

  test("reads only what is new in a file that grew", async () => {
    const lines = fixture(source).trimEnd().split("\n");
    const path = home.write(file, `${lines.slice(0, 6).join("\n")}\n`);
    const index: Index = new Map();
    await read(index);
    appendFileSync(path, `${lines.slice(6).join("\n")}\n`);
    const seen: number[] = [];
    const grown = await read(index, { onEvent: (event) => seen.push(event.timestamp) });
    const whole: number[] = [];
    const fresh = await read(new Map(), { onEvent: (event) => whole.push(event.timestamp) });
    expect(summaryOf(grown)).toEqual(summaryOf(fresh));
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(whole.length);
  });

  test("reads an incomplete last line once it is complete", async () => {
    const lines = fixture(source).trimEnd().split("\n");
    const text = `${lines.join("\n")}\n`;
    const path = home.write(file, "");
    const index: Index = new Map();
    for (let at = 0; at < text.length; at += 997) {
      appendFileSync(path, text.slice(at, at + 997));
      await read(index);
    }
    expect(summaryOf(await read(index))).toEqual(summaryOf(await read()));
  });

  test("reads a file again that was replaced or truncated", async () => {
    const path = home.copy(source, file);
    const index: Index = new Map();
    await read(index);
    rmSync(path);
    home.copy("claude-code/tasks/interactive.jsonl", file);
    expect(summaryOf(await read(index))).toEqual(summaryOf(await read()));
    truncateSync(path, fixture("claude-code/tasks/interactive.jsonl").indexOf("\n") + 1);
    expect(summaryOf(await read(index))).toEqual(summaryOf(await read()));
  });

  test("drops a file that was removed", async () => {
    const path = home.copy(source, file);
    const index: Index = new Map();
    await read(index);
    rmSync(path);
    const after = await read(index);
    expect({ tracks: after.tracks, changed: after.changed, size: index.size }).toEqual({
      tracks: [],
      changed: true,
      size: 0,
    });
  });

  test("is restored from disk, unless it is damaged or has another format", async () => {
    fillHome(home);
    const index: Index = new Map();
    const first = await read(index);
    const path = join(home.path, "kept", "index.json");
    saveIndex(path, index);
    const loaded = loadIndex(path);
    const again = await read(loaded);
    expect(summaryOf(again)).toEqual(summaryOf(first));
    expect(again.changed).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, "utf8");
    const [kind = "", head = "", ...others] = text.split("\n");
    for (const bad of [
      "",
      "{",
      "[]",
      text.slice(0, -20),
      text.replace("waymark index", "waymark index 9"),
      [kind, head.slice(0, -5), ...others].join("\n"),
    ]) {
      writeFileSync(path, bad);
      expect(loadIndex(path).size).toBe(0);
    }
    expect(loadIndex(join(home.path, "nowhere")).size).toBe(0);
  });

  test("reports a folder that cannot be created", needs(ONLY_ON_LINUX), () => {
    expect(() => saveIndex("/proc/none/such/index.json", new Map())).toThrow("ENOENT");
  });

  test("gives the same result when it is saved and loaded between reads", async () => {
    const lines = fixture(source).trimEnd().split("\n");
    const path = home.write(file, "");
    const kept = join(home.path, "index.json");
    for (const line of lines) {
      appendFileSync(path, `${line}\n`);
      const index = loadIndex(kept);
      await read(index);
      saveIndex(kept, index);
    }
    expect(summaryOf(await read(loadIndex(kept)))).toEqual(summaryOf(await read()));
  });
});

describe("documents", () => {
  test("keep the ids and times of todos when their file is rewritten", async () => {
    const file = `.claude/todos/${CLAUDE}-agent-${CLAUDE}.json`;
    const todo = (content: string, status: string) => ({ content, status, activeForm: content });
    home.write(file, JSON.stringify([todo("A", "pending"), todo("B", "pending")]));
    const index: Index = new Map();
    await read(index);
    const path = home.write(file, JSON.stringify([todo("B", "in_progress"), todo("C", "pending")]));
    utimesSync(path, 2_000_000_000, 2_000_000_000);
    const [track] = (await read(index)).tracks;
    expect(track?.live.track.todos.map(({ id, text, status }) => [id, text, status])).toEqual([
      ["2", "B", "in_progress"],
      ["3", "C", "pending"],
    ]);
    // A file that is being written has no list yet.
    writeFileSync(path, '[{"content":');
    expect((await read(index)).tracks[0]?.live.track.todos).toHaveLength(2);
  });

  test("of a folder are one list while files come and go", async () => {
    const folder = `.claude/tasks/${CLAUDE}`;
    const task = (id: number, status: string) =>
      JSON.stringify({
        id: `${id}`,
        subject: `T${id}`,
        description: "",
        status,
        blocks: [],
        blockedBy: [],
      });
    home.write(`${folder}/2.json`, task(2, "pending"));
    home.write(`${folder}/3.json`, task(3, "pending"));
    const index: Index = new Map();
    const texts = async () =>
      (await read(index)).tracks.map(({ live }) => live.track.todos.map(({ text }) => text));
    expect(await texts()).toEqual([["T2", "T3"]]);
    home.write(`${folder}/1.json`, task(1, "completed"));
    expect(await texts()).toEqual([["T1", "T2", "T3"]]);
    rmSync(join(home.path, folder, "2.json"));
    expect(await texts()).toEqual([["T1", "T3"]]);
    expect(index.size).toBe(1);
  });

  test("have the changes of subagents to a shared list", async () => {
    const at = "2026-11-15T10:00:00.000Z";
    const line = (type: string, content: unknown, more: object = {}) =>
      JSON.stringify({
        type,
        sessionId: CLAUDE,
        isSidechain: false,
        userType: "external",
        timestamp: at,
        message: { role: type, content },
        ...more,
      });
    const step = (id: string, name: string, input: object, result: object) =>
      [
        line("assistant", [{ type: "tool_use", id, name, input }]),
        line("user", [{ type: "tool_result", tool_use_id: id, content: "ok" }], {
          toolUseResult: result,
        }),
      ].join("\n");
    const steps = [
      step("a", "TaskCreate", { subject: "Ours" }, { task: { id: "1", subject: "Ours" } }),
      step("b", "TaskCreate", { subject: "Gone" }, { task: { id: "7", subject: "Gone" } }),
    ];
    home.write(`.claude/projects/-p/${CLAUDE}.jsonl`, `${steps.join("\n")}\n`);
    const todos = async () =>
      (await read()).tracks.map(({ live }) =>
        live.track.todos.map(({ id, ref, text, status, blockedBy }) =>
          [id, ref, text, status, ...(blockedBy ?? [])].join(" "),
        ),
      );
    expect(await todos()).toEqual([["1 1 Ours pending", "2 7 Gone pending"]]);
    const task = (id: string, subject: string, status: string, blockedBy: string[] = []) =>
      home.write(
        `.claude/tasks/${CLAUDE}/${id}.json`,
        JSON.stringify({ id, subject, description: "", status, blocks: [], blockedBy }),
      );
    const ours = task("1", "Ours", "completed");
    const theirs = task("2", "Theirs", "pending", ["1", "3"]);
    const more = task("3", "Theirs too", "in_progress");
    const others = ["3 2 Theirs pending 1 4", "4 3 Theirs too in_progress", "2 7 Gone pending"];
    // Files that are older than the transcript do not change its statuses.
    for (const path of [ours, theirs, more]) utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect(await todos()).toEqual([["1 1 Ours pending", ...others]]);
    utimesSync(ours, 2_000_000_000, 2_000_000_000);
    expect(await todos()).toEqual([["1 1 Ours completed", ...others]]);
    // A complete list replaces the shared one.
    home.write(
      `.claude/projects/-p/${CLAUDE}.jsonl`,
      `${steps.join("\n")}\n${step(
        "c",
        "TodoWrite",
        { todos: [] },
        { newTodos: [{ content: "Whole", status: "pending", activeForm: "x" }] },
      )}\n`,
    );
    expect(await todos()).toEqual([["3  Whole pending"]]);
  });

  test("have the time of their file", async () => {
    const path = home.copy("qwen/0.24/todos.json", `.qwen/todos/${QWEN}.json`);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect((await read()).tracks.map(({ updatedAt }) => updatedAt)).toEqual([1_700_000_000_000]);
  });
});

describe("unreadable files", () => {
  test("reports a folder without permission and reads the others", {
    tags: ["special-file"],
  }, async () => {
    fillHome(home);
    const before = (await read()).tracks.length;
    const folder = join(home.path, ".claude/projects/-srv");
    chmodSync(folder, 0o000);
    try {
      const { tracks, unreadable } = await read();
      // Root can read everything.
      if (process.getuid?.() === 0) expect(tracks.length).toBe(before);
      else {
        expect(unreadable).toEqual([{ dialect: "claude-code", path: folder, reason: "EACCES" }]);
        expect(tracks.length).toBe(before - 1);
      }
    } finally {
      chmodSync(folder, 0o755);
    }
  });

  test("opens neither pipes nor symlinks", {
    tags: ["special-file"],
    ...needs(NOT_ON_WINDOWS),
  }, async () => {
    const real = home.copy("codex/rollout/simple.jsonl", "elsewhere.jsonl");
    const folder = ".codex/sessions";
    home.write(`${folder}/keep`, "");
    const name = (n: number) =>
      join(home.path, folder, `rollout-x-019f2a10-77aa-7c10-8a55-0c1d2e3f4a5${n}.jsonl`);
    expect(spawnSync("mkfifo", [name(1)]).status).toBe(0);
    symlinkSync(real, name(2));
    expect((await read()).tracks).toEqual([]);
  });

  test("counts the lines of a garbage file and lists no agent", async () => {
    home.write(`.claude/projects/-p/${CLAUDE}.jsonl`, "not json\n{}\n\u0000\n");
    const index: Index = new Map();
    expect((await read(index)).tracks).toEqual([]);
    const lives = [...index.values()].flatMap(({ lives }) => Object.values(lives));
    expect(lives.map(({ skipped }) => skipped)).toEqual([{ bad_line: 1 }]);
  });
});

describe("databases", () => {
  test("reads opencode's sessions, lists and subagents without changing its files", async () => {
    const path = await writeOpencode(home);
    const before = readFileSync(path);
    const driver = await loadDriver();
    const { tracks, unreadable } = await read(new Map(), { driver });
    expect(
      tracks.map(({ live }) => [
        live.session,
        live.agent === "main" ? "main" : "child",
        live.track.parentAgent,
        live.track.cwd,
        live.track.title,
        live.track.todos.map(({ text, status, rawStatus }) => [text, status, rawStatus]),
      ]),
    ).toEqual([
      [
        OPENCODE,
        "main",
        undefined,
        "/home/ann/shop",
        "Migrate the orders",
        [
          ["Sketch the schema", "completed", undefined],
          ["Write the migration", "in_progress", undefined],
        ],
      ],
      [
        OPENCODE,
        "child",
        "main",
        "/home/ann/shop",
        "Look for old columns",
        [["Grep the models", "in_progress", "doing"]],
      ],
    ]);
    expect(unreadable).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(spawnSync("ls", [join(path, "..")], { encoding: "utf8" }).stdout).toBe("opencode.db\n");
  });

  test("reads another program's WAL without changing it", async () => {
    const path = await writeOpencode(home);
    const driver = await loadDriver();
    const writer = driver.open(path);
    writer.exec("PRAGMA journal_mode = WAL");
    writer.exec("UPDATE todo SET status = 'completed', time_updated = 1795000007000");
    const statuses = async () =>
      (await read(new Map(), { driver })).tracks.map(({ live }) =>
        live.track.todos.map(({ status }) => status),
      );
    const wanted = [["completed", "completed"], ["completed"]];
    expect(await statuses()).toEqual(wanted);
    const log = readFileSync(`${path}-wal`);
    expect(log.length).toBeGreaterThan(0);
    writer.close();
    // As after a crash: a WAL that no program has open.
    writeFileSync(`${path}-wal`, log);
    rmSync(`${path}-shm`, { force: true });
    expect(await statuses()).toEqual(wanted);
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
  });

  test("clears a list that was emptied", async () => {
    const path = await writeOpencode(home);
    const driver = await loadDriver();
    const index: Index = new Map();
    await read(index, { driver });
    const writer = driver.open(path);
    writer.exec(`DELETE FROM todo WHERE session_id = '${OPENCODE}'`);
    writer.close();
    utimesSync(path, 2_000_000_000, 2_000_000_000);
    const main = (await read(index, { driver })).tracks.find(({ live }) => live.agent === "main");
    expect(main?.live.track.todos).toEqual([]);
  });

  test("reports a database that is of another version, damaged or locked, and reads everything else", async () => {
    fillHome(home);
    const path = await writeOpencode(home);
    const driver = await loadDriver();
    const others = (await read()).tracks.length;
    const reasons = async () => {
      const { tracks, unreadable } = await read(new Map(), { driver });
      expect(tracks.length).toBe(others);
      return unreadable.map(({ reason }) => reason);
    };
    const db = driver.open(path);
    db.exec("DROP TABLE todo");
    expect(await reasons()).toEqual(["the database is of another version: it has no table todo"]);
    db.exec("CREATE TABLE todo (session_id)");
    expect(await reasons()).toEqual([
      "the database is of another version: it has no column content",
    ]);
    db.exec("CREATE TABLE other (x); BEGIN EXCLUSIVE; INSERT INTO other VALUES (1)");
    expect(await reasons()).toEqual(["the database is locked by another program"]);
    db.exec("ROLLBACK");
    db.close();
    writeFileSync(path, "no database at all, but long enough to be one".repeat(100));
    expect(await reasons()).toEqual(["the file is damaged or not a database"]);
  });

  test("reads OpenClaw's database, and compressed events if this Node can", async () => {
    const path = home.write(".openclaw/agents/main/agent/openclaw-agent.sqlite", "");
    const driver = await loadDriver();
    const db = driver.open(path);
    db.exec(`CREATE TABLE session_nodes (session_key, current_session_id, label, display_name, spawned_by);
      CREATE TABLE session_windows (session_id, session_key, model, created_at, display_name, spawned_by);
      CREATE TABLE session_progress_cards (session_key, markdown, steps_json, revision, updated_at);
      CREATE TABLE transcript_events (session_id, seq, created_at, event_json, event_zstd, navigation_json);
      INSERT INTO session_nodes VALUES ('k', 'oc1', NULL, 'Garden', NULL);
      INSERT INTO session_windows VALUES ('oc1', 'k', 'm', 1795000000000, NULL, NULL);
      INSERT INTO session_progress_cards VALUES ('k', NULL, '[{"step":"Dig","status":"completed"},{"step":"Plant","status":"pending"}]', 2, 1795000002000);
      INSERT INTO transcript_events VALUES ('oc1', 0, 1795000000000, '{"type":"session","id":"oc1","cwd":"/srv/garden"}', NULL, NULL),
        ('oc1', 1, 1795000001000, '{"type":"message","message":{"role":"user","content":"Plant it"}}', NULL, NULL)`);
    // An answer of the model with 70 and 30 tokens.
    const packed =
      "KLUv/WAOANUFAGJMJiFAa9sG8Fr8+6GbtBuWeKF/adDq7pE2xj6WCtnNYBiGewPPg4gIKgQWKL8Y6zIaa/49mN9OTEFe0WVsQqLJD5Fu2A8X+W7aSney+V09v6zC1A/hOYJZBV56NBZbjoHnwvZBvtf2YsnvvbQ5MevCmDt5N0BEBIKJmIgIAtABoQNAAhPPN6XNq1L/jhqeV9Lv21DmVc9vY+g7AQsAeKBaI0OYoolJ9euANKaRitieMLxYDcKhBl8oMw==";
    const hex = Buffer.from(packed, "base64").toString("hex");
    db.exec(`INSERT INTO transcript_events VALUES ('oc1', 2, 1795000003000, NULL, x'${hex}',
      '{"navigation":{"message":{"role":"assistant"}}}')`);
    db.close();
    const { tracks, roster } = await read(new Map(), { driver });
    expect(shown({ tracks } as Awaited<ReturnType<typeof read>>)).toEqual({
      "openclaw oc1 main": ["Dig: completed", "Plant: pending"],
    });
    const [track] = roster.tracks();
    expect(track?.live).toMatchObject({
      prompt: "Plant it",
      track: { cwd: "/srv/garden", title: "Garden" },
    });
    const canUnpack = "zstdDecompressSync" in zlib;
    expect(track?.live.usage === undefined).toBe(!canUnpack);
    expect(track?.live.skipped).toEqual(canUnpack ? {} : { unknown_record: 1 });
  });

  test("completes the session file of Copilot CLI with its database", async () => {
    const folder = ".copilot/session-state/cp2";
    const event = (type: string, at: number, data: object) =>
      JSON.stringify({ type, data, timestamp: new Date(at).toISOString() });
    const sql = (id: string, at: number, query: string, content: string) => [
      event("tool.execution_start", at, { toolCallId: id, toolName: "sql", arguments: { query } }),
      event("tool.execution_complete", at, { toolCallId: id, success: true, result: { content } }),
    ];
    const now = Date.now();
    const lines = [
      event("session.start", now - 9_000, { sessionId: "cp2", copilotVersion: "1.0.102" }),
      event("user.message", now - 8_000, { content: "Read it" }),
      ...sql(
        "c1",
        now - 7_000,
        "INSERT INTO todos (id, title) VALUES ('a', 'Read'), ('b', 'Write')",
        "2 row(s) inserted. Last inserted row ID: 2.",
      ),
    ];
    const write = () => home.write(`${folder}/events.jsonl`, `${lines.join("\n")}\n`);
    write();
    const path = home.write(`${folder}/session.db`, "");
    const driver = await loadDriver();
    const db = driver.open(path);
    db.exec(
      "CREATE TABLE todos (id TEXT, title, description, status, created_at); CREATE TABLE todo_deps (todo_id, depends_on)",
    );
    db.exec(
      "INSERT INTO todos VALUES ('a', 'Read', '', 'pending', 1), ('b', 'Write', '', 'pending', 1)",
    );
    const index = new Map();
    const list = async () => {
      const { roster } = await read(index, { driver });
      const [track] = roster.tracks();
      return {
        todos: track?.live.track.todos.map(({ text, status }) => `${text}: ${status}`),
        prompt: track?.live.prompt,
        files: track?.units.length,
      };
    };
    const both = { prompt: "Read it", files: 2 };
    expect(await list()).toEqual({ ...both, todos: ["Read: pending", "Write: pending"] });
    // The file does not tell which rows this query changes.
    db.exec(
      "UPDATE todos SET status = 'done' WHERE title LIKE 'R%'; DELETE FROM todos WHERE id = 'b'",
    );
    lines.push(
      ...sql(
        "c2",
        now - 5_000,
        "UPDATE todos SET status = 'done' WHERE title LIKE 'R%'",
        "1 row(s) updated.",
      ),
    );
    write();
    expect(await list()).toEqual({ ...both, todos: ["Read: completed"] });
    db.exec("DELETE FROM todos");
    expect(await list()).toEqual({ ...both, todos: [] });
    db.close();
  });

  test("reads Copilot's database", async () => {
    const path = home.write(".copilot/session-state/cp1/session.db", "");
    const driver = await loadDriver();
    const db = driver.open(path);
    db.exec(
      "CREATE TABLE todos (id, title, description, status, created_at); CREATE TABLE todo_deps (todo_id, depends_on)",
    );
    db.exec(
      "INSERT INTO todos VALUES ('a', 'Read', '', 'done', 1), ('b', 'Write', '', 'pending', 2)",
    );
    db.exec("INSERT INTO todo_deps VALUES ('b', 'a')");
    db.close();
    expect(shown(await read(new Map(), { driver }))).toEqual({
      "copilot cp1 main": ["Read: completed", "Write: pending"],
    });
  });
});
