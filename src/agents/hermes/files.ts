import type { Machine, SessionLocation } from "../agent.ts";

/** One directory has the JSONL files of the gateway and the documents of the command line. */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const root = join(env.HERMES_HOME || join(home, ".hermes"), "sessions");
  return [
    { root, depth: 0, kind: "file", accept: named(/^([\w-]+)\.jsonl$/) },
    { root, depth: 0, kind: "document", accept: named(/^session_([\w-]+)\.json$/) },
  ];
}

function named(pattern: RegExp) {
  return (path: readonly string[]) => {
    const [, session] = pattern.exec(path[0] ?? "") ?? [];
    return path.length === 1 && session !== undefined ? { session } : undefined;
  };
}
