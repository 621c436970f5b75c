import { readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { spoolEvent } from "../../src/home/spool.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { waymark } from "../cli/running.ts";
import { needs } from "../skipped.ts";
import { makeQuickPlace } from "./quick-place.ts";
import { compileShim, NO_SHIM, type Shim, shimIn } from "./shim.ts";

const SESSIONS = ["a", "b", "c"];
const EACH = 2;

/** In turns. */
function fill(home: string): void {
  const spool = join(home, "spool");
  for (let count = 0; count < EACH * SESSIONS.length; count++) {
    const session = SESSIONS[count % SESSIONS.length] ?? "";
    const call = { session_id: session, tool_name: "Bash", tool_use_id: `c${count}` };
    const known = count === 0 ? [] : readdirSync(spool);
    const place = { session, agent: "claude", event: "PreToolUse" };
    spoolEvent(home, place, JSON.stringify(call));
    for (const name of readdirSync(spool).filter((each) => !known.includes(each)))
      utimesSync(join(spool, name), 1_000 + count, 1_000 + count);
  }
}

async function toolsSeen(home: string): Promise<readonly number[]> {
  const store = await sqliteStore(join(home, "waymark.db"), { createDirectory: true });
  const tracks = await Promise.all(
    SESSIONS.map(async (session) => store.read({ session, agent: "main" })),
  );
  await store.close();
  return tracks.map(({ activity }) => activity?.counts.tools ?? 0);
}

describe("killed spool ingestion", { timeout: 600_000, ...needs(NO_SHIM) }, () => {
  let place: string;
  let shim: Shim;
  beforeAll(() => {
    place = makeQuickPlace();
    shim = shimIn(place, compileShim(place));
    return () => rmSync(place, { recursive: true, force: true });
  });

  test("counts each event once, whichever file operation is interrupted", async () => {
    for (let nth = 1; ; nth++) {
      const home = join(place, `home-${nth}`);
      const env = { WAYMARK_HOME: home, HOME: place };
      const ls = (more = {}) => waymark(["ls", "--json"], "", { ...env, ...more });
      fill(home);
      shim.control.arm({ nth, error: "killed", calls: ["mkdir", "rename", "unlink"] });
      await ls(shim.env(join(home, "spool")));
      const { hits } = shim.control.counts();
      shim.control.disarm();
      expect((await ls()).code).toBe(0);
      expect([nth, await toolsSeen(home)]).toEqual([nth, SESSIONS.map(() => EACH)]);
      if (hits > 0) continue;
      expect(nth).toBeGreaterThan(EACH * SESSIONS.length);
      return;
    }
  });
});
