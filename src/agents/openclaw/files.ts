import type { Machine, SessionLocation } from "../agent.ts";

/**
 * `agents/<agent>/agent/openclaw-agent.sqlite`, formerly `agents/<agent>/sessions/<id>.jsonl`; also under the two former
 * names of the program.
 */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const given = env.OPENCLAW_STATE_DIR;
  const roots = given
    ? [given]
    : [".openclaw", ".moltbot", ".clawdbot"].map((name) => join(home, name));
  return roots.flatMap((state): readonly SessionLocation[] => {
    const root = join(state, "agents");
    return [
      { root, depth: 2, kind: "file", accept },
      { root, depth: 2, kind: "sqlite", accept: isDatabase },
    ];
  });
}

function isDatabase(path: readonly string[]) {
  const [, folder, name] = path;
  return path.length === 3 && folder === "agent" && name === "openclaw-agent.sqlite"
    ? {}
    : undefined;
}

function accept(path: readonly string[]) {
  const [, folder, name] = path;
  const [, session] = /^([\w-]+)(?:-topic-\w+)?\.jsonl$/.exec(name ?? "") ?? [];
  return path.length === 3 && folder === "sessions" && session !== undefined
    ? { session }
    : undefined;
}
