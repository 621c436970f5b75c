import type { Machine, SessionLocation } from "../agent.ts";

/** opencode uses the XDG directories on every platform, also on macOS and Windows. */
export function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const data = join(env.XDG_DATA_HOME || join(home, ".local", "share"), "opencode");
  return [
    {
      root: data,
      depth: 0,
      kind: "sqlite",
      accept: (path) =>
        path.length === 1 && /^opencode(?:-[\w.-]+)?\.db$/.test(path[0] ?? "") ? {} : undefined,
    },
    // Until 1.1 everything was in separate JSON files.
    {
      root: join(data, "storage", "session"),
      depth: 1,
      kind: "document",
      accept: (path) => (path.length === 2 ? sessionOf(path[1]) : undefined),
    },
    {
      root: join(data, "storage", "todo"),
      depth: 0,
      kind: "document",
      accept: (path) => (path.length === 1 ? sessionOf(path[0]) : undefined),
    },
  ];
}

function sessionOf(name: string | undefined) {
  const [, session] = /^(ses_\w+)\.json$/.exec(name ?? "") ?? [];
  return session === undefined ? undefined : { session };
}
