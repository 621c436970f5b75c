import type { Machine, SessionLocation } from "../agent.ts";

/** `session-state/<session>/` with `events.jsonl` and `session.db`; at first `session-state/<session>.jsonl`. */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const root = env.COPILOT_HOME || join(home, ".copilot");
  return [
    {
      root,
      depth: 2,
      kind: "file",
      accept: sessionOf(/^session-state\/([\w-]+)(?:\/events)?\.jsonl$/),
    },
    { root, depth: 2, kind: "sqlite", accept: sessionOf(/^session-state\/([\w-]+)\/session\.db$/) },
  ];
}

function sessionOf(file: RegExp): SessionLocation["accept"] {
  return (path) => {
    const [, session] = file.exec(path.join("/")) ?? [];
    return session === undefined ? undefined : { session };
  };
}
