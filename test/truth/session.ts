import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openReader, type Reader } from "../../src/agents/common/reader.ts";
import { findHookAgent } from "../../src/agents/hooks.ts";
import { findDecoder } from "../../src/agents/index.ts";
import type { SessionState } from "../../src/core/activity/session-state.ts";
import type { WaitingKind } from "../../src/core/activity/waiting.ts";
import type { Op } from "../../src/core/model.ts";
import type { StreamBody } from "../../src/core/stream/events.ts";
import { emptyLiveTrack, foldStream, type LiveTrack } from "../../src/core/stream/fold.ts";
import { MAIN_AGENT } from "../../src/core/text/ids.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { spoolEvent } from "../../src/home/spool.ts";
import { createTracker } from "../../src/index.ts";
import { ingestSpool } from "../../src/servers/hooks/ingest.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import type { Tracker } from "../../src/tracker.ts";
import { sdkLoop } from "./sdk.ts";

/** A labeled session; `test/fixtures/truth/README.md` describes the fields. */
export interface Case {
  readonly name: string;
  readonly agent: string;
  readonly source: "hooks" | "transcript" | "observations" | "sdk";
  readonly events: readonly CaseEvent[];
  readonly at: number;
  readonly expect: {
    readonly state: SessionState;
    readonly waiting?: { readonly kind: WaitingKind; readonly text?: string };
    readonly looping?: "warning" | "critical";
    readonly verified?: Readonly<Record<string, boolean>>;
  };
}

type Fields = Readonly<Record<string, unknown>>;
type CaseEvent = Fields & { readonly after?: number };
type Timed = Fields & { readonly at: number };

const FIXTURES = new URL("../fixtures/", import.meta.url);
const START = Date.parse("2026-03-02T09:00:00Z");
const SESSION = "truth";

/** All sessions of the directory. */
export function readCases(): readonly Case[] {
  const folder = new URL("truth/", FIXTURES);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => linesOf(new URL(file, folder)) as readonly Case[]);
}

function linesOf(file: URL): readonly unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}

function unrolled(events: readonly CaseEvent[]): readonly CaseEvent[] {
  return events.flatMap((event) => {
    if (typeof event.recording === "string") return recorded(event.recording);
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

/** Hook payloads or the records of a session file, moved to the session and the time of the case. */
function recorded(file: string): readonly CaseEvent[] {
  return (linesOf(new URL(file, FIXTURES)) as Fields[]).map((line) => {
    if (line.event === undefined) {
      const { timestamp: _, ...record } = line;
      return { record };
    }
    return { hook: line.event, input: line.payload };
  });
}

function timed(events: readonly CaseEvent[]): readonly Timed[] {
  let at = START;
  return unrolled(events).map(({ after = 1, ...event }) => {
    at += after * 1_000;
    return { ...event, at };
  });
}

/** The main agent of the session as `ls`, board and page show it at the time of the case. */
export async function readSession(given: Case): Promise<MergedTrack | undefined> {
  const { agent, source } = given;
  const events = timed(given.events);
  const now = (events.at(-1)?.at ?? START) + given.at * 1_000;
  let clock = START;
  const tracker = createTracker({ clock: () => clock, session: SESSION, agent: MAIN_AGENT });
  const lives = new Map<string, LiveTrack>();
  const home = mkdtempSync(join(tmpdir(), "waymark-truth-"));
  try {
    const hook = hookReader(agent, home, tracker as unknown as Tracker);
    const transcript = transcriptReader(agent, lives);
    const loop = source === "sdk" ? sdkLoop(agent, tracker) : undefined;
    for (const { at, ...event } of events) {
      clock = at;
      if ("hook" in event) hook.spool(event, at);
      else if ("record" in event) transcript(event, at);
      else if (loop && "message" in event) await loop(event.message as object);
      else if ("ops" in event)
        tracker.own.submit(event.ops as Op[], event.by === "user" ? { by: "user" } : {});
      else if (typeof event.type === "string")
        tracker.own.observe([{ ...(event as unknown as StreamBody), at }]);
      else throw new Error(`no event: ${JSON.stringify(event)}`);
    }
    await hook.fold();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const foreign = [...lives.values()].map((live) => ({ live, updatedAt: live.activity.lastAt }));
  const all = mergeTracks(tracker.tracks(), foreign, now);
  return all.find(({ track }) => track.session === SESSION && track.parentAgent === undefined);
}

/** Through the spool, like the hooks; the next reader ingests pending events. */
function hookReader(name: string, home: string, tracker: Tracker) {
  const dir = join(home, "spool");
  let known = new Set<string>();
  const spool = ({ hook, input }: Fields, at: number): void => {
    const agent = findHookAgent(name);
    const event = String(hook);
    const payload = moved({ session_id: SESSION, ...(input as object) });
    const isNative = agent !== undefined && !Object.hasOwn(agent.events, event);
    const common = isNative ? agent.normalize?.(event, payload) : { event, input: payload };
    if (!common) throw new Error(`${name} has no event ${event}`);
    const json = JSON.stringify({ ...common.input, session_id: SESSION });
    spoolEvent(home, { session: SESSION, agent: name, event: common.event }, json);
    const files = readdirSync(dir);
    for (const file of files)
      if (!known.has(file)) utimesSync(join(dir, file), at / 1_000, at / 1_000);
    known = new Set(files);
  };
  const problem = (who: string, what: unknown) => {
    throw new Error(`${who}: ${what}`);
  };
  return { spool, fold: () => ingestSpool(home, tracker, { onProblem: problem }) };
}

/** Replaces the session id of a recording. */
function moved(payload: Fields): Fields {
  const { session_id: given } = payload;
  return { ...payload, session_id: given === "waits" ? SESSION : given };
}

/** One reader per session file: a record with `file` is in the file of that subagent. */
function transcriptReader(agent: string, lives: Map<string, LiveTrack>) {
  const dialect = findDecoder(findHookAgent(agent)?.agentType ?? agent);
  const readers = new Map<string, { readonly reader: Reader; lines: number }>();
  const open = (file: string) => {
    if (!dialect) throw new Error(`no dialect ${agent}`);
    // opencode has a database; its stream has the same parts.
    const kind = dialect.id === "opencode" ? "stream" : "file";
    const source = {
      kind,
      session: SESSION,
      ...(file !== "" && { agent: file, parent: MAIN_AGENT }),
    } as const;
    const opened = { reader: openReader(dialect, source, { now: () => START }), lines: 0 };
    readers.set(file, opened);
    return opened;
  };
  return ({ record, file }: Fields, at: number): void => {
    const name = String(file ?? "");
    const opened = readers.get(name) ?? open(name);
    const timestamp = dialect?.id === "opencode" ? at : new Date(at).toISOString();
    // In a chat of Gemini CLI only the header names the session.
    const of = dialect?.id === "gemini" ? {} : { sessionId: SESSION };
    const given = { timestamp, ...of, ...(record as object) };
    const line = JSON.stringify(given).replaceAll('"waits"', JSON.stringify(SESSION));
    for (const event of opened.reader.line(line, ++opened.lines)) {
      const key = JSON.stringify([event.sessionId, event.agentId]);
      const live = lives.get(key) ?? emptyLiveTrack(event);
      lives.set(key, live);
      foldStream(live, event);
    }
  };
}
