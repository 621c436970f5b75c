import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type JoinedTrack, joinTracks } from "../../src/core/joined.ts";
import { emptyLive, foldStream, type Live } from "../../src/core/live.ts";
import type { Op } from "../../src/core/model.ts";
import { SESSION_STATES, type SessionState } from "../../src/core/state.ts";
import type { StreamBody } from "../../src/core/stream.ts";
import { DIALECTS } from "../../src/dialects/index.ts";
import { openReader } from "../../src/dialects/reader.ts";
import { foldSpool } from "../../src/hosts/hook/fold.ts";
import { spoolEvent } from "../../src/hosts/hook/spool.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../src/tracker.ts";

interface Case {
  readonly name: string;
  readonly agent: string;
  readonly source: "hooks" | "transcript" | "observations";
  readonly events: readonly CaseEvent[];
  readonly at: number;
  readonly expect: {
    readonly state: SessionState;
    readonly looping?: "warning" | "critical";
    readonly verified?: Readonly<Record<string, boolean>>;
  };
}

type Fields = Readonly<Record<string, unknown>>;
type CaseEvent = Fields & { readonly after?: number };
type Timed = Fields & { readonly at: number };

const FOLDER = new URL("../fixtures/truth/", import.meta.url);
const START = Date.parse("2026-03-02T09:00:00Z");
const SESSION = "truth";

const CASES: readonly Case[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .flatMap((file) =>
    readFileSync(new URL(file, FOLDER), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line) as Case),
  );

function unrolled(events: readonly CaseEvent[]): readonly CaseEvent[] {
  return events.flatMap((event) => {
    if (typeof event.repeat !== "number") return [event];
    const { repeat, events: inner } = event as { repeat: number; events: CaseEvent[] };
    return Array.from({ length: repeat }, (_, index) =>
      unrolled(
        JSON.parse(
          JSON.stringify(inner)
            .replaceAll("{n}", String(index + 1))
            .replaceAll("{-n}", String(repeat - index - 1)),
        ),
      ),
    ).flat();
  });
}

function timed(events: readonly CaseEvent[]): readonly Timed[] {
  let at = START;
  return unrolled(events).map(({ after = 1, ...event }) => {
    at += after * 1_000;
    return { ...event, at };
  });
}

async function joined({ agent, source, ...each }: Case): Promise<JoinedTrack | undefined> {
  const events = timed(each.events);
  const now = (events.at(-1)?.at ?? START) + each.at * 1_000;
  if (source === "transcript") {
    const live = transcribed(agent, events);
    return live && joinTracks([], [{ live, updatedAt: live.activity.lastAt }], now)[0];
  }
  let clock = START;
  const tracker = trackerOn(memoryStore(), { clock: () => clock });
  if (source === "hooks") await hooked(agent, events, tracker as unknown as Tracker);
  else
    for (const { at, by, ops, ...body } of events) {
      clock = at;
      const list = tracker.list({ session: SESSION, agent: "main" });
      if (by === undefined) list.observe([{ ...(body as StreamBody), at }]);
      else list.submit(ops as Op[], { by: "user" });
    }
  return joinTracks(tracker.tracks(), [], now).find(({ track }) => track.agent === "main");
}

/** Through the spool, as the hooks themselves do. */
async function hooked(agent: string, events: readonly Timed[], tracker: Tracker): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "waymark-truth-"));
  try {
    for (const { hook, input, at } of events) {
      const json = JSON.stringify({ session_id: SESSION, ...(input as object) });
      spoolEvent(home, { session: SESSION, agent, event: String(hook) }, json);
      const spool = join(home, "spool");
      for (const name of readdirSync(spool)) utimesSync(join(spool, name), at / 1_000, at / 1_000);
      await foldSpool(home, tracker, {
        problem: (who, what) => {
          throw new Error(`${who}: ${what}`);
        },
      });
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function transcribed(agent: string, events: readonly Timed[]): Live | undefined {
  const dialect = DIALECTS.find(({ id }) => id === agent);
  if (!dialect) throw new Error(`no dialect ${agent}`);
  const reader = openReader(dialect, { kind: "file", session: SESSION }, { now: () => START });
  let live: Live | undefined;
  for (const [index, { record, at }] of events.entries()) {
    const timestamp = new Date(at).toISOString();
    const line = JSON.stringify({ timestamp, sessionId: SESSION, ...(record as object) });
    for (const event of reader.line(line, index + 1)) {
      live ??= emptyLive(event);
      foldStream(live, event);
    }
  }
  return live;
}

function wrongOf(each: Case, found: JoinedTrack | undefined): readonly string[] {
  if (!found) return ["no track"];
  const { state, looping, verified = {} } = each.expect;
  const loop = found.findings.find(({ kind }) => kind !== "stalled");
  const seen = found.state;
  return [
    ...(seen === state ? [] : [`is ${seen}, not ${state}`]),
    ...(looping === undefined || loop?.level === looping ? [] : [`loop: ${loop?.level}`]),
    ...Object.entries(verified).flatMap(([text, proven]) => {
      const todo = found.track.todos.find((known) => known.text === text);
      if (!todo) return [`no todo ${text}`];
      return (todo.check !== undefined) === proven ? [] : [`${text}: verified is ${!proven}`];
    }),
  ];
}

test("every labelled session reads as it is labelled", async () => {
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  const matrix = new Map(SESSION_STATES.map((state) => [state, new Map<SessionState, number>()]));
  const wrong: string[] = [];
  for (const each of CASES) {
    const found = await joined(each);
    const problems = wrongOf(each, found);
    if (problems.length > 0) wrong.push(`${each.name}: ${problems.join("; ")}`);
    const row = matrix.get(each.expect.state);
    if (found) row?.set(found.state, (row.get(found.state) ?? 0) + 1);
  }
  const shown = SESSION_STATES.map((state) => [
    state,
    Object.fromEntries(SESSION_STATES.map((seen) => [seen, matrix.get(state)?.get(seen) ?? 0])),
  ]);
  console.table(Object.fromEntries(shown));
  expect(wrong).toEqual([]);
}, 60_000);
