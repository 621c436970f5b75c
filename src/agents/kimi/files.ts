import type { Machine, SessionLocation } from "../agent.ts";

/**
 * `sessions/<directory>/<session>/agents/<agent>/wire.jsonl`, and `state.json` beside `agents` with the title. Kimi CLI,
 * the predecessor, wrote `sessions/<directory>/<session>/context.jsonl`.
 */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const root = join(env.KIMI_CODE_HOME || join(home, ".kimi-code"), "sessions");
  const old = join(env.KIMI_SHARE_DIR || join(home, ".kimi"), "sessions");
  return [
    { root, depth: 4, kind: "file", accept: wireFile },
    { root, depth: 2, kind: "document", accept: stateFile },
    { root: old, depth: 2, kind: "file", accept: contextFile },
  ];
}

function wireFile([, session, agents, agent, file, ...more]: readonly string[]) {
  if (agents !== "agents" || file !== "wire.jsonl" || more.length > 0) return undefined;
  if (!session || !/^[\w.-]+$/.test(agent ?? "")) return undefined;
  return agent === "main" ? { session } : { session, agent: agent ?? "", parent: "main" };
}

function stateFile([, session, file, ...more]: readonly string[]) {
  return session && file === "state.json" && more.length === 0 ? { session } : undefined;
}

function contextFile([, session, file, ...more]: readonly string[]) {
  return session && file === "context.jsonl" && more.length === 0 ? { session } : undefined;
}
