import type { Machine, SessionLocation } from "../agent.ts";

/** `agents/<agent>/sessions/<id>.jsonl`, also under the two former names of the program. */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const given = env.OPENCLAW_STATE_DIR;
  const roots = given
    ? [given]
    : [".openclaw", ".moltbot", ".clawdbot"].map((name) => join(home, name));
  return roots.map((root) => ({ root: join(root, "agents"), depth: 2, kind: "file", accept }));
}

function accept(path: readonly string[]) {
  const [, folder, name] = path;
  const [, session] = /^([\w-]+)(?:-topic-\w+)?\.jsonl$/.exec(name ?? "") ?? [];
  return path.length === 3 && folder === "sessions" && session !== undefined
    ? { session }
    : undefined;
}
