import { afterEach, expect, test, vi } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import { CLAUDE, fixture, newUserHome } from "./home.ts";

const home = newUserHome();
afterEach(() => {
  vi.restoreAllMocks();
  home.remove();
});

const TEXT = fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`);
const HOUR = 60 * 60_000;
/** Milliseconds: longer than one slice of reading. */
const LONG = 50;

test("yields to the event loop while it reads, even if the clock is set back", async () => {
  for (const first of "456")
    home.write(`.claude/projects/-p/${first}${CLAUDE.slice(1)}.jsonl`, TEXT);
  const found = discover(DECODERS, home.machine);
  const turns: number[] = [];
  const clock = vi.spyOn(Date, "now");
  let seen = 0;
  await readSessions(DECODERS, found, new Map(), {
    onProgress(done) {
      clock.mockReturnValue(1_700_000_000_000 - done * HOUR);
      const begun = performance.now();
      while (performance.now() - begun < LONG);
      turns.push(seen);
      setImmediate(() => seen++);
    },
  });
  expect(turns).toEqual([0, 1, 2]);
});
