import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { sessionUsage } from "../../src/core/activity/session-usage.ts";
import { addUsage, NO_USAGE, type Usage } from "../../src/core/activity/usage.ts";
import { discover, thisMachine } from "../../src/sessions/transcripts/discover.ts";
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
