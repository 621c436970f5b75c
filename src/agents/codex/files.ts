import type { Machine, Place } from "../agent.ts";

const ROLLOUT = /^rollout-.+-([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})\.jsonl$/i;

/** `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`, and put away, `archived_sessions`. */
export function codexPlaces({ home, env, join }: Machine): readonly Place[] {
  const root = env.CODEX_HOME || join(home, ".codex");
  return [
    { root: join(root, "sessions"), depth: 3, kind: "file", accept },
    { root: join(root, "archived_sessions"), depth: 3, kind: "file", accept },
  ];
}

/** The name has the thread; only the first line says whether it is a subagent's. */
function accept(path: readonly string[]) {
  const session = ROLLOUT.exec(path.at(-1) ?? "")?.[1];
  return session === undefined ? undefined : { session };
}
