// Two transcript readers on the same files: wall time and peak memory.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { median } from "../measure.mjs";
import { SET, transcriptHome } from "../transcripts.mjs";
import { NOT_INSTALLED, peerProgram, titled } from "./brought.mjs";
import { emptyHome, runNode } from "./process.mjs";
import { program } from "./waymark.mjs";

const ROUNDS = 3;

export async function readers(folder) {
  const home = transcriptHome();
  const env = { ...emptyHome(folder), HOME: home, USERPROFILE: home };
  const own = join(folder, "waymark");
  const list = { args: [program, "ls", "--json"], env: { ...env, WAYMARK_HOME: own } };
  const peer = peerProgram("ccusage");
  const claude = join(home, ".claude");
  const commands = [
    {
      what: `waymark, ${SET.size / 1e6} MB for the first time`,
      ...list,
      before: () => rmSync(own, { recursive: true, force: true }),
      isRead: (found) => found.length > 0,
    },
    { what: "waymark, again", ...list, isRead: (found) => found.length > 0 },
    peer && {
      what: `${titled("ccusage")}, tokens of each day`,
      args: [peer, "claude", "daily", "--json", "--offline"],
      env: { ...emptyHome(folder), CLAUDE_CONFIG_DIR: claude },
      isRead: ({ totals }) => totals.totalTokens > 0,
    },
  ].filter(Boolean);
  const runs = new Map(commands.map(({ what }) => [what, []]));
  // One run before the measured ones, so that every file is in memory.
  for (let round = 0; round <= ROUNDS; round++)
    for (const { what, args, env: given, before, isRead } of commands) {
      before?.();
      const result = await runNode(args, { cwd: folder, env: given, seconds: 120, watched: true });
      if (!result.failure && !isRead(JSON.parse(result.stdout)))
        result.failure = "did not find what is there";
      if (round > 0) runs.get(what).push(result);
    }
  const [{ what: first }] = commands;
  const timeOf = (what) => median(runs.get(what).map(({ taken }) => taken));
  const rows = commands.map(({ what }) => {
    const failure = runs.get(what).find((each) => each.failure)?.failure;
    if (failure) return { reader: what, time: failure };
    return {
      reader: what,
      time: `${timeOf(what).toFixed(0)} ms`,
      ratio: `${(timeOf(what) / timeOf(first)).toFixed(2)} x`,
      "most memory": `${median(runs.get(what).map(({ peak }) => peak)).toFixed(0)} MB`,
    };
  });
  return peer ? rows : [...rows, { reader: titled("ccusage"), time: NOT_INSTALLED }];
}
