import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { sessionUsage } from "../../src/core/activity/session-usage.ts";
import { addUsage, NO_USAGE, type Usage } from "../../src/core/activity/usage.ts";
import { discover, thisMachine } from "../../src/sessions/transcripts/discover.ts";
import { readSessionFile } from "../../src/sessions/transcripts/read-file.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/usage/", import.meta.url));

interface Recording {
  readonly name: string;
  /** Paths in a home directory, by fixture. */
  readonly files: Readonly<Record<string, string>>;
  /** Counted by hand from the files. Requests without tokens failed and do not count. */
  readonly total: Usage;
}

const recordings = JSON.parse(
  readFileSync(join(FIXTURES, "totals.json"), "utf8"),
) as readonly Recording[];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test.each(recordings)(
  "$name: the usage of its sessions adds up to its total",
  async (recording) => {
    const home = mkdtempSync(join(tmpdir(), "waymark-recording-"));
    folders.push(home);
    for (const [fixture, path] of Object.entries(recording.files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      cpSync(join(FIXTURES, fixture), join(home, path));
    }
    const machine = thisMachine(home, {});
    const read = async (whole: boolean) => {
      const found = discover(DECODERS, machine);
      const { roster } = await readSessions(DECODERS, found, new Map(), { whole });
      const lives = roster.tracks().map(({ live }) => live);
      const sessions = new Set(lives.map(({ session }) => session));
      return [...sessions].map((session) =>
        sessionUsage(lives.filter((live) => live.session === session)),
      );
    };
    const sum = (all: readonly Usage[]) => all.reduce(addUsage, NO_USAGE);
    for (const whole of [false, true]) {
      const sessions = await read(whole);
      expect(sum(sessions.map(({ total }) => total))).toEqual(recording.total);
      for (const { total, rows, unattributed } of sessions)
        expect(sum([...rows.map(({ usage }) => usage), unattributed])).toEqual(total);
    }
  },
);

/** A line that no agent writes, longer than most. */
const FILLER = `{"type":"filler","text":"${"x".repeat(8_000)}"}\n`;

test.each(recordings)("$name: a scan of long files finds the same usage", (recording) => {
  const home = mkdtempSync(join(tmpdir(), "waymark-recording-"));
  folders.push(home);
  for (const [fixture, path] of Object.entries(recording.files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    const lines = readFileSync(join(FIXTURES, fixture), "utf8").split("\n").filter(Boolean);
    const long = lines.map((line) => `${line}\n${FILLER}`).join("") + FILLER.repeat(20);
    writeFileSync(join(home, path), long);
  }
  const { sources } = discover(DECODERS, thisMachine(home, {}));
  expect(sources.length).toBe(Object.keys(recording.files).length);
  for (const source of sources) {
    const decoder = DECODERS.find(({ id }) => id === source.dialect);
    if (!decoder) throw new Error(`unknown agent ${source.dialect}`);
    expect(statSync(source.path).size).toBeGreaterThan(96 * 1024);
    const usageOf = (options: object) =>
      Object.values(readSessionFile(source, undefined, decoder, options).lives).map(
        ({ usage }) => usage,
      );
    const whole = usageOf({ whole: true });
    expect(whole.flatMap((usage) => usage?.parts ?? []).length).toBeGreaterThan(0);
    expect(usageOf({ tail: 4_096 })).toEqual(whole);
  }
});
