import type { Home } from "../../home/open.ts";

/**
 * The names of the newest sessions, for shell completion. Reads the index of the last scan, not the transcripts.
 */
export async function knownSessions(home: Home, limit: number): Promise<readonly string[]> {
  const { indexOf } = await import("../transcripts/machine.ts");
  const ours = await (await home.reading()).tracks({ limit });
  const lives = [...indexOf({ home }, undefined).values()].flatMap((entry) =>
    Object.values(entry.lives),
  );
  const theirs = lives.toSorted((a, b) => b.activity.lastAt - a.activity.lastAt).slice(0, limit);
  return [...new Set([...ours, ...theirs].map(({ session }) => session))];
}
