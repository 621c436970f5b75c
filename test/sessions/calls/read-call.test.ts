import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { DECODERS } from "../../../src/agents/index.ts";
import { type Driver, loadDriver } from "../../../src/engines/sqlite/driver.ts";
import { readCall } from "../../../src/sessions/calls/read-call.ts";
import type { ExternalTrack } from "../../../src/sessions/transcripts/catalog.ts";
import { discover } from "../../../src/sessions/transcripts/discover.ts";
import { readInFull } from "../../../src/sessions/transcripts/machine.ts";
import { readSessions } from "../../../src/sessions/transcripts/sessions.ts";
import { claudeSession } from "../../cli/claude-session.ts";
import { fillHome, newUserHome, OPENCODE, type UserHome, writeOpencode } from "../home.ts";

const T = Date.parse("2026-11-15T09:00:00Z");
let home: UserHome | undefined;
afterEach(() => {
  home?.remove();
  home = undefined;
});

async function tracksOf(user: UserHome): Promise<readonly ExternalTrack[]> {
  const driver = await loadDriver();
  const found = discover(DECODERS, user.machine);
  const { roster } = await readSessions(DECODERS, found, new Map(), { driver });
  return roster.tracks();
}

/** A session of Claude Code in a file of its own. */
function claude(text: string): { readonly user: UserHome; readonly path: string } {
  home = newUserHome();
  const path = home.write(".claude/projects/-srv/s1.jsonl", text);
  return { user: home, path };
}

/** A command of opencode. */
function addPart(driver: Driver, path: string): void {
  const data = {
    type: "tool",
    tool: "bash",
    callID: "call_test",
    state: {
      status: "completed",
      input: { command: "npm test" },
      output: "x".repeat(5_000),
      metadata: { exit: 0 },
      time: { start: 1795000003000, end: 1795000004000 },
    },
  };
  const db = driver.open(path);
  db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)").run(
    "prt_test",
    "msg_test",
    OPENCODE,
    1795000003000,
    1795000004000,
    JSON.stringify(data),
  );
  db.close();
}

async function only(user: UserHome): Promise<ExternalTrack> {
  const [track, ...others] = await tracksOf(user);
  expect(others).toEqual([]);
  if (!track) throw new Error("no session was found");
  return track;
}

describe("a call of an agent's file", () => {
  test("is found for every agent, as the full reading of the file has it", async () => {
    home = newUserHome();
    fillHome(home);
    const driver = await loadDriver();
    addPart(driver, await writeOpencode(home));
    const shown: Record<string, number> = {};
    for (const track of await tracksOf(home)) {
      const { calls } = readInFull(track, driver).timeline;
      for (const { callId, at, endedAt, label } of calls) {
        if (callId === undefined) continue;
        const call = await readCall(track, { callId, at }, { driver });
        const of = `${track.live.agentType} ${callId} ${label}`;
        expect({ of, startedAt: call?.startedAt, endedAt: call?.endedAt }).toEqual({
          of,
          startedAt: at,
          endedAt,
        });
        if (call?.output) shown[track.live.agentType] = (shown[track.live.agentType] ?? 0) + 1;
      }
    }
    expect(Object.keys(shown).sort()).toEqual([
      "claude-code",
      "codex",
      "gemini",
      "hermes",
      "opencode",
      "qwen",
    ]);
  });

  test("has the whole output, of which decoders keep an excerpt", async () => {
    const output = Array.from({ length: 4_000 }, (_, index) => `line ${index}`).join("\n");
    const session = claudeSession("s1", "/srv").prompt("Go", T);
    session.call("Bash", { command: "npm test" }, T + 1_000, output);
    session.call("Bash", { command: "sleep 60" }, T + 2_000);
    session.call("Read", { file_path: "/srv/a.ts" }, T + 3_000, "");
    const track = await only(claude(session.text()).user);
    expect(await readCall(track, { callId: "toolu_1" })).toEqual({
      callId: "toolu_1",
      name: "Bash",
      input: "npm test",
      isCommand: true,
      startedAt: T + 1_000,
      endedAt: T + 1_000,
      ok: true,
      exitCode: 0,
      output: { head: output },
    });
    expect(await readCall(track, { callId: "toolu_2" })).toMatchObject({
      input: "sleep 60",
      noOutput: "running",
    });
    expect(await readCall(track, { callId: "toolu_3" })).toMatchObject({
      input: '{\n  "file_path": "/srv/a.ts"\n}',
      isCommand: false,
      noOutput: "empty",
    });
    expect(await readCall(track, { callId: "toolu_4" })).toBeUndefined();
  });

  test("is selected by its start if the model reuses ids", async () => {
    const one = claudeSession("s1", "/srv").prompt("Go", T);
    one.call("Bash", { command: "first" }, T + 1_000, "one");
    const two = claudeSession("s1", "/srv").call("Bash", { command: "second" }, T + 9_000, "two");
    const track = await only(claude(one.text() + two.text()).user);
    const callId = "toolu_1";
    expect(await readCall(track, { callId })).toMatchObject({ input: "second" });
    const first = await readCall(track, { callId, at: T + 1_000 });
    expect(first).toMatchObject({ input: "first", output: { head: "one" } });
  });

  test("keeps both ends of an output of 100 MB, in little memory", async () => {
    const session = claudeSession("s1", "/srv").prompt("Go", T);
    session.call("Bash", { command: "yes" }, T + 1_000, "first line\nMIDDLE\nlast line");
    session.end(T + 2_000);
    const { user, path } = claude("");
    const [before = "", after = ""] = session.text().split("MIDDLE");
    const file = openSync(path, "a");
    writeSync(file, before);
    const chunk = `${'\\"quoted\\" \\\\ \\u00e9 \u00e9 \u{1f600}\\n'.repeat(25_000)}`;
    let size = 0;
    while (size < 100 * 1024 * 1024) size += writeSync(file, chunk);
    writeSync(file, after);
    closeSync(file);
    const track = await only(user);
    const memory = process.memoryUsage().rss;
    const call = await readCall(track, { callId: "toolu_1" });
    expect(process.memoryUsage().rss - memory).toBeLessThan(300 * 1024 * 1024);
    const { head = "", tail = "", omitted = 0 } = call?.output ?? {};
    expect(head.startsWith('first line\n"quoted" \\ é é 😀\n')).toBe(true);
    expect(tail.endsWith('"quoted" \\ é é 😀\n\nlast line')).toBe(true);
    expect(head.length + tail.length).toBeLessThan(2 * 1024 * 1024);
    expect(omitted).toBeGreaterThan(90 * 1024 * 1024);
    expect(head + tail).not.toMatch(/\ufffd|\u241f/);
    const whole = await readCall(track, { callId: "toolu_1" }, { isWhole: true });
    expect(whole?.output?.head.length).toBeGreaterThan(head.length);
  });

  test("is found in the last line, which the agent may still be writing", async () => {
    const session = claudeSession("s1", "/srv").prompt("Go", T);
    session.call("Bash", { command: "npm test" }, T + 1_000, "Exit code 1\nFAIL");
    const { user, path } = claude(session.text().trimEnd());
    const track = await only(user);
    const call = () => readCall(track, { callId: "toolu_1" });
    expect(await call()).toMatchObject({ output: { head: "Exit code 1\nFAIL" } });
    appendFileSync(path, '\n{"half":');
    expect(await call()).toMatchObject({ output: { head: "Exit code 1\nFAIL" } });
  });

  test("has no passwords in its command and its output", async () => {
    const url = "postgres://ann:hunter2@db.test/shop";
    const session = claudeSession("s1", "/srv").prompt("Go", T);
    session.call("Bash", { command: `psql ${url}` }, T + 1_000, `connecting to ${url}\nok`);
    const call = await readCall(await only(claude(session.text()).user), { callId: "toolu_1" });
    expect(call?.input).toBe("psql postgres://ann:...@db.test/shop");
    expect(call?.output?.head).toBe("connecting to postgres://ann:...@db.test/shop\nok");
  });
});
