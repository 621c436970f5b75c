import type { Home } from "../../home/open.ts";

/**
 * The newest sessions as they were last seen, by name. For shell completion: it reads the index of the last reading,
 * not the transcripts.
 */
export async function knownSessions(home: Home, limit: number): Promise<readonly string[]> {
  const { indexOf } = await import("../transcripts/agents.ts");
  const ours = await (await home.reading()).tracks({ limit });
  const lives = [...indexOf({ home }, undefined).values()].flatMap((entry) =>
    Object.values(entry.lives),
  );
  const theirs = lives.toSorted((a, b) => b.activity.lastAt - a.activity.lastAt).slice(0, limit);
  return [...new Set([...ours, ...theirs].map(({ session }) => session))];
}
