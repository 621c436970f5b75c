import type { Machine, SessionLocation } from "../agent.ts";

const ROLLOUT = /^rollout-.+-([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})\.jsonl$/i;

/** `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`, and archived ones in `archived_sessions`. */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const root = env.CODEX_HOME || join(home, ".codex");
  return [
    { root: join(root, "sessions"), depth: 3, kind: "file", accept },
    { root: join(root, "archived_sessions"), depth: 3, kind: "file", accept },
  ];
}

/** The file name has the id of the thread. Only the first line tells whether it is a subagent. */
function accept(path: readonly string[]) {
  const session = ROLLOUT.exec(path.at(-1) ?? "")?.[1];
  return session === undefined ? undefined : { session };
}
