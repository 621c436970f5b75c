import type { Machine, SessionLocation } from "../agent.ts";

/** `sessions/<name of the cwd>/<time>_<id>.jsonl`, and a directory of the same name for subagents. */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const given = env.PI_CODING_AGENT_DIR;
  const data = env.XDG_DATA_HOME;
  const roots = given
    ? [given]
    : [join(home, env.PI_CONFIG_DIR || ".omp", "agent"), ...(data ? [join(data, "omp")] : [])];
  return roots.map((root) => ({ root: join(root, "sessions"), depth: 2, kind: "file", accept }));
}

const FILE = /^[^_]+_(.+)\.jsonl$/;
const FOLDER = /^[^_]+_(.+)$/;
const SUBAGENT = /^(\w[\w.-]*)\.jsonl$/;

function accept(path: readonly string[]) {
  if (path.length === 2) {
    const [, session] = FILE.exec(path[1] ?? "") ?? [];
    return session === undefined ? undefined : { session };
  }
  if (path.length !== 3) return undefined;
  const [, session] = FOLDER.exec(path[1] ?? "") ?? [];
  const [, agent] = SUBAGENT.exec(path[2] ?? "") ?? [];
  // Files with two leading underscores are internal.
  if (session === undefined || agent === undefined || agent.startsWith("__")) return undefined;
  return { session, agent, parent: "main" };
}
