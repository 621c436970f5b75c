import type { Machine, Place } from "../agent.ts";

/** Lines of the gateway and documents of the command line lie in one folder. */
export function places({ home, env, join }: Machine): readonly Place[] {
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
